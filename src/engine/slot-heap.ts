import type { EventStore } from './event-store.js';

/**
 * Binary min-heap of event slots by time, then by order of insertion.
 *
 * The times are kept beside the slots, so that sifting reads the store for ties alone.
 */
export class SlotHeap {
  size = 0;
  private readonly store: EventStore;
  private times = new Float64Array(64);
  private slots = new Int32Array(64);

  constructor(store: EventStore) {
    this.store = store;
  }

  /** Time of the first slot; meaningless in an empty heap. */
  get firstTime(): number {
    return this.times[0];
  }

  /** The first slot; meaningless in an empty heap. */
  get first(): number {
    return this.slots[0];
  }

  /** The slot at a place of the array, in no order that matters. */
  at(place: number): number {
    return this.slots[place];
  }

  add(slot: number): void {
    if (this.size > 0) {
      this.siftUp(slot);
      return;
    }
    this.times[0] = this.store.timeOf(slot);
    this.slots[0] = slot;
    this.size = 1;
  }

  /** Removes and returns the first slot of a heap that is not empty. */
  remove(): number {
    const first = this.slots[0];
    if (--this.size > 0) this.siftDown();
    return first;
  }

  // Adding to an empty heap and removing from a heap of one are by far the most frequent in `EventQueue`; the loops are
  // functions of their own, so that the rest is small enough for the compiler to inline.
  private siftUp(slot: number): void {
    if (this.size === this.slots.length) this.grow();
    const { times, slots, store } = this;
    const time = store.timeOf(slot);
    let place = this.size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const parentTime = times[parent];
      if (parentTime < time) break;
      if (parentTime === time && store.isOlder(slots[parent], slot)) break;
      times[place] = parentTime;
      slots[place] = slots[parent];
      place = parent;
    }
    times[place] = time;
    slots[place] = slot;
  }

  /** Fills the gap at the top with the slot behind the last. */
  private siftDown(): void {
    const { times, slots, store, size } = this;
    const time = times[size];
    const slot = slots[size];
    let place = 0;
    for (let child = 1; child < size; child = 2 * place + 1) {
      let childTime = times[child];
      const right = child + 1;
      if (right < size) {
        const rightTime = times[right];
        if (rightTime < childTime || (rightTime === childTime && store.isOlder(slots[right], slots[child]))) {
          child = right;
          childTime = rightTime;
        }
      }
      if (time < childTime || (time === childTime && store.isOlder(slot, slots[child]))) break;
      times[place] = childTime;
      slots[place] = slots[child];
      place = child;
    }
    times[place] = time;
    slots[place] = slot;
  }

  /** Releases the cancelled slots and returns how many there were. */
  sweep(): number {
    const { store, slots } = this;
    const size = this.size;
    this.size = 0;
    // Adding in array order writes at or before the place being read, so nothing unread is overwritten.
    for (let place = 0; place < size; place++) {
      const slot = slots[place];
      if (store.isCancelled(slot)) store.release(slot);
      else this.add(slot);
    }
    return size - this.size;
  }

  private grow(): void {
    const times = new Float64Array(this.times.length * 2);
    times.set(this.times);
    this.times = times;
    const slots = new Int32Array(this.slots.length * 2);
    slots.set(this.slots);
    this.slots = slots;
  }
}
