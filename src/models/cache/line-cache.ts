/** The columns of a cache that has held nothing: shared, since nothing can be written to them. */
const NO_LINES = new Int32Array(0);
const NONE_PRESENT = new Uint8Array(0);
/** Room for lines once there is one. */
const FIRST_CAPACITY = 256;

/**
 * A cache of lines with least-recently-used replacement, for work-queue entries: they are used once, in the order in
 * which they came, and freed when used. A line's handle is the caller's own dense integer.
 */
export class LineCache {
  /** Lines that were pushed out before they were used. */
  evictions = 0;
  private readonly capacity: number;
  private previous = NO_LINES;
  private next = NO_LINES;
  private present = NONE_PRESENT;
  private oldest = -1;
  private newest = -1;
  private used = 0;
  private reserved = 0;

  constructor(lines: number) {
    this.capacity = lines;
  }

  /** Lines in it. */
  get lines(): number {
    return this.used;
  }

  /** Keeps lines for another use; the least recently used give way. */
  reserve(lines: number): void {
    this.reserved = lines;
    while (this.used > this.room) this.dropOldest();
  }

  /** Whether a line is there. */
  has(line: number): boolean {
    return line < this.present.length && this.present[line] === 1;
  }

  /** Puts a line in as the most recently used; the least recently used gives way when there is no room. */
  insert(line: number): void {
    if (line >= this.present.length) this.extend(line);
    if (this.present[line] === 1) this.unlink(line);
    else if (this.used >= this.room) this.dropOldest();
    if (this.room === 0) return;
    this.present[line] = 1;
    this.used++;
    this.previous[line] = this.newest;
    this.next[line] = -1;
    if (this.newest >= 0) this.next[this.newest] = line;
    else this.oldest = line;
    this.newest = line;
  }

  /** Takes a line out because it is no longer needed. */
  free(line: number): void {
    if (this.has(line)) this.unlink(line);
  }

  private get room(): number {
    return this.capacity - this.reserved;
  }

  private dropOldest(): void {
    if (this.oldest < 0) return;
    this.evictions++;
    this.unlink(this.oldest);
  }

  private unlink(line: number): void {
    const before = this.previous[line];
    const after = this.next[line];
    if (before >= 0) this.next[before] = after;
    else this.oldest = after;
    if (after >= 0) this.previous[after] = before;
    else this.newest = before;
    this.present[line] = 0;
    this.used--;
  }

  private extend(line: number): void {
    const size = Math.max(FIRST_CAPACITY, 2 * this.present.length, line + 1);
    const grow = <T extends Int32Array | Uint8Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.previous = grow(this.previous, new Int32Array(size));
    this.next = grow(this.next, new Int32Array(size));
    this.present = grow(this.present, new Uint8Array(size));
  }
}
