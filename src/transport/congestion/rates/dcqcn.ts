import type { Feedback } from './feedback.js';
import { type FlowTerms, RateControl, type RateLimits } from './rate-control.js';

/** The constants of DCQCN's reaction point as NICs have it: timers alone, no byte counter. */
export interface TimedDcqcnParameters extends RateLimits {
  /** Time between updates of alpha. */
  readonly alphaIntervalNs: number;
  /** Time between looks whether a notification asks for a cut. */
  readonly decreaseIntervalNs: number;
  /** Time between increases. */
  readonly increaseIntervalNs: number;
  /** Weight of the newest interval in alpha. */
  readonly gain: number;
  /** Increases after a cut that only halve the distance to the target. */
  readonly fastRecoverySteps: number;
  readonly additiveBps: number;
  readonly hyperBps: number;
  /** Every cut sets the target to the present rate, not only the first after an increase. */
  readonly clampTarget: boolean;
  /**
   * A notification cuts at once unless the last cut was less than `decreaseIntervalNs` ago, as the paper has it; unless
   * set it waits for the next tick of that interval, as in ns-3.
   */
  readonly cutsAtOnce?: boolean;
}

const SEEN = 1;
const CUT_WANTED = 2;
const ALPHA_WANTED = 4;

/**
 * DCQCN (Zhu et al., SIGCOMM 2015) in the form of NICs and of HPCC's simulator. The rate matters only when a packet
 * leaves, so there are no timers: their ticks are made up for, in order of time, when the rate is next needed.
 */
export class TimedDcqcn extends RateControl {
  readonly name = 'dcqcn';
  readonly targetBps: Float64Array;
  readonly alpha: Float64Array;
  private readonly stage: Int32Array;
  private readonly flags: Uint8Array;
  private readonly alphaAtNs: Float64Array;
  private readonly decreaseAtNs: Float64Array;
  private readonly increaseAtNs: Float64Array;
  private readonly feedbackHopNs: Float64Array;
  /** With `cutsAtOnce`: when the next notification may cut. */
  private readonly cutAgainNs: Float64Array;
  /** The earliest of the three. */
  private readonly dueNs: Float64Array;
  private readonly parameters: TimedDcqcnParameters;

  constructor(slots: number, parameters: TimedDcqcnParameters) {
    super(slots, parameters);
    this.parameters = parameters;
    this.targetBps = new Float64Array(slots);
    this.alpha = new Float64Array(slots);
    this.stage = new Int32Array(slots);
    this.flags = new Uint8Array(slots);
    this.alphaAtNs = new Float64Array(slots);
    this.decreaseAtNs = new Float64Array(slots);
    this.increaseAtNs = new Float64Array(slots);
    this.feedbackHopNs = new Float64Array(slots);
    this.cutAgainNs = new Float64Array(slots);
    this.dueNs = new Float64Array(slots);
  }

  override open(slot: number, terms: FlowTerms): void {
    super.open(slot, terms);
    this.targetBps[slot] = terms.lineBps;
    this.alpha[slot] = 1;
    this.stage[slot] = 0;
    this.flags[slot] = 0;
    this.alphaAtNs[slot] = Infinity;
    this.decreaseAtNs[slot] = Infinity;
    this.increaseAtNs[slot] = Infinity;
    this.feedbackHopNs[slot] = terms.feedbackHopNs ?? 0;
    this.cutAgainNs[slot] = 0;
    this.dueNs[slot] = Infinity;
  }

  override advance(slot: number, nowNs: number, plannedAgoNs = 0): void {
    if (this.dueNs[slot] <= nowNs) this.catchUp(slot, nowNs, plannedAgoNs);
  }

  onAck(slot: number, { marked, nowNs }: Feedback): boolean {
    if (marked) this.onNotification(slot, nowNs);
    return false;
  }

  /** A congestion notification. The first starts the timers; later ones leave word for the next ticks. */
  override onNotification(slot: number, nowNs: number): void {
    const { parameters } = this;
    if (parameters.cutsAtOnce === true) {
      this.notifyAtOnce(slot, nowNs);
      return;
    }
    const flags = this.flags[slot];
    if ((flags & SEEN) === 0) {
      this.flags[slot] = SEEN | CUT_WANTED;
      this.targetBps[slot] = this.rateBps[slot];
      this.alphaAtNs[slot] = nowNs + parameters.alphaIntervalNs;
      // One later, so that a cut sees the alpha of its time.
      this.decreaseAtNs[slot] = nowNs + parameters.decreaseIntervalNs + 1;
      this.dueNs[slot] = Math.min(this.alphaAtNs[slot], this.decreaseAtNs[slot]);
      return;
    }
    if (this.dueNs[slot] <= nowNs) this.catchUp(slot, nowNs, this.feedbackHopNs[slot]);
    this.flags[slot] |= CUT_WANTED | ALPHA_WANTED;
  }

