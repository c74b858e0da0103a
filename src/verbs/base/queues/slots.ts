import { NONE } from './column.js';
import { FreeSlots } from './free-slots.js';

/** The least that a pool holds, so that small programs never grow one. */
const FIRST_CAPACITY = 64;
/** A pool up to this grows fourfold, as copying it costs more than the room. */
const SMALL_CAPACITY = 2 ** 12;
/** What a pool grows by at a time, at most, however many slots it was told to expect. */
const MOST_GROWTH = 16;

/**
 * Slots of a struct of arrays, handed out and taken back in constant time. Free slots are linked through `next`, so
 * that the pool needs no memory besides its columns; it grows by doubling, or to what it was told to expect, and never
 * shrinks.
 *
 * While a slot is in use `next` belongs to its user, who links slots into queues with it.
 */
export abstract class SlotPool {
  next = NONE.int32;
  /** Takes slots, whose columns hold what the last user left there, and gives them back. */
  protected readonly slots = new FreeSlots(this);
  private expected = 0;

  /** How many slots there is room for. */
  get capacity(): number {
    return this.next.length;
  }

  /** Slots in use. */
  get used(): number {
    return this.slots.used;
  }

  /** This many more slots may be in use at a time from now on; fewer where negative. */
  expect(slots: number): void {
    this.expected += slots;
  }

  enlarge(): void {
    const before = this.next.length;
    const usual = before < SMALL_CAPACITY ? 4 * before : 2 * before;
    const expected = Math.min(this.expected, MOST_GROWTH * Math.max(before, FIRST_CAPACITY));
    const capacity = Math.max(FIRST_CAPACITY, usual, expected);
    this.slots.grow(capacity);
    this.next = this.slots.next;
    this.growColumns(capacity);
  }

  /** Makes every column but `next` as long as `capacity`. */
  protected abstract growColumns(capacity: number): void;
}
