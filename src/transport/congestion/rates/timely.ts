import type { Feedback } from './feedback.js';
import { type FlowTerms, RateControl, type RateLimits } from './rate-control.js';

/** The constants of TIMELY. */
export interface TimelyParameters extends RateLimits {
  readonly additiveBps: number;
  readonly hyperBps: number;
  /** Weight of the newest difference of round-trip times. */
  readonly differenceWeight: number;
  /** How hard a growing round-trip time cuts. */
  readonly cutFactor: number;
  /** Below this the rate always rises. */
  readonly lowNs: number;
  /** Above this it always falls. */
  readonly highNs: number;
  /** What a difference is measured against. */
  readonly minRttNs: number;
  /** Increases in a row before they turn hyper. */
  readonly hyperAfter: number;
}

/** TIMELY (Mittal et al., SIGCOMM 2015): the gradient of the round-trip time decides, once per round trip. */
export class Timely extends RateControl {
  readonly name = 'timely';
  override readonly usesRoundTrips = true;
  private readonly roundEndBytes: Float64Array;
  private readonly lastRttNs: Float64Array;
  private readonly differenceNs: Float64Array;
  private readonly stage: Int32Array;
  private readonly parameters: TimelyParameters;

  constructor(slots: number, parameters: TimelyParameters) {
    super(slots, parameters);
    this.parameters = parameters;
    this.roundEndBytes = new Float64Array(slots);
    this.lastRttNs = new Float64Array(slots);
    this.differenceNs = new Float64Array(slots);
    this.stage = new Int32Array(slots);
  }

  override open(slot: number, terms: FlowTerms): void {
    super.open(slot, terms);
    this.roundEndBytes[slot] = 0;
    this.lastRttNs[slot] = 0;
    this.differenceNs[slot] = 0;
    this.stage[slot] = 0;
  }

  onAck(slot: number, { ackedBytes, nextBytes, rttNs }: Feedback): boolean {
    const roundEnd = this.roundEndBytes[slot];
    if (ackedBytes <= roundEnd) return false;
    if (roundEnd !== 0) this.update(slot, rttNs);
    if (nextBytes > roundEnd) {
      this.roundEndBytes[slot] = nextBytes;
      this.lastRttNs[slot] = rttNs;
    }
    return false;
  }

  private update(slot: number, rttNs: number): void {
    const { additiveBps, hyperBps, differenceWeight, lowNs, highNs, minRttNs, hyperAfter } = this.parameters;
    const difference =
      (1 - differenceWeight) * this.differenceNs[slot] + differenceWeight * (rttNs - this.lastRttNs[slot]);
    const gradient = difference / minRttNs;
    this.differenceNs[slot] = difference;
    const rate = this.rateBps[slot];
    if (rttNs < lowNs || (rttNs <= highNs && gradient <= 0)) {
      const step = this.stage[slot] < hyperAfter ? additiveBps : hyperBps;
      this.rateBps[slot] = Math.min(this.lineBps[slot], rate + step);
      this.stage[slot]++;
    } else {
      this.rateBps[slot] = Math.max(this.minRateBps, Math.floor(rate * this.remainingShare(rttNs, gradient)));
      this.stage[slot] = 0;
    }
  }

  private remainingShare(rttNs: number, gradient: number): number {
    const { cutFactor, highNs } = this.parameters;
    if (rttNs > highNs) return 1 - cutFactor * (1 - highNs / rttNs);
    return Math.max(0, 1 - cutFactor * gradient);
  }
}
