import type { CongestionControl } from './congestion-control.js';
import type { DcqcnParameters } from './dcqcn-parameters.js';

const PS_PER_SECOND = 1e12;
const BITS_PER_BYTE = 8;

/**
 * The rate of DCQCN's reaction point. One object may serve one queue pair or, as on ConnectX-5, all queue pairs to a
 * destination, each of which then sends at this rate.
 *
 * There are no timers: what they would have done is caught up with when the rate is next needed.
 */
export class DcqcnRate {
  readonly parameters: DcqcnParameters;
  currentBps: number;
  targetBps: number;
  alpha: number;
  /** Whether the rate is below the line's, so that packets are paced. */
  limited = false;
  /** Timed and counted increases since the last cut. */
  private timerSteps = 0;
  private byteSteps = 0;
  private bytesLeft: number;
  private timerAtPs = 0;
  private alphaAtPs = 0;
  private lastCutPs = Number.NEGATIVE_INFINITY;
  private notified = false;
  private everCut = false;
  private timerSinceCut = false;

  constructor(parameters: DcqcnParameters) {
    this.parameters = parameters;
    this.currentBps = parameters.lineRateBps;
    this.targetBps = parameters.lineRateBps;
    this.alpha = parameters.initialAlpha;
    this.bytesLeft = parameters.byteCounterBytes;
  }

  /** Catches up with the timers. */
  advance(nowPs: number): void {
    if (this.everCut) this.advanceAlpha(nowPs);
    while (this.limited && this.timerAtPs <= nowPs) {
      this.timerAtPs += this.parameters.timerPs;
      this.timerSteps++;
      this.timerSinceCut = true;
      this.increase();
    }
  }

  private advanceAlpha(nowPs: number): void {
    const { alphaIntervalPs, alphaGain } = this.parameters;
    if (nowPs < this.alphaAtPs) return;
    const intervals = Math.floor((nowPs - this.alphaAtPs) / alphaIntervalPs) + 1;
    this.alphaAtPs += intervals * alphaIntervalPs;
    this.alpha *= power(1 - alphaGain, intervals);
    // The notification fell into the first of the intervals; the later ones let its share decay.
    if (this.notified) this.alpha += alphaGain * power(1 - alphaGain, intervals - 1);
    this.notified = false;
  }

  /** Bytes were sent at this rate. */
  sent(bytes: number): void {
    this.bytesLeft -= bytes;
    while (this.limited && this.bytesLeft <= 0) {
      this.bytesLeft += this.parameters.byteCounterBytes;
      this.byteSteps++;
      this.increase();
    }
  }

  /** Fast recovery halves the distance to the target; then the target itself moves up. */
  private increase(): void {
    const { lineRateBps } = this.parameters;
    this.targetBps = this.raisedTarget(this.targetBps, this.timerSteps);
    this.currentBps = (this.currentBps + this.targetBps) / 2;
    // Halving would never arrive: within one part in 2^20 the line's rate is reached.
    if (this.currentBps >= lineRateBps * (1 - 2 ** -20)) this.release();
  }

  private raisedTarget(targetBps: number, timerSteps: number): number {
    const { fastRecoverySteps, lineRateBps, additiveBps, hyperBps } = this.parameters;
    const most = Math.max(timerSteps, this.byteSteps);
    const least = Math.min(timerSteps, this.byteSteps);
    let raised = targetBps;
    if (least > fastRecoverySteps) raised += (least - fastRecoverySteps) * hyperBps;
    else if (most > fastRecoverySteps) raised += additiveBps;
    return Math.min(raised, lineRateBps);
  }

  /**
   * When so many bits that begin to leave at `fromPs` are out, if no notification comes meanwhile. Timed increases on
   * the way count: a packet that was put off at the least rate leaves when the rate has recovered, not after what the
   * least rate would take.
   */
  finishPs(fromPs: number, bits: number): number {
    const { timerPs } = this.parameters;
    let bps = this.currentBps;
    let targetBps = this.targetBps;
    let steps = this.timerSteps;
    let atPs = fromPs;
    let left = bits;
    for (let timerAtPs = this.timerAtPs; ; timerAtPs += timerPs) {
      const donePs = atPs + (left * PS_PER_SECOND) / bps;
      if (donePs <= timerAtPs) return donePs;
      if (timerAtPs > atPs) {
        left -= ((timerAtPs - atPs) * bps) / PS_PER_SECOND;
        atPs = timerAtPs;
      }
      targetBps = this.raisedTarget(targetBps, ++steps);
      bps = (bps + targetBps) / 2;
    }
  }

  private release(): void {
    this.currentBps = this.parameters.lineRateBps;
    this.targetBps = this.parameters.lineRateBps;
    this.limited = false;
  }

  /** A notification arrived. */
  notify(nowPs: number): void {
    const { parameters } = this;
    this.advance(nowPs);
    if (!this.everCut) this.alphaAtPs = nowPs + parameters.alphaIntervalPs;
    this.notified = true;
    if (nowPs - this.lastCutPs < parameters.cutIntervalPs) return;
    this.lastCutPs = nowPs;
    if (parameters.clampTarget || (parameters.clampTargetAfterTimer && this.timerSinceCut)) {
      this.targetBps = this.currentBps;
    }
    this.currentBps = this.cutRate();
    this.limited = true;
    this.everCut = true;
    this.timerSinceCut = false;
    this.timerSteps = 0;
    this.byteSteps = 0;
    this.bytesLeft = parameters.byteCounterBytes;
    this.timerAtPs = nowPs + parameters.timerPs;
  }

  private cutRate(): number {
    const { firstCutBps, cutDivisor, leastShare, minRateBps } = this.parameters;
    if (!this.everCut && firstCutBps > 0) return firstCutBps;
    const share = Math.max(1 - this.alpha / cutDivisor, leastShare);
    return Math.max(this.currentBps * share, minRateBps);
  }
}

/** Paces one endpoint at a {@link DcqcnRate}. */
export class Dcqcn implements CongestionControl {
  readonly name = 'dcqcn';
  nextSendPs = 0;
  readonly windowPackets = Number.POSITIVE_INFINITY;
  readonly rate: DcqcnRate;

  constructor(rate: DcqcnRate) {
    this.rate = rate;
  }

  onSend(bytes: number, nowPs: number): void {
    const { rate } = this;
    if (!rate.limited) {
      this.nextSendPs = 0;
      return;
    }
    rate.advance(nowPs);
    const wireBytes = bytes + rate.parameters.packetOverheadBytes;
    rate.sent(wireBytes);
    this.nextSendPs = Math.ceil(rate.finishPs(Math.max(nowPs, this.nextSendPs), wireBytes * BITS_PER_BYTE));
  }

  onAck(): void {}

  onCnp(nowPs: number): void {
    this.rate.notify(nowPs);
  }

  onLoss(): void {}
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
