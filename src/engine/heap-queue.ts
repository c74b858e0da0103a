import { EventStore } from './event-store.js';
import type { EventId, Queue } from './queue.js';
import { SlotHeap } from './slot-heap.js';

/** Cancelled events that may lie about before they are worth a sweep. */
const CANCELLED_SPARE = 1024;

/**
 * The plain queue: one binary heap in typed arrays. It is the oracle against which `EventQueue` is tested and the
 * yardstick of its benchmark.
 */
export class HeapQueue extends EventStore implements Queue {
  private readonly heap: SlotHeap = new SlotHeap(this);

  constructor(capacity = 1024) {
    super(capacity);
  }

  push(time: number, handler: number, a: number, b: number, c: number): void {
    this.heap.add(this.write(time, handler, a, b, c));
  }

  cancel(id: EventId): boolean {
    if (!this.cancelSlot(id)) return false;
    if (this.heap.size > 2 * this.size + CANCELLED_SPARE) this.heap.sweep();
    return true;
  }

  pop(): boolean {
    return this.popUntil(Number.POSITIVE_INFINITY);
  }

  popUntil(limit: number): boolean {
    if (!(this.peekTime() <= limit) || this.size === 0) return false;
    return this.handOver(this.heap.remove());
  }

  peekTime(): number {
    const { heap } = this;
    while (heap.size > 0) {
      if (!this.isCancelled(heap.first)) return heap.firstTime;
      this.release(heap.remove());
    }
    return Number.POSITIVE_INFINITY;
  }
}
