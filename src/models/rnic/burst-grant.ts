import type { NicQueuePair } from './nic-queue-pair.js';

/**
 * The right to send alone. A device that takes a long doorbell for bulk traffic serves many WQEs of its queue pair
 * before it turns to another: good for the locality of its caches, and for as long as it lasts all traffic of a
 * direction is that of one queue pair.
 */
export class BurstGrant {
  private readonly wqes: number;
  private readonly length: number;
  private holder = -1;
  /** Messages that the holder has begun. */
  private used = 0;

  /** `wqes`: the shortest doorbell that has the right, 0 where none has; `length`: the messages of one burst. */
  constructor(wqes: number, length: number) {
    this.wqes = wqes;
    this.length = length;
  }

  /** Whether somebody holds it. */
  get held(): boolean {
    return this.holder >= 0;
  }

  /** Whether a queue pair holds it. */
  isHeldBy(qp: NicQueuePair): boolean {
    return this.holder === qp.index;
  }

  /** Whether a queue pair must wait for another's burst. */
  excludes(qp: NicQueuePair): boolean {
    return this.holder >= 0 && this.holder !== qp.index;
  }

  /** A doorbell came. */
  announce(qp: NicQueuePair, count: number): void {
    if (this.wqes === 0) return;
    qp.batches.push(count);
    if (count >= this.wqes) qp.longBatches++;
  }

  /** A message is begun. */
  begin(qp: NicQueuePair): void {
    if (this.wqes === 0) return;
    if (qp.batchLeft === 0) {
      qp.batchWqes = Math.max(1, qp.batches.shift());
      qp.batchLeft = qp.batchWqes;
      if (qp.batchWqes >= this.wqes) qp.longBatches--;
    }
    qp.batchLeft--;
    if (this.holder === qp.index) this.used++;
  }

  /** Asked before each packet: takes the grant where a doorbell gives a right to it; false where a burst just ended. */
  claim(qp: NicQueuePair, startsMessage: boolean): boolean {
    if (this.wqes === 0) return true;
    const inLong = qp.batchWqes >= this.wqes;
    const ended = startsMessage && qp.batchLeft === 0;
    if (startsMessage && this.holder === qp.index && this.used >= this.length) {
      this.holder = -1;
      return false;
    }
    if (this.holder < 0 && (qp.longBatches > 0 || (inLong && !ended))) {
      this.holder = qp.index;
      this.used = 0;
    }
    return true;
  }

  /** A queue pair has nothing to send. */
  release(qp: NicQueuePair): void {
    if (this.holder === qp.index) this.holder = -1;
  }

  /** Forgets the doorbells of a queue pair. */
  forget(qp: NicQueuePair): void {
    qp.batches.clear();
    qp.batchWqes = 0;
    qp.batchLeft = 0;
    qp.longBatches = 0;
    this.release(qp);
  }
}
