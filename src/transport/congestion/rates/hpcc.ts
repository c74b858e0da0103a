import {
  type Feedback,
  HOP_BYTES,
  HOP_MBPS,
  HOP_QUEUE,
  HOP_TIME,
  HOP_WORDS,
  type TelemetryFormat,
} from './feedback.js';
import { type FlowTerms, RateControl, type RateLimits } from './rate-control.js';

/** The constants of HPCC. */
export interface HpccParameters extends RateLimits {
  readonly telemetry: TelemetryFormat;
  /** Utilisation that is aimed at. */
  readonly targetUtilisation: number;
  readonly additiveBps: number;
  /** Additive increases in a row before the next is multiplicative; with 0 every update is. */
  readonly additiveSteps: number;
  /** Whether acknowledgements within a round trip move the sending rate too. */
  readonly fastReact: boolean;
  /** A rate per hop, of which the least counts, rather than one from the most loaded hop. */
  readonly ratePerHop: boolean;
  /** Within a round trip, hops without a queue are not looked at. */
  readonly skipEmptyQueues: boolean;
}

/**
 * HPCC (Li et al., SIGCOMM 2019): in-band telemetry of every hop gives the utilisation, and the rate follows it. The
 * reference rate moves once per round trip; acknowledgements in between only move the sending rate.
 */
export class Hpcc extends RateControl {
  readonly name = 'hpcc';
  override readonly telemetry: TelemetryFormat;
  readonly utilisation: Float64Array;
  private readonly referenceBps: Float64Array;
  private readonly stage: Int32Array;
  private readonly roundEndBytes: Float64Array;
  /** The last telemetry of each hop. */
  private readonly seen: Int32Array;
  private readonly hopUtilisation: Float64Array;
  private readonly hopReferenceBps: Float64Array;
  private readonly hopStage: Int32Array;
  private readonly nextHopBps: Float64Array;
  private readonly looked: Uint8Array;
  private readonly parameters: HpccParameters;
  private readonly maxHops: number;

  constructor(slots: number, parameters: HpccParameters) {
    super(slots, parameters);
    this.parameters = parameters;
    this.telemetry = parameters.telemetry;
    this.maxHops = parameters.telemetry.maxHops;
    this.utilisation = new Float64Array(slots);
    this.referenceBps = new Float64Array(slots);
    this.stage = new Int32Array(slots);
    this.roundEndBytes = new Float64Array(slots);
    this.seen = new Int32Array(slots * this.maxHops * HOP_WORDS);
    const hops = parameters.ratePerHop ? slots * this.maxHops : 0;
    this.hopUtilisation = new Float64Array(hops);
    this.hopReferenceBps = new Float64Array(hops);
    this.hopStage = new Int32Array(hops);
    this.nextHopBps = new Float64Array(this.maxHops);
    this.looked = new Uint8Array(this.maxHops);
  }

  override open(slot: number, terms: FlowTerms): void {
    super.open(slot, terms);
    this.utilisation[slot] = 1;
    this.referenceBps[slot] = terms.lineBps;
    this.stage[slot] = 0;
    this.roundEndBytes[slot] = 0;
    if (!this.parameters.ratePerHop) return;
    const from = slot * this.maxHops;
    this.hopUtilisation.fill(1, from, from + this.maxHops);
    this.hopReferenceBps.fill(terms.lineBps, from, from + this.maxHops);
    this.hopStage.fill(0, from, from + this.maxHops);
  }

  onAck(slot: number, feedback: Feedback): boolean {
    const roundEnd = this.roundEndBytes[slot];
    const full = feedback.ackedBytes > roundEnd;
    if (!full && !this.parameters.fastReact) return false;
    if (roundEnd === 0) {
      this.roundEndBytes[slot] = feedback.nextBytes;
      this.remember(slot, feedback);
      return false;
    }
    const moved =
      feedback.hops > this.maxHops
        ? false
        : this.parameters.ratePerHop
          ? this.updatePerHop(slot, feedback, full)
          : this.update(slot, feedback, full);
    if (full && feedback.nextBytes > roundEnd) this.roundEndBytes[slot] = feedback.nextBytes;
    return moved;
  }

  private remember(slot: number, { hops, telemetry, telemetryAt }: Feedback): void {
    const from = slot * this.maxHops * HOP_WORDS;
    const words = Math.min(hops, this.maxHops) * HOP_WORDS;
    for (let word = 0; word < words; word++) this.seen[from + word] = telemetry[telemetryAt + word];
  }

