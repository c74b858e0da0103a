import { IndexQueue } from '../../../resource/index-queue.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';

/** The doorbells of one queue pair whose WQEs were not all begun. */
class Batches {
  /** Their sizes, oldest first. */
  readonly waiting = new IndexQueue();
  /** Of the one being served: its size, and what is left of it. */
  wqes = 0;
  left = 0;
}

/**
 * The right to send alone. A device that takes a long doorbell for bulk traffic serves a part of it before it turns to
 * another queue pair: good for the locality of its caches, and for as long as it lasts all traffic of a direction is
 * that of one queue pair. The longer the doorbell, the longer the burst.
 */
export class BurstGrant {
  private readonly divisor: number;
  /** By the index of the queue pair; empty on a device without bursts. */
  private readonly batches: Batches[] = [];
  private holder = -1;
  /** Messages that this burst may have, and those that the holder has begun. */
  private length = 0;
  private used = 0;

  /** `divisor`: WQEs of a doorbell per message of a burst; 0: there are no bursts. */
  constructor(divisor: number) {
    this.divisor = divisor;
  }

  /** Whether somebody holds it. */
  get held(): boolean {
    return this.holder >= 0;
  }

  /** A queue pair was made. */
  add(): void {
    if (this.divisor > 0) this.batches.push(new Batches());
  }

  /** Whether a queue pair holds it. */
  isHeldBy(pair: NicQueuePair): boolean {
    return this.holder === pair.index;
  }

  /** Whether a queue pair must wait for another's burst. */
  excludes(pair: NicQueuePair): boolean {
    return this.holder >= 0 && this.holder !== pair.index;
  }

  /** A doorbell came. */
  announce(pair: NicQueuePair, count: number): void {
    if (this.divisor > 0) this.batches[pair.index].waiting.push(count);
  }

  /** A message is begun. */
  begin(pair: NicQueuePair): void {
    if (this.divisor === 0) return;
    const batches = this.batches[pair.index];
    if (batches.left === 0) {
      batches.wqes = Math.max(1, batches.waiting.shift());
      batches.left = batches.wqes;
    }
    batches.left--;
    if (this.holder === pair.index) this.used++;
  }

  /** Asked before each packet: takes the grant where a doorbell gives a right to it; false where a burst just ended. */
  claim(pair: NicQueuePair, startsMessage: boolean): boolean {
    if (this.divisor === 0) return true;
    if (startsMessage && this.holder === pair.index && this.used >= this.length) {
      this.holder = -1;
      return false;
    }
    if (this.holder < 0) {
      const batches = this.batches[pair.index];
      const batchWqes = startsMessage && batches.left === 0 ? batches.waiting.peek() : batches.wqes;
      this.length = Math.floor(batchWqes / this.divisor);
      if (this.length < 1) return true;
      this.holder = pair.index;
      this.used = 0;
    }
    return true;
  }

  /** A queue pair has nothing to send. */
  release(pair: NicQueuePair): void {
    if (this.holder === pair.index) this.holder = -1;
  }

  /** Forgets the doorbells of a queue pair. */
  forget(pair: NicQueuePair): void {
    if (this.divisor > 0) {
      const batches = this.batches[pair.index];
      batches.waiting.clear();
      batches.wqes = 0;
      batches.left = 0;
    }
    this.release(pair);
  }
}
