import type { Clock } from '../../verbs/index.js';

/** While requests wait in an interposer, time passes in steps of at most this long. */
const STEP_NS = 2000;

/** A provider's clock for an interposer without threads: it gets its turn while time passes. */
export class PumpingClock implements Clock {
  private readonly inner: Clock;
  private readonly pump: () => void;
  private readonly isBusy: () => boolean;

  constructor(inner: Clock, pump: () => void, isBusy: () => boolean) {
    this.inner = inner;
    this.pump = pump;
    this.isBusy = isBusy;
  }

  get nowNs(): number {
    return this.inner.nowNs;
  }

  get virtual(): boolean {
    return this.inner.virtual;
  }

  step(untilNs: number): boolean {
    this.pump();
    const { inner } = this;
    if (inner.step === undefined) return false;
    // Where requests wait in the interposer, its next turn comes before much later events.
    const stepped = inner.step(this.isBusy() ? Math.min(untilNs, inner.nowNs + STEP_NS) : untilNs);
    if (stepped) this.pump();
    return stepped;
  }

  async sleep(durationNs: number): Promise<void> {
    this.pump();
    const untilNs = this.inner.nowNs + durationNs;
    while (this.isBusy() && untilNs - this.inner.nowNs > STEP_NS) {
      await this.inner.sleep(STEP_NS);
      this.pump();
    }
    await this.inner.sleep(durationNs >= 0 ? Math.max(0, untilNs - this.inner.nowNs) : durationNs);
    this.pump();
  }
}
