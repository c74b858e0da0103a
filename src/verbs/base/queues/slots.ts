import { NO_SLOT } from '../codes.js';

/** The least that a pool holds, so that small programs never grow one. */
const FIRST_CAPACITY = 64;
/** A pool up to this grows fourfold, as copying it costs more than the room. */
const SMALL_CAPACITY = 2 ** 12;
/** What a pool grows by at a time, at most, however many slots it was told to expect. */
const MOST_GROWTH = 16;

/** A typed array of a kind that {@link grown} can make larger. */
type Column =
  | Uint8Array
  | Uint16Array
  | Int16Array
  | Int32Array
  | Uint32Array
  | Float64Array
  | BigUint64Array;

/** The columns of a pool that has no slots yet: shared, since nothing can be written to them. */
export const NONE = {
  uint8: new Uint8Array(0),
  uint16: new Uint16Array(0),
  int16: new Int16Array(0),
  int32: new Int32Array(0),
  uint32: new Uint32Array(0),
  float64: new Float64Array(0),
  bigUint64: new BigUint64Array(0),
};

/** The same column with room for `capacity` slots and the old content in front. */
export function grown<T extends Column>(column: T, capacity: number): T {
  const larger = new (column.constructor as new (length: number) => T)(capacity);
  // The two are of one class; the compiler cannot know it of a union.
  (larger as Float64Array).set(column as Float64Array);
  return larger;
}

/**
 * Slots of a struct of arrays, handed out and taken back in constant time. Free slots are linked through `next`, so
 * that the pool needs no memory besides its columns; it grows by doubling, or to what it was told to expect, and never
 * shrinks.
 *
 * While a slot is in use `next` belongs to its user, who links slots into queues with it.
 */
export abstract class SlotPool {
  next = NONE.int32;
  /** Slots in use. */
  used = 0;
  private freeHead = NO_SLOT;
  /** The first slot that was never used: it and those behind it are not linked. */
  private firstUnused = 0;
  private expected = 0;

  /** How many slots there is room for. */
  get capacity(): number {
    return this.next.length;
  }

  /** Takes a slot; its columns hold what the last user left there. */
  protected allocate(): number {
    this.used++;
    const slot = this.freeHead;
    if (slot === NO_SLOT) return this.allocateUnused();
    this.freeHead = this.next[slot];
    this.next[slot] = NO_SLOT;
    return slot;
  }

  /** Gives a slot back. */
  protected release(slot: number): void {
    this.next[slot] = this.freeHead;
    this.freeHead = slot;
    this.used--;
  }

  /** This many more slots may be in use at a time from now on; fewer where negative. */
  expect(slots: number): void {
    this.expected += slots;
  }

  /** Makes every column but `next` as long as `capacity`. */
  protected abstract growColumns(capacity: number): void;

  private allocateUnused(): number {
    const slot = this.firstUnused++;
    if (slot === this.next.length) this.enlarge();
    this.next[slot] = NO_SLOT;
    return slot;
  }

  private enlarge(): void {
    const before = this.next.length;
    const usual = before < SMALL_CAPACITY ? 4 * before : 2 * before;
    const expected = Math.min(this.expected, MOST_GROWTH * Math.max(before, FIRST_CAPACITY));
    const capacity = Math.max(FIRST_CAPACITY, usual, expected);
    this.next = grown(this.next, capacity);
    this.growColumns(capacity);
  }
}
