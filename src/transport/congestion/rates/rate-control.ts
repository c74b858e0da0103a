import type { Feedback, TelemetryFormat } from './feedback.js';

/** How a window bounds the bytes in flight: not at all, as given, or scaled by the present share of the line rate. */
export type WindowMode = 'none' | 'fixed' | 'scaled';

/** What every control has. */
export interface RateLimits {
  readonly minRateBps: number;
  readonly window: WindowMode;
}

/** What a control knows about a flow when it starts. */
export interface FlowTerms {
  readonly lineBps: number;
  readonly windowBytes: number;
  readonly baseRttNs: number;
  /**
   * How long an acknowledgement takes from the last switch: events of its nanosecond that were planned later come after
   * it, as in ns-3. 0 unless set: all come before.
   */
  readonly feedbackHopNs?: number;
}

/**
 * Congestion control of a set of flows: a slot per flow, columns of numbers, nothing allocated per packet. A light NIC
 * uses one for all flows of a fabric; a device uses a slot per queue pair.
 *
 * Rates are whole bits per second: each operation cuts its result, as ns-3 does.
 *
 * @example
 * const control = new Dctcp(flows, parameters);
 * control.open(slot, { lineBps: 100e9, windowBytes: 104_000, baseRttNs: 8320 });
 * control.onAck(slot, feedback);
 * control.advance(slot, nowNs);
 * const gapNs = (bytes * 8e9) / control.rateBps[slot];
 */
export abstract class RateControl {
  abstract readonly name: string;
  /** The rate of each flow as of the last `advance` or `onAck`. */
  readonly rateBps: Float64Array;
  readonly lineBps: Float64Array;
  readonly windowBytes: Float64Array;
  readonly baseRttNs: Float64Array;
  protected readonly minRateBps: number;
  readonly window: WindowMode;
  /** Whether acknowledgements of several packets are to be told packet by packet: marks are counted. */
  readonly countsPackets: boolean = false;
  /** Whether bytes are to be told as they leave. */
  readonly countsBytes: boolean = false;
  /** Whether acknowledgements must say how long their packets were under way. */
  readonly usesRoundTrips: boolean = false;
  /** How packets carry the telemetry that it needs; null: it needs none. */
  readonly telemetry: TelemetryFormat | null = null;

  constructor(slots: number, limits: RateLimits) {
    this.rateBps = new Float64Array(slots);
    this.lineBps = new Float64Array(slots);
    this.windowBytes = new Float64Array(slots);
    this.baseRttNs = new Float64Array(slots);
    this.minRateBps = limits.minRateBps;
    this.window = limits.window;
  }

  /** A flow starts, at line rate. */
  open(slot: number, terms: FlowTerms): void {
    this.rateBps[slot] = terms.lineBps;
    this.lineBps[slot] = terms.lineBps;
    this.windowBytes[slot] = terms.windowBytes;
    this.baseRttNs[slot] = terms.baseRttNs;
  }

  /** The round trip without queues turned out to be another, and with it the window. */
  rebase(slot: number, baseRttNs: number, windowBytes: number): void {
    this.baseRttNs[slot] = baseRttNs;
    this.windowBytes[slot] = windowBytes;
  }

  /**
   * Catches up with timers, so that `rateBps` holds now. Of those of this very nanosecond, ones that were planned later
   * than the event that asks, `plannedAgoNs` earlier, are still to come; 0 unless given: none is.
   */
  advance(_slot: number, _nowNs: number, _plannedAgoNs = 0): void {}

  /** Whether the flow sends below the line rate, as of the last `advance`, so that its packets must be paced. */
  isLimited(slot: number): boolean {
    return this.rateBps[slot] < this.lineBps[slot];
  }

  /** This many bytes left; only asked for by controls that count them. */
  sent(_slot: number, _bytes: number): void {}

  /** When this many bits that begin to leave at `fromNs` are out, if nothing is heard meanwhile. */
  finishNs(slot: number, fromNs: number, bits: number): number {
    return fromNs + (bits * 1e9) / this.rateBps[slot];
  }

  /** A congestion notification arrived by itself (RoCEv2's CNP). */
  onNotification(_slot: number, _nowNs: number): void {}

  /**
   * An acknowledgement arrived. True if the flow's next departure is to be moved to what the new rate would have made
   * of it; otherwise a new rate holds from the next packet on.
   */
  abstract onAck(slot: number, feedback: Feedback): boolean;

  /** A packet was lost: a timeout, or the receiver asked for it again. */
  onLoss(_slot: number, _nowNs: number): void {}

  /** Whether this many bytes in flight leave no room for another packet. */
  isFull(slot: number, inFlightBytes: number): boolean {
    const limit = this.windowBytes[slot];
    if (limit === 0 || this.window === 'none') return false;
    if (this.window === 'fixed') return inFlightBytes >= limit;
    return inFlightBytes >= this.scaledBytes(slot, limit);
  }

  /** Bytes that may be in flight now; infinity if nothing bounds them. */
  openBytes(slot: number): number {
    const limit = this.windowBytes[slot];
    if (limit === 0 || this.window === 'none') return Number.POSITIVE_INFINITY;
    return this.window === 'fixed' ? limit : this.scaledBytes(slot, limit);
  }

  private scaledBytes(slot: number, limit: number): number {
    const scaled = Math.floor((limit * this.rateBps[slot]) / this.lineBps[slot]);
    return scaled < 1 ? 1 : scaled;
  }
}
