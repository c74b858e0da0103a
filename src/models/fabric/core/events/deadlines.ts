import type { Timers } from './timers.js';
import type { Wheel } from './wheel.js';

/**
 * A deadline per slot that moves more often than it is reached. Setting it moves a number; the one event that is under
 * way for the slot looks at it when it fires, and waits on if it is not reached.
 */
export class Deadlines {
  /** Deadlines that were reached. */
  reached = 0;
  private readonly wheel: Wheel;
  private readonly timers: Timers;
  private readonly handler: number;
  /** Infinity: none. */
  private readonly atNs: Float64Array;
  /** The event that is under way; Infinity: none. One that is later than this was overtaken and does nothing. */
  private readonly pendingNs: Float64Array;

  constructor(slots: number, wheel: Wheel, timers: Timers, onReached: (slot: number) => void) {
    this.wheel = wheel;
    this.timers = timers;
    this.atNs = new Float64Array(slots).fill(Infinity);
    this.pendingNs = new Float64Array(slots).fill(Infinity);
    this.handler = timers.register((slot) => {
      if (this.pendingNs[slot] !== wheel.nowNs) return;
      this.pendingNs[slot] = Infinity;
      if (this.atNs[slot] > wheel.nowNs) {
        this.wait(slot);
        return;
      }
      this.reached++;
      this.atNs[slot] = Infinity;
      onReached(slot);
    });
  }

  isSet(slot: number): boolean {
    return this.atNs[slot] < Infinity;
  }

  set(slot: number, afterNs: number): void {
    this.atNs[slot] = this.wheel.nowNs + afterNs;
    this.wait(slot);
  }

  clear(slot: number): void {
    this.atNs[slot] = Infinity;
  }

  private wait(slot: number): void {
    const atNs = this.atNs[slot];
    if (atNs >= this.pendingNs[slot]) return;
    this.pendingNs[slot] = atNs;
    this.timers.after(atNs - this.wheel.nowNs, this.handler, slot);
  }
}