  private notifyAtOnce(slot: number, nowNs: number): void {
    if (this.dueNs[slot] <= nowNs) this.catchUp(slot, nowNs, 0);
    if ((this.flags[slot] & SEEN) === 0) {
      this.flags[slot] = SEEN;
      this.alphaAtNs[slot] = nowNs + this.parameters.alphaIntervalNs;
    } else {
      this.flags[slot] |= ALPHA_WANTED;
    }
    if (nowNs >= this.cutAgainNs[slot]) {
      this.cut(slot, nowNs);
      this.cutAgainNs[slot] = nowNs + this.parameters.decreaseIntervalNs;
    }
    this.dueNs[slot] = Math.min(this.alphaAtNs[slot], this.increaseAtNs[slot]);
  }

  /**
   * The ticks up to an event, in the order of ns-3: within a nanosecond it runs first what was planned first. That is a
   * tick before an event planned `plannedAgoNs` earlier, if its own interval is no shorter, and the tick of the longer
   * interval before the other. An alpha tick meets no other: they are off by one.
   */
  private catchUp(slot: number, nowNs: number, plannedAgoNs: number): void {
    const { alphaIntervalNs, decreaseIntervalNs, increaseIntervalNs } = this.parameters;
    const alphaUntilNs = alphaIntervalNs < plannedAgoNs ? nowNs - 1 : nowNs;
    const decreaseUntilNs = decreaseIntervalNs < plannedAgoNs ? nowNs - 1 : nowNs;
    const increaseUntilNs = increaseIntervalNs < plannedAgoNs ? nowNs - 1 : nowNs;
    const increaseLead = increaseIntervalNs > decreaseIntervalNs ? 0 : 1;
    for (;;) {
      const alphaAt = this.alphaAtNs[slot];
      const decreaseAt = this.decreaseAtNs[slot];
      const increaseAt = this.increaseAtNs[slot];
      if (increaseAt <= increaseUntilNs && increaseAt + increaseLead <= decreaseAt && increaseAt <= alphaAt)
        this.increase(slot);
      else if (decreaseAt <= decreaseUntilNs && decreaseAt <= alphaAt) this.decrease(slot, decreaseUntilNs);
      else if (alphaAt <= alphaUntilNs) this.updateAlpha(slot);
      else break;
    }
    this.dueNs[slot] = Math.min(this.alphaAtNs[slot], this.decreaseAtNs[slot], this.increaseAtNs[slot]);
  }

  private updateAlpha(slot: number): void {
    const { gain, alphaIntervalNs } = this.parameters;
    const decayed = (1 - gain) * this.alpha[slot];
    this.alpha[slot] = (this.flags[slot] & ALPHA_WANTED) !== 0 ? decayed + gain : decayed;
    this.flags[slot] &= ~ALPHA_WANTED;
    this.alphaAtNs[slot] += alphaIntervalNs;
  }

  private decrease(slot: number, untilNs: number): void {
    const { decreaseIntervalNs } = this.parameters;
    const atNs = this.decreaseAtNs[slot];
    if ((this.flags[slot] & CUT_WANTED) === 0) {
      // Looks at which nothing is wanted are many if the interval is short: the next one is the first after now.
      const missed = Math.floor((untilNs - atNs) / decreaseIntervalNs);
      this.decreaseAtNs[slot] = atNs + (missed + 1) * decreaseIntervalNs;
      return;
    }
    this.decreaseAtNs[slot] = atNs + decreaseIntervalNs;
    this.cut(slot, atNs);
  }

  private cut(slot: number, atNs: number): void {
    const { increaseIntervalNs, clampTarget } = this.parameters;
    const rate = this.rateBps[slot];
    if (clampTarget || this.stage[slot] !== 0) this.targetBps[slot] = rate;
    this.rateBps[slot] = Math.max(this.minRateBps, Math.floor(rate * (1 - this.alpha[slot] / 2)));
    this.stage[slot] = 0;
    this.flags[slot] &= ~CUT_WANTED;
    this.increaseAtNs[slot] = atNs + increaseIntervalNs;
  }

  private increase(slot: number): void {
    const { fastRecoverySteps, additiveBps, hyperBps, increaseIntervalNs } = this.parameters;
    const stage = this.stage[slot];
    if (stage >= fastRecoverySteps) {
      const step = stage === fastRecoverySteps ? additiveBps : hyperBps;
      this.targetBps[slot] = Math.min(this.lineBps[slot], this.targetBps[slot] + step);
    }
    this.rateBps[slot] = Math.floor(this.rateBps[slot] / 2) + Math.floor(this.targetBps[slot] / 2);
    this.stage[slot] = stage + 1;
    this.increaseAtNs[slot] += increaseIntervalNs;
  }
}
