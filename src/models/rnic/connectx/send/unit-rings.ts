import { IndexQueue } from '../../../resource/index-queue.js';
import { ReadyRing } from './ready-ring.js';

/**
 * What is ready to be sent on a device whose queue pairs are each bound to one processing unit: a ring per unit. A unit that
 * is busy keeps those that are bound to it waiting, however many others are free.
 */
export class UnitRings {
  /** Entries in all rings. */
  length = 0;
  /** By unit; null until something comes for it. */
  private readonly rings: (ReadyRing | null)[];
  private readonly busy: Uint8Array;
  /** Units that are free and have something, in the order in which they came to be so; each stands there once. */
  private readonly runnable = new IndexQueue();
  private readonly listed: Uint8Array;

  constructor(units: number) {
    this.rings = new Array<ReadyRing | null>(units).fill(null);
    this.busy = new Uint8Array(units);
    this.listed = new Uint8Array(units);
  }

  /** Whether a unit serves nobody. */
  isFree(unit: number): boolean {
    return this.busy[unit] === 0;
  }

  push(unit: number, entry: number, trafficClass: number): void {
    let ring = this.rings[unit];
    if (ring === null) {
      ring = new ReadyRing();
      this.rings[unit] = ring;
    }
    ring.push(entry, trafficClass);
    this.length++;
    this.list(unit);
  }

  /** Takes the next entry of a free unit; -1 where there is none. */
  shift(): number {
    while (this.runnable.length > 0) {
      const unit = this.runnable.shift();
      this.listed[unit] = 0;
      if (this.busy[unit] === 1) continue;
      const entry = this.rings[unit]?.shift() ?? -1;
      if (entry < 0) continue;
      this.length--;
      this.list(unit);
      return entry;
    }
    return -1;
  }

  take(unit: number): void {
    this.busy[unit] = 1;
  }

  give(unit: number): void {
    this.busy[unit] = 0;
    this.list(unit);
  }

  private list(unit: number): void {
    if (this.listed[unit] === 1 || this.busy[unit] === 1) return;
    const ring = this.rings[unit];
    if (ring === null || ring.length === 0) return;
    this.listed[unit] = 1;
    this.runnable.push(unit);
  }
}
