import type { Random } from '../../engine/index.js';

/** The columns of a cache that has held nothing: shared, since nothing can be written to them. */
const NONE = new Int32Array(0);
/** Room for lines once there is one. */
const FIRST_CAPACITY = 256;

/**
 * A cache of lines with random replacement, for work-queue entries: they are used once, in the order in which they came,
 * and freed when used. Pushing out the oldest would push out the very next to be used, each time: misses would jump from
 * none to all as soon as one line too many is wanted. A random one gives way, so that they set in gradually. A line's
 * handle is the caller's own dense integer.
 */
export class LineCache {
  /** Lines that were pushed out before they were used. */
  evictions = 0;
  private readonly capacity: number;
  private readonly random: Random;
  /** The lines that are here, in no order. */
  private held: Int32Array = NONE;
  private count = 0;
  /** Where a line stands in `held`, plus one; 0 where it does not. */
  private placeOf: Int32Array = NONE;
  private reserved = 0;

  constructor(lines: number, random: Random) {
    this.capacity = lines;
    this.random = random;
  }

  /** Lines in it. */
  get lines(): number {
    return this.count;
  }

  /** Keeps lines for another use; random ones give way. */
  reserve(lines: number): void {
    this.reserved = lines;
    while (this.count > this.room) this.dropOne();
  }

  /** Whether a line is there. */
  has(line: number): boolean {
    return line < this.placeOf.length && this.placeOf[line] > 0;
  }

  /** Puts a line in; a random other gives way when there is no room. */
  insert(line: number): void {
    if (line >= this.placeOf.length) this.extend(line);
    if (this.placeOf[line] > 0 || this.room === 0) return;
    if (this.count >= this.room) this.dropOne();
    if (this.count === this.held.length) this.held = grown(this.held, this.count + 1);
    this.held[this.count++] = line;
    this.placeOf[line] = this.count;
  }

  /** Takes a line out because it is no longer needed. */
  free(line: number): void {
    if (this.has(line)) this.removeAt(this.placeOf[line] - 1);
  }

  private get room(): number {
    return this.capacity - this.reserved;
  }

  private dropOne(): void {
    this.evictions++;
    this.removeAt(this.random.nextInt(this.count));
  }

  private removeAt(place: number): void {
    const { held, placeOf } = this;
    placeOf[held[place]] = 0;
    const last = held[--this.count];
    if (place === this.count) return;
    held[place] = last;
    placeOf[last] = place + 1;
  }

  private extend(line: number): void {
    this.placeOf = grown(this.placeOf, line + 1);
  }
}

/** The same column with room for at least this many. */
function grown(column: Int32Array, least: number): Int32Array {
  const wider = new Int32Array(Math.max(FIRST_CAPACITY, 2 * column.length, least));
  wider.set(column);
  return wider;
}
