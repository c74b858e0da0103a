import type { CongestionControl } from './congestion-control.js';
import { Dctcp } from './rates/dctcp.js';
import { Feedback } from './rates/feedback.js';

/** DCTCP as a window of packets. */
export interface DctcpWindowParameters {
  /** Weight of the newest round trip in alpha. */
  readonly gain: number;
  /** The window without congestion, and the first one. */
  readonly windowPackets: number;
  /** Packets by which a round trip without a mark widens it. */
  readonly additivePackets: number;
}

/** A control for one flow has one slot. */
const SLOT = 0;
/** What stands for a packet of window in a rule that cuts rates to whole bits per second. */
const UNIT_BPS = 1e6;

/**
 * DCTCP of one queue pair as a window (SRNIC, NSDI 2023, §5): acknowledgements move it and nothing is paced, so that it
 * needs no timers. The rule is {@link Dctcp}'s, which light NICs have too: a packet stands for a byte, the widest window for
 * the line rate. Nothing but full packets is counted, whatever their length.
 */
export class DctcpWindow implements CongestionControl {
  readonly name = 'dctcp';
  readonly nextSendPs = 0;
  windowPackets: number;
  private readonly widestPackets: number;
  private readonly rule: Dctcp;
  private readonly feedback = new Feedback();

  constructor({ gain, windowPackets, additivePackets }: DctcpWindowParameters) {
    this.windowPackets = windowPackets;
    this.widestPackets = windowPackets;
    const lineBps = windowPackets * UNIT_BPS;
    const additiveBps = additivePackets * UNIT_BPS;
    const limits = { minRateBps: UNIT_BPS, window: 'scaled' } as const;
    this.rule = new Dctcp(1, { ...limits, gain, additiveBps, payloadBytes: 1 });
    this.rule.open(SLOT, { lineBps, windowBytes: windowPackets, baseRttNs: 0 });
  }

  /** The share of packets that came marked, smoothed. */
  get alpha(): number {
    return this.rule.alpha[SLOT];
  }

  onSend(): void {
    this.feedback.nextBytes++;
  }

  /** Packets are told one by one, the marked ones first: an acknowledgement stands for several. */
  onAck(packets: number, _nowPs: number, marked: number): void {
    const { feedback, rule } = this;
    for (let index = 0; index < packets; index++) {
      feedback.ackedBytes++;
      feedback.marked = index < marked;
      // Retransmissions and READs: never more is acknowledged than was sent.
      if (feedback.nextBytes < feedback.ackedBytes) feedback.nextBytes = feedback.ackedBytes;
      rule.onAck(SLOT, feedback);
    }
    const packetsNow = Math.floor(rule.rateBps[SLOT] / UNIT_BPS);
    this.windowPackets = Math.min(this.widestPackets, Math.max(1, packetsNow));
  }

  onCnp(): void {}

  onLoss(): void {}
}
