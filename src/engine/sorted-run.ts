import type { EventStore } from './event-store.js';

/** Most slots that a run holds: beyond, inserting would cost more than a heap. */
const RUN_SLOTS = 32;

/**
 * A few event slots sorted by time, then by order of insertion, the earliest last: taking it is one decrement.
 *
 * For a handful this beats a heap, and the slots that come late are mostly early ones, which move few others.
 */
export class SortedRun {
  /** How many 4-byte words a run needs. */
  static readonly ints = RUN_SLOTS;
  size = 0;
  private readonly store: EventStore;
  private readonly firstInt: number;

  /** Takes its table from the words of the store from `firstInt` on. */
  constructor(store: EventStore, firstInt: number) {
    this.store = store;
    this.firstInt = firstInt;
  }

  /** The earliest slot; meaningless in an empty run. */
  get first(): number {
    return this.store.ints[this.firstInt + this.size - 1];
  }

  /** Inserts a slot; false if the run is full. */
  add(slot: number): boolean {
    const { store, firstInt, size } = this;
    if (size === RUN_SLOTS) return false;
    const { ints } = store;
    const time = store.time(slot);
    let place = firstInt + size;
    for (; place > firstInt; place--) {
      const other = ints[place - 1];
      const otherTime = store.time(other);
      if (otherTime > time || (otherTime === time && store.order(other) > store.order(slot))) break;
      ints[place] = other;
    }
    ints[place] = slot;
    this.size = size + 1;
    return true;
  }
}
