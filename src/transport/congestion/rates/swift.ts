import type { Feedback } from './feedback.js';
import { type FlowTerms, RateControl, type RateLimits } from './rate-control.js';

/** The constants of Swift. */
export interface SwiftParameters extends RateLimits {
  readonly payloadBytes: number;
  /** Delay that is aimed at beyond the base round-trip time. */
  readonly targetNs: number;
  /** What the target grows by for small windows, and the windows between which it does, in packets. */
  readonly scalingNs: number;
  readonly leastScaledPackets: number;
  readonly mostScaledPackets: number;
  /** Packets that a window grows by per round trip. */
  readonly additivePackets: number;
  /** How hard a delay above the target cuts, and the most of a cut. */
  readonly cutFactor: number;
  readonly mostCut: number;
}

/**
 * Swift (Kumar et al., SIGCOMM 2020): a window that grows by a packet per round trip while the delay is below its
 * target, and shrinks in proportion to what is above it, at most once per round trip. Targets grow for small windows, so
 * that many flows share a queue. The window is kept as a rate: what it sends in a base round trip.
 */
export class Swift extends RateControl {
  readonly name = 'swift';
  override readonly usesRoundTrips = true;
  private readonly cwndBytes: Float64Array;
  private readonly cutAtNs: Float64Array;
  private readonly ackedBytes: Float64Array;
  private readonly parameters: SwiftParameters;
  private readonly scale: number;
  private readonly offset: number;

  constructor(slots: number, parameters: SwiftParameters) {
    super(slots, parameters);
    this.parameters = parameters;
    this.cwndBytes = new Float64Array(slots);
    this.cutAtNs = new Float64Array(slots);
    this.ackedBytes = new Float64Array(slots);
    const { scalingNs, leastScaledPackets, mostScaledPackets } = parameters;
    const most = 1 / Math.sqrt(leastScaledPackets);
    const least = 1 / Math.sqrt(mostScaledPackets);
    this.scale = scalingNs / (most - least);
    this.offset = -this.scale * least;
  }

  override open(slot: number, terms: FlowTerms): void {
    super.open(slot, terms);
    this.cwndBytes[slot] = terms.windowBytes;
    this.cutAtNs[slot] = 0;
    this.ackedBytes[slot] = 0;
  }

  override rebase(slot: number, baseRttNs: number, windowBytes: number): void {
    super.rebase(slot, baseRttNs, windowBytes);
    this.cwndBytes[slot] = (windowBytes * this.rateBps[slot]) / this.lineBps[slot];
  }

  onAck(slot: number, { nowNs, rttNs, ackedBytes }: Feedback): boolean {
    const arrived = Math.max(0, ackedBytes - this.ackedBytes[slot]);
    this.ackedBytes[slot] = Math.max(ackedBytes, this.ackedBytes[slot]);
    const { payloadBytes, additivePackets, cutFactor, mostCut } = this.parameters;
    const cwnd = this.cwndBytes[slot];
    const targetNs = this.targetNs(slot);
    if (rttNs < targetNs) {
      this.resize(slot, cwnd + (additivePackets * payloadBytes * arrived) / Math.max(cwnd, payloadBytes));
    } else if (nowNs >= this.cutAtNs[slot]) {
      this.resize(slot, cwnd * Math.max(1 - (cutFactor * (rttNs - targetNs)) / rttNs, 1 - mostCut));
      this.cutAtNs[slot] = nowNs + rttNs;
    }
    return false;
  }

  override onLoss(slot: number, nowNs: number): void {
    this.resize(slot, this.cwndBytes[slot] * (1 - this.parameters.mostCut));
    this.cutAtNs[slot] = nowNs + this.baseRttNs[slot];
  }

  /** The delay that a flow aims at. */
  targetNs(slot: number): number {
    const { targetNs, scalingNs, payloadBytes } = this.parameters;
    const packets = this.cwndBytes[slot] / payloadBytes;
    const scaled = Math.max(0, Math.min(scalingNs, this.scale / Math.sqrt(packets) + this.offset));
    return this.baseRttNs[slot] + targetNs + scaled;
  }

  private resize(slot: number, bytes: number): void {
    const line = this.lineBps[slot];
    const most = this.windowBytes[slot];
    const rate = Math.floor((Math.min(most, bytes) / most) * line);
    this.rateBps[slot] = Math.max(this.minRateBps, Math.min(line, rate));
    this.cwndBytes[slot] = (most * this.rateBps[slot]) / line;
  }
}
