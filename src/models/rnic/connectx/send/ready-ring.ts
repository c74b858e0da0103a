import { PRIORITIES } from '../../../fabric/cable-side.js';
import { IndexQueue } from '../../../resource/index-queue.js';

/**
 * What is ready to be sent: a ring for each traffic class. The classes that have something take turns, and within one
 * the first that came is the first to be served.
 */
export class ReadyRing {
  /** Entries in all classes. */
  length = 0;
  /** By class; null until something comes in it. */
  private readonly rings: (IndexQueue | null)[] = [null, null, null, null, null, null, null, null];
  /** A bit for each class that has something. */
  private waiting = 0;
  private turn = 0;

  /** Puts an entry at the tail of its class. */
  push(entry: number, trafficClass: number): void {
    let ring = this.rings[trafficClass];
    if (ring === null) {
      ring = new IndexQueue();
      this.rings[trafficClass] = ring;
    }
    ring.push(entry);
    this.waiting |= 1 << trafficClass;
    this.length++;
  }

  /** Takes the first entry of the class whose turn it is; -1 when empty. */
  shift(): number {
    if (this.waiting === 0) return -1;
    // The classes from `turn` on, then those before it: rotated, the first one is the lowest bit.
    const rotated = (this.waiting >>> this.turn) | (this.waiting << (PRIORITIES - this.turn));
    const trafficClass = (this.turn + 31 - Math.clz32(rotated & -rotated)) % PRIORITIES;
    const ring = this.rings[trafficClass]!;
    const entry = ring.shift();
    if (ring.length === 0) this.waiting &= ~(1 << trafficClass);
    this.turn = (trafficClass + 1) % PRIORITIES;
    this.length--;
    return entry;
  }
}
