import { EventStore, refuseTime } from './event-store.js';
import type { EventId, Queue } from './queue.js';
import { SlotHeap } from './slot-heap.js';

/** Cancelled events that may lie about before they are worth a sweep. */
const CANCELLED_SPARE = 1024;

/**
 * The plain queue: one binary heap in typed arrays. It is the oracle against which `EventQueue` is tested and the
 * yardstick of its benchmark.
 */
export class HeapQueue implements Queue {
  time = 0;
  handler = 0;
  a = 0;
  b = 0;
  c = 0;
  size = 0;
  private readonly store: EventStore;
  private readonly heap: SlotHeap;

  constructor(capacity = 1024) {
    this.store = new EventStore(capacity);
    this.heap = new SlotHeap(this.store);
  }

  push(time: number, handler: number, a = 0, b = 0, c = 0): void {
    if (!(time >= this.time && time <= Number.MAX_SAFE_INTEGER && Math.floor(time) === time))
      refuseTime(time, this.time);
    const slot = this.store.write(time, handler, a, b, c);
    this.heap.add(slot);
    this.size++;
  }

  get pushed(): EventId {
    return this.store.lastId;
  }

  cancel(id: EventId): boolean {
    if (!this.store.cancel(id)) return false;
    this.size--;
    if (this.heap.size > 2 * this.size + CANCELLED_SPARE) this.heap.sweep();
    return true;
  }

  pop(): boolean {
    return this.popUntil(Number.POSITIVE_INFINITY);
  }

  popUntil(limit: number): boolean {
    if (!(this.peekTime() <= limit) || this.size === 0) return false;
    const { store } = this;
    const slot = this.heap.remove();
    this.time = store.time(slot);
    this.handler = store.handler(slot);
    this.a = store.a(slot);
    this.b = store.b(slot);
    this.c = store.c(slot);
    store.release(slot);
    this.size--;
    return true;
  }

  peekTime(): number {
    const { heap, store } = this;
    while (heap.size > 0) {
      if (!store.isCancelled(heap.first)) return heap.firstTime;
      store.release(heap.remove());
    }
    return Number.POSITIVE_INFINITY;
  }
}