  /** One rate, from the most loaded hop. */
  private update(slot: number, feedback: Feedback, full: boolean): boolean {
    const { skipEmptyQueues, targetUtilisation, additiveSteps } = this.parameters;
    const { hops, telemetry, telemetryAt } = feedback;
    let most = 0;
    let mostNs = 0;
    let looked = false;
    for (let hop = 0; hop < hops; hop++) {
      if (skipEmptyQueues && !full && telemetry[telemetryAt + hop * HOP_WORDS + HOP_QUEUE] === 0) continue;
      looked = true;
      const elapsedNs = this.elapsedNs(slot, hop, feedback);
      const utilisation = this.utilisationOf(slot, hop, elapsedNs, feedback);
      if (utilisation > most) {
        most = utilisation;
        mostNs = elapsedNs;
      }
    }
    if (!looked) return false;
    const baseRttNs = this.baseRttNs[slot];
    const weightNs = mostNs > baseRttNs ? baseRttNs : mostNs;
    this.utilisation[slot] = (this.utilisation[slot] * (baseRttNs - weightNs) + most * weightNs) / baseRttNs;
    const excess = this.utilisation[slot] / targetUtilisation;
    const multiplies = excess >= 1 || this.stage[slot] >= additiveSteps;
    const next = this.nextRate(slot, this.referenceBps[slot], multiplies, excess);
    this.rateBps[slot] = next;
    if (full) {
      this.referenceBps[slot] = next;
      this.stage[slot] = multiplies ? 0 : this.stage[slot] + 1;
    }
    return true;
  }

  /** A rate per hop, of which the least counts. */
  private updatePerHop(slot: number, feedback: Feedback, full: boolean): boolean {
    const { skipEmptyQueues, targetUtilisation, additiveSteps } = this.parameters;
    const { hops, telemetry, telemetryAt } = feedback;
    const { hopUtilisation, hopReferenceBps, hopStage, nextHopBps, looked } = this;
    const baseRttNs = this.baseRttNs[slot];
    let least = this.lineBps[slot];
    let any = false;
    for (let hop = 0; hop < hops; hop++) {
      const at = slot * this.maxHops + hop;
      if (skipEmptyQueues && !full && telemetry[telemetryAt + hop * HOP_WORDS + HOP_QUEUE] === 0) {
        looked[hop] = 0;
        if (hopReferenceBps[at] < least) least = hopReferenceBps[at];
        continue;
      }
      looked[hop] = 1;
      any = true;
      const elapsedNs = this.elapsedNs(slot, hop, feedback);
      const utilisation = this.utilisationOf(slot, hop, elapsedNs, feedback);
      const weightNs = elapsedNs > baseRttNs ? baseRttNs : elapsedNs;
      hopUtilisation[at] = (hopUtilisation[at] * (baseRttNs - weightNs) + utilisation * weightNs) / baseRttNs;
      const excess = hopUtilisation[at] / targetUtilisation;
      const multiplies = excess >= 1 || hopStage[at] >= additiveSteps;
      nextHopBps[hop] = this.nextRate(slot, hopReferenceBps[at], multiplies, excess);
      if (nextHopBps[hop] < least) least = nextHopBps[hop];
      if (full) hopStage[at] = multiplies ? 0 : hopStage[at] + 1;
    }
    if (!any) return false;
    this.rateBps[slot] = least;
    if (full)
      for (let hop = 0; hop < hops; hop++)
        if (looked[hop] === 1) hopReferenceBps[slot * this.maxHops + hop] = nextHopBps[hop];
    return true;
  }

  private nextRate(slot: number, referenceBps: number, multiplies: boolean, excess: number): number {
    const base = multiplies ? Math.floor(referenceBps / excess) : referenceBps;
    const next = base + this.parameters.additiveBps;
    if (next < this.minRateBps) return this.minRateBps;
    const line = this.lineBps[slot];
    // What is no number, of an endless load, is no limit.
    return next <= line ? next : line;
  }

  private elapsedNs(slot: number, hop: number, { telemetry, telemetryAt }: Feedback): number {
    const now = telemetry[telemetryAt + hop * HOP_WORDS + HOP_TIME];
    const before = this.seen[(slot * this.maxHops + hop) * HOP_WORDS + HOP_TIME];
    return now >= before ? now - before : now + 2 ** this.parameters.telemetry.timeBits - before;
  }

  /** Load of a hop since the last telemetry: what it sent and what waits, in shares of its rate. Stores the telemetry. */
  private utilisationOf(
    slot: number,
    hop: number,
    elapsedNs: number,
    { telemetry, telemetryAt }: Feedback,
  ): number {
    const { byteUnit, byteBits, queueUnit } = this.parameters.telemetry;
    const { seen } = this;
    const now = telemetryAt + hop * HOP_WORDS;
    const before = (slot * this.maxHops + hop) * HOP_WORDS;
    let sent = telemetry[now + HOP_BYTES] - seen[before + HOP_BYTES];
    if (sent < 0) sent += 2 ** byteBits;
    const queue = Math.min(telemetry[now + HOP_QUEUE], seen[before + HOP_QUEUE]) * queueUnit;
    const hopBps = telemetry[now + HOP_MBPS] * 1e6;
    const sentBps = (sent * byteUnit * 8) / (elapsedNs * 1e-9);
    for (let word = 0; word < HOP_WORDS; word++) seen[before + word] = telemetry[now + word];
    // Without a window it is 0: a queue is then endless load, and no queue is no measurement at all, as in ns-3.
    const window = this.window === 'none' ? 0 : this.windowBytes[slot];
    return sentBps / hopBps + (queue * this.lineBps[slot]) / hopBps / window;
  }
}
