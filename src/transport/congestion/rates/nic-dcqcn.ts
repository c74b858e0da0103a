import type { NicDcqcnParameters } from './nic-dcqcn-parameters.js';
import { type FlowTerms, RateControl } from './rate-control.js';

const NS_PER_SECOND = 1e9;

const LIMITED = 1;
const NOTIFIED = 2;
const EVER_CUT = 4;
const TIMER_SINCE_CUT = 8;

/**
 * DCQCN's reaction point as NICs have it (Zhu et al., SIGCOMM 2015, with the registers of mlx5): a timer and a byte
 * counter, and cuts as soon as notifications come. A slot may serve one queue pair or, as on ConnectX-5, all queue pairs
 * to a destination, each of which then sends at this rate.
 *
 * There are no timers: what they would have done is caught up with when the rate is next needed.
 */
export class NicDcqcn extends RateControl {
  readonly name = 'dcqcn-nic';
  override readonly countsBytes = true;
  readonly parameters: NicDcqcnParameters;
  readonly targetBps: Float64Array;
  readonly alpha: Float64Array;
  private readonly flags: Uint8Array;
  /** Timed and counted increases since the last cut. */
  private readonly timerSteps: Int32Array;
  private readonly byteSteps: Int32Array;
  private readonly bytesLeft: Float64Array;
  private readonly timerAtNs: Float64Array;
  private readonly alphaAtNs: Float64Array;
  private readonly lastCutNs: Float64Array;

  constructor(slots: number, parameters: NicDcqcnParameters) {
    super(slots, parameters);
    this.parameters = parameters;
    this.targetBps = new Float64Array(slots);
    this.alpha = new Float64Array(slots);
    this.flags = new Uint8Array(slots);
    this.timerSteps = new Int32Array(slots);
    this.byteSteps = new Int32Array(slots);
    this.bytesLeft = new Float64Array(slots);
    this.timerAtNs = new Float64Array(slots);
    this.alphaAtNs = new Float64Array(slots);
    this.lastCutNs = new Float64Array(slots);
  }

  override open(slot: number, terms: FlowTerms): void {
    super.open(slot, terms);
    this.targetBps[slot] = terms.lineBps;
    this.alpha[slot] = this.parameters.initialAlpha;
    this.flags[slot] = 0;
    this.timerSteps[slot] = 0;
    this.byteSteps[slot] = 0;
    this.bytesLeft[slot] = this.parameters.byteCounterBytes;
    this.timerAtNs[slot] = 0;
    this.alphaAtNs[slot] = 0;
    this.lastCutNs[slot] = Number.NEGATIVE_INFINITY;
  }

  override isLimited(slot: number): boolean {
    return (this.flags[slot] & LIMITED) !== 0;
  }

  override advance(slot: number, nowNs: number): void {
    if ((this.flags[slot] & EVER_CUT) !== 0) this.advanceAlpha(slot, nowNs);
    while (this.isLimited(slot) && this.timerAtNs[slot] <= nowNs) {
      this.timerAtNs[slot] += this.parameters.timerNs;
      this.timerSteps[slot]++;
      this.flags[slot] |= TIMER_SINCE_CUT;
      this.increase(slot);
    }
  }

  /** Light NICs have the notification in the acknowledgement. */
  onAck(slot: number, { marked, nowNs }: { marked: boolean; nowNs: number }): boolean {
    if (marked) this.onNotification(slot, nowNs);
    return false;
  }

  private advanceAlpha(slot: number, nowNs: number): void {
    const { alphaIntervalNs, alphaGain } = this.parameters;
    if (nowNs < this.alphaAtNs[slot]) return;
    const intervals = Math.floor((nowNs - this.alphaAtNs[slot]) / alphaIntervalNs) + 1;
    this.alphaAtNs[slot] += intervals * alphaIntervalNs;
    this.alpha[slot] *= power(1 - alphaGain, intervals);
    // The notification fell into the first of the intervals; the later ones let its share decay.
    if ((this.flags[slot] & NOTIFIED) !== 0)
      this.alpha[slot] += alphaGain * power(1 - alphaGain, intervals - 1);
    this.flags[slot] &= ~NOTIFIED;
  }

