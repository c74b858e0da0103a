import type { Feedback } from './feedback.js';
import { type FlowTerms, RateControl, type RateLimits } from './rate-control.js';

/** The constants of DCTCP as a rate control. */
export interface DctcpParameters extends RateLimits {
  /** Weight of the newest round trip in alpha. */
  readonly gain: number;
  /** Step of the rate per round trip without a mark. */
  readonly additiveBps: number;
  /** Payload of a full packet: marks are counted in packets. */
  readonly payloadBytes: number;
}

const MOST_PACKETS = 2 ** 31 - 1;

/** DCTCP (Alizadeh et al., SIGCOMM 2010) on rates: the share of marked packets per round trip decides the cut. */
export class Dctcp extends RateControl {
  readonly name = 'dctcp';
  override readonly countsPackets = true;
  readonly alpha: Float64Array;
  private readonly marks: Int32Array;
  private readonly batchPackets: Int32Array;
  private readonly roundEndBytes: Float64Array;
  /** Until this offset is acknowledged no further cut is made; -1 when none is pending. */
  private readonly cutUntilBytes: Float64Array;
  private readonly parameters: DctcpParameters;

  constructor(slots: number, parameters: DctcpParameters) {
    super(slots, parameters);
    this.parameters = parameters;
    this.alpha = new Float64Array(slots);
    this.marks = new Int32Array(slots);
    this.batchPackets = new Int32Array(slots);
    this.roundEndBytes = new Float64Array(slots);
    this.cutUntilBytes = new Float64Array(slots);
  }

  override open(slot: number, terms: FlowTerms): void {
    super.open(slot, terms);
    this.alpha[slot] = 1;
    this.marks[slot] = 0;
    this.batchPackets[slot] = 0;
    this.roundEndBytes[slot] = 0;
    this.cutUntilBytes[slot] = -1;
  }

  onAck(slot: number, feedback: Feedback): boolean {
    const { ackedBytes, nextBytes, marked } = feedback;
    if (marked) this.marks[slot]++;
    const newRound = ackedBytes > this.roundEndBytes[slot];
    if (newRound) this.endRound(slot, ackedBytes, nextBytes);
    if (this.cutUntilBytes[slot] >= 0 && ackedBytes > this.cutUntilBytes[slot]) this.cutUntilBytes[slot] = -1;
    if (marked && this.cutUntilBytes[slot] < 0) {
      this.rateBps[slot] = Math.max(
        this.minRateBps,
        Math.floor(this.rateBps[slot] * (1 - this.alpha[slot] / 2)),
      );
      this.cutUntilBytes[slot] = nextBytes;
    }
    if (newRound && this.cutUntilBytes[slot] < 0)
      this.rateBps[slot] = Math.min(this.lineBps[slot], this.rateBps[slot] + this.parameters.additiveBps);
    return false;
  }

  private endRound(slot: number, ackedBytes: number, nextBytes: number): void {
    const { gain, payloadBytes } = this.parameters;
    if (this.roundEndBytes[slot] === 0) {
      this.batchPackets[slot] = Math.floor(nextBytes / payloadBytes) + 1;
    } else {
      const share = Math.min(1, this.marks[slot] / this.batchPackets[slot]);
      this.alpha[slot] = (1 - gain) * this.alpha[slot] + gain * share;
      this.marks[slot] = 0;
      // Without a sign, as in ns-3: a sender that went back and is told of what came out of order has sent less than that.
      const inFlight = nextBytes - ackedBytes;
      this.batchPackets[slot] = inFlight < 0 ? MOST_PACKETS : Math.floor(inFlight / payloadBytes) + 1;
    }
    this.roundEndBytes[slot] = nextBytes;
  }
}
