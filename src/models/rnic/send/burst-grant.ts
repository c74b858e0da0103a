import type { NicQueuePair } from '../nic-queue-pair.js';

/**
 * The right to send alone. A device that takes a long doorbell for bulk traffic serves a part of it before it turns to
 * another queue pair: good for the locality of its caches, and for as long as it lasts all traffic of a direction is
 * that of one queue pair. The longer the doorbell, the longer the burst.
 */
export class BurstGrant {
  private readonly divisor: number;
  private holder = -1;
  /** Messages that this burst may have, and those that the holder has begun. */
  private length = 0;
  private used = 0;

  /** `divisor`: WQEs of a doorbell for each message of a burst, 0 where there are no bursts. */
  constructor(divisor: number) {
    this.divisor = divisor;
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
    if (this.divisor > 0) qp.batches.push(count);
  }

  /** A message is begun. */
  begin(qp: NicQueuePair): void {
    if (this.divisor === 0) return;
    if (qp.batchLeft === 0) {
      qp.batchWqes = Math.max(1, qp.batches.shift());
      qp.batchLeft = qp.batchWqes;
    }
    qp.batchLeft--;
    if (this.holder === qp.index) this.used++;
  }

  /** Asked before each packet: takes the grant where a doorbell gives a right to it; false where a burst just ended. */
  claim(qp: NicQueuePair, startsMessage: boolean): boolean {
    if (this.divisor === 0) return true;
    if (startsMessage && this.holder === qp.index && this.used >= this.length) {
      this.holder = -1;
      return false;
    }
    if (this.holder < 0) {
      const batchWqes = startsMessage && qp.batchLeft === 0 ? qp.batches.peek() : qp.batchWqes;
      this.length = Math.floor(batchWqes / this.divisor);
      if (this.length < 1) return true;
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
    this.release(qp);
  }
}
