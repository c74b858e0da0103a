import type { AckFacts, CongestionControl } from './congestion-control.js';
import { Feedback } from './rates/feedback.js';
import type { RateControl } from './rates/rate-control.js';

const PS_PER_NS = 1000;
const BITS_PER_BYTE = 8;
/** A time in nanoseconds is a sum of fractions: what is closer than this to a whole picosecond is meant to be it. */
const SLACK_PS = 1e-3;

/** What controls are told with: filled in again and again. */
const feedback = new Feedback();

/** How a flow follows its rate. */
export interface PacedFlowOptions {
  /** Payload of a full packet: what a PSN stands for. */
  readonly mtuBytes: number;
  /** Bytes of headers that count against the rate with every packet. */
  readonly overheadBytes: number;
  /** Whether packets are spaced; without it nothing but the window holds them. */
  readonly paces: boolean;
  /**
   * How much wider than the control's the window is: acknowledgements come for several packets and what devices take
   * differs, while packets are paced anyway. An acknowledgement is asked for several times per window. 0: the window is
   * what the control says, and acknowledgements come when the transport asks for them.
   */
  readonly spare: number;
  /**
   * Whether the round trip without queues is what was measured: the shortest one, where nobody knows the way. Otherwise
   * it is what the control was told.
   */
  readonly measures: boolean;
}

/** How often an acknowledgement is asked for within a window. */
const ACKS_PER_WINDOW = 4;
/** Without a window, as if there were one of this many packets. */
const MOST_WINDOW = 64;

/**
 * An endpoint under a {@link RateControl}: the same controls that light NICs have, for the queue pairs of devices. A PSN
 * counts as a full packet, whatever its length. Endpoints may share a slot: then each sends at its rate.
 *
 * @example
 * const control = new PacedFlow(new Timely(1, parameters), 0, { mtuBytes: 4096, overheadBytes: 62, paces: true });
 */
export class PacedFlow implements CongestionControl {
  readonly name: string;
  nextSendPs = 0;
  windowPackets: number;
  ackPackets = Number.POSITIVE_INFINITY;
  readonly usesRoundTrips: boolean;
  readonly control: RateControl;
  readonly slot: number;
  private readonly options: PacedFlowOptions;
  private readonly onClose: () => void;
  /** Offsets of the next byte and of what is acknowledged. */
  private nextBytes = 0;
  private ackedBytes = 0;
  /** What the last packet took on the wire, and when it was spaced from. */
  private lastBits = 0;
  private lastFromPs = 0;
  private telemetryNs = -1;
  private readonly asksOften: boolean;
  private shortestPs = Number.POSITIVE_INFINITY;

  constructor(control: RateControl, slot: number, options: PacedFlowOptions, onClose: () => void = () => {}) {
    this.name = control.name;
    this.control = control;
    this.slot = slot;
    this.options = options;
    this.onClose = onClose;
    this.usesRoundTrips = control.usesRoundTrips || (options.measures && control.window !== 'none');
    this.asksOften = options.spare > 0 && (control.window !== 'none' || control.usesRoundTrips);
    this.windowPackets = this.openPackets();
    this.resize();
  }

  onSend(bytes: number, nowPs: number, counted: boolean): void {
    const { control, slot, options } = this;
    if (counted) this.nextBytes += options.mtuBytes;
    if (!options.paces) return;
    if (!control.isLimited(slot)) {
      this.nextSendPs = 0;
      return;
    }
    control.advance(slot, nowPs / PS_PER_NS);
    const wireBytes = bytes + options.overheadBytes;
    if (control.countsBytes) control.sent(slot, wireBytes);
    this.lastBits = wireBytes * BITS_PER_BYTE;
    this.lastFromPs = Math.max(nowPs, this.nextSendPs);
    this.space();
  }

  onAck(packets: number, nowPs: number, facts: AckFacts): void {
    const { control, slot, options } = this;
    feedback.nowNs = nowPs / PS_PER_NS;
    feedback.rttNs = facts.roundTripPs / PS_PER_NS;
    if (options.measures && facts.roundTripPs > 0 && facts.roundTripPs < this.shortestPs)
      this.rebase(facts.roundTripPs);
    if (!this.learns(facts)) {
      this.acknowledge(packets * options.mtuBytes);
      return;
    }
    let moved = false;
    if (control.countsPackets) {
      // One by one, the marked ones first.
      for (let index = 0; index < packets; index++) {
        feedback.marked = index < facts.marked;
        this.acknowledge(options.mtuBytes);
        moved = control.onAck(slot, feedback) || moved;
      }
    } else {
      feedback.marked = facts.marked > 0;
      this.acknowledge(packets * options.mtuBytes);
      moved = control.onAck(slot, feedback);
    }
    this.resize();
    if (moved && this.nextSendPs > nowPs) this.space();
  }

  onCnp(nowPs: number): void {
    this.control.onNotification(this.slot, nowPs / PS_PER_NS);
    this.resize();
  }

  onLoss(nowPs: number): void {
    this.control.onLoss(this.slot, nowPs / PS_PER_NS);
    this.resize();
  }

  close(): void {
    this.onClose();
  }

  /** What was sent comes to its end before the next packet leaves, at the present rate. */
  private space(): void {
    const { control, slot, lastBits, lastFromPs } = this;
    const doneNs = control.finishNs(slot, lastFromPs / PS_PER_NS, lastBits);
    this.nextSendPs = Math.ceil(doneNs * PS_PER_NS - SLACK_PS);
  }

  /** Retransmissions and READs: never more is acknowledged than was sent. */
  private acknowledge(bytes: number): void {
    this.ackedBytes += bytes;
    if (this.nextBytes < this.ackedBytes) this.nextBytes = this.ackedBytes;
    feedback.ackedBytes = this.ackedBytes;
    feedback.nextBytes = this.nextBytes;
  }

  /** Whether an acknowledgement says what the control looks at. */
  private learns(facts: AckFacts): boolean {
    const { control } = this;
    if (control.usesRoundTrips) return facts.roundTripPs > 0;
    return control.telemetry === null || this.readTelemetry(facts);
  }

  /** False if there is no telemetry, or none that was not read before. */
  private readTelemetry({ hops, telemetry, telemetryAt }: AckFacts): boolean {
    if (hops === 0 || telemetry[telemetryAt] === this.telemetryNs) return false;
    this.telemetryNs = telemetry[telemetryAt];
    feedback.hops = hops;
    feedback.telemetry = telemetry;
    feedback.telemetryAt = telemetryAt;
    return true;
  }

  private rebase(roundTripPs: number): void {
    const { control, slot } = this;
    this.shortestPs = roundTripPs;
    const baseRttNs = roundTripPs / PS_PER_NS;
    const windowBytes = Math.ceil((control.lineBps[slot] * baseRttNs) / 8e9);
    control.rebase(slot, baseRttNs, windowBytes);
    this.resize();
  }

  private resize(): void {
    this.windowPackets = this.openPackets();
    if (this.asksOften)
      this.ackPackets = Math.max(1, Math.floor(Math.min(this.windowPackets, MOST_WINDOW) / ACKS_PER_WINDOW));
  }

  private openPackets(): number {
    const { mtuBytes, spare } = this.options;
    const openBytes = this.control.openBytes(this.slot) * (spare === 0 ? 1 : spare);
    return Math.max(1, Math.floor(openBytes / mtuBytes));
  }
}
