import type { QueuePairRecord } from './queue-pair-record.js';

/** Queue pairs that have something to send, each once, in the order in which they take turns. */
export class ReadyRing {
  private slots: (QueuePairRecord | null)[] = new Array(64).fill(null);
  private first = 0;
  size = 0;

  /** Puts a queue pair at the end, unless it waits already. */
  push(record: QueuePairRecord): void {
    if (record.queued) return;
    record.queued = true;
    if (this.size === this.slots.length) this.grow();
    this.slots[(this.first + this.size++) & (this.slots.length - 1)] = record;
  }

  /** Takes the first of a ring that is not empty. */
  shift(): QueuePairRecord {
    const record = this.slots[this.first] as QueuePairRecord;
    this.slots[this.first] = null;
    this.first = (this.first + 1) & (this.slots.length - 1);
    this.size--;
    record.queued = false;
    return record;
  }

  private grow(): void {
    const unrolled = [...this.slots.slice(this.first), ...this.slots.slice(0, this.first)];
    this.slots = [...unrolled, ...new Array(this.slots.length).fill(null)];
    this.first = 0;
  }
}
