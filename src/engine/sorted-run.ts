import { type EventStore, NO_SLOT } from './event-store.js';

/** Most slots that a run holds: beyond, inserting would cost more than a heap. */
const RUN_SLOTS = 32;

/**
 * A few event slots sorted by time, then by order of insertion, the earliest last: taking it is one decrement. Their
 * times stand beside them, so that sorting reads the store for ties alone.
 *
 * What is added late mostly happens soon, and then moves few others.
 */
export class SortedRun {
  size = 0;
  private readonly store: EventStore;
  private readonly slots = new Int32Array(RUN_SLOTS);
  private readonly times = new Float64Array(RUN_SLOTS);

  constructor(store: EventStore) {
    this.store = store;
  }

  /** The earliest slot; meaningless in an empty run. */
  get first(): number {
    return this.slots[this.size - 1];
  }

  /** Time of the earliest slot; meaningless in an empty run. */
  get firstTime(): number {
    return this.times[this.size - 1];
  }

  /** Inserts a slot; false if the run is full. */
  add(slot: number): boolean {
    if (this.size === RUN_SLOTS) return false;
    this.insert(slot, this.store.time(slot), this.size++);
    return true;
  }

  /** Fills an empty run from a chain and returns what is left of the chain. */
  fill(chain: number): number {
    const { store, slots, times } = this;
    let count = 0;
    let rest = chain;
    for (; rest !== NO_SLOT && count < RUN_SLOTS; rest = store.next(rest)) slots[count++] = rest;
    // All times are asked for before the first is used: the processor fetches them side by side.
    for (let place = 0; place < count; place++) times[place] = store.time(slots[place]);
    for (let place = 1; place < count; place++) this.insert(slots[place], times[place], place);
    this.size = count;
    return rest;
  }

  /** Inserts among the first `count` slots. */
  private insert(slot: number, time: number, count: number): void {
    const { store, slots, times } = this;
    let place = count;
    for (; place > 0; place--) {
      const otherTime = times[place - 1];
      if (otherTime > time || (otherTime === time && store.isOlder(slot, slots[place - 1]))) break;
      times[place] = otherTime;
      slots[place] = slots[place - 1];
    }
    times[place] = time;
    slots[place] = slot;
  }
}