  override sent(slot: number, bytes: number): void {
    this.bytesLeft[slot] -= bytes;
    while (this.isLimited(slot) && this.bytesLeft[slot] <= 0) {
      this.bytesLeft[slot] += this.parameters.byteCounterBytes;
      this.byteSteps[slot]++;
      this.increase(slot);
    }
  }

  /** Fast recovery halves the distance to the target; then the target itself moves up. */
  private increase(slot: number): void {
    const lineBps = this.lineBps[slot];
    this.targetBps[slot] = this.raisedTarget(slot, this.targetBps[slot], this.timerSteps[slot]);
    this.rateBps[slot] = (this.rateBps[slot] + this.targetBps[slot]) / 2;
    // Halving would never arrive: within one part in 2^20 the line's rate is reached.
    if (this.rateBps[slot] >= lineBps * (1 - 2 ** -20)) this.release(slot);
  }

  private raisedTarget(slot: number, targetBps: number, timerSteps: number): number {
    const { fastRecoverySteps, additiveBps, hyperBps } = this.parameters;
    const byteSteps = this.byteSteps[slot];
    const most = Math.max(timerSteps, byteSteps);
    const least = Math.min(timerSteps, byteSteps);
    let raised = targetBps;
    if (least > fastRecoverySteps) raised += (least - fastRecoverySteps) * hyperBps;
    else if (most > fastRecoverySteps) raised += additiveBps;
    return Math.min(raised, this.lineBps[slot]);
  }

  /**
   * Timed increases on the way count: a packet that was put off at the least rate leaves when the rate has recovered,
   * not after what the least rate would take.
   */
  override finishNs(slot: number, fromNs: number, bits: number): number {
    const { timerNs } = this.parameters;
    let bps = this.rateBps[slot];
    let targetBps = this.targetBps[slot];
    let steps = this.timerSteps[slot];
    let atNs = fromNs;
    let left = bits;
    for (let timerAtNs = this.timerAtNs[slot]; ; timerAtNs += timerNs) {
      const doneNs = atNs + (left * NS_PER_SECOND) / bps;
      if (doneNs <= timerAtNs) return doneNs;
      if (timerAtNs > atNs) {
        left -= ((timerAtNs - atNs) * bps) / NS_PER_SECOND;
        atNs = timerAtNs;
      }
      targetBps = this.raisedTarget(slot, targetBps, ++steps);
      bps = (bps + targetBps) / 2;
    }
  }

  private release(slot: number): void {
    this.rateBps[slot] = this.lineBps[slot];
    this.targetBps[slot] = this.lineBps[slot];
    this.flags[slot] &= ~LIMITED;
  }

  override onNotification(slot: number, nowNs: number): void {
    const { parameters } = this;
    this.advance(slot, nowNs);
    const flags = this.flags[slot];
    if ((flags & EVER_CUT) === 0) this.alphaAtNs[slot] = nowNs + parameters.alphaIntervalNs;
    this.flags[slot] |= NOTIFIED;
    if (nowNs - this.lastCutNs[slot] < parameters.cutIntervalNs) return;
    this.lastCutNs[slot] = nowNs;
    const timed = (flags & TIMER_SINCE_CUT) !== 0;
    if (parameters.clampTarget || (parameters.clampTargetAfterTimer && timed))
      this.targetBps[slot] = this.rateBps[slot];
    this.rateBps[slot] = this.cutRate(slot);
    this.flags[slot] = LIMITED | EVER_CUT | NOTIFIED;
    this.timerSteps[slot] = 0;
    this.byteSteps[slot] = 0;
    this.bytesLeft[slot] = parameters.byteCounterBytes;
    this.timerAtNs[slot] = nowNs + parameters.timerNs;
  }

  private cutRate(slot: number): number {
    const { firstCutBps, cutDivisor, leastShare, minRateBps } = this.parameters;
    if ((this.flags[slot] & EVER_CUT) === 0 && firstCutBps > 0) return firstCutBps;
    const share = Math.max(1 - this.alpha[slot] / cutDivisor, leastShare);
    return Math.max(this.rateBps[slot] * share, minRateBps);
  }
}

/** An integer power by multiplications alone: `**` may differ in its last bit from engine to engine. */
function power(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}
