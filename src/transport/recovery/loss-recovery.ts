import type { RetransmissionTiming } from './retransmission-timing.js';

/** What a loss recovery may do to the requester of its queue pair. */
export interface Resender {
  /** The oldest PSN without an answer. */
  readonly unackedPsn: number;
  /** Sends again from this PSN on, which may lie in the middle of a request. */
  resendFrom(psn: number): void;
}

/** What a loss recovery may do to the responder of its queue pair. */
export interface GapReporter {
  /** The PSN that should have come. */
  readonly expectedPsn: number;
  /** Whether the gap was reported since the last packet in order. */
  readonly gapReported: boolean;
  /** Sends a NAK 'PSN sequence error' for the expected PSN. */
  reportGap(): void;
}

/** The half of a loss recovery at the requester of one queue pair: what is sent again, and when. */
export interface RequesterRecovery {
  /** The responder named the PSN that it misses. */
  onSequenceNak(psn: number): void;
  /** A response came while an earlier READ or atomic has none. */
  onImpliedNak(): void;
  onTimeout(): void;
}

/** The half of a loss recovery at the responder of one queue pair: what becomes of packets beyond a gap. */
export interface ResponderRecovery {
  /** A request arrived with a PSN beyond the expected one; it is dropped. */
  onGap(): void;
}

/**
 * What happens when packets are lost: a factory of halves, one of each per queue pair, which hold what state they need.
 * Packets in order do not come here.
 *
 * @example
 * const context = transportContext(packets, wqes, memory, device, { lossRecovery: goBackN });
 */
export interface LossRecovery {
  readonly name: string;
  readonly timing: RetransmissionTiming;
  requester(resender: Resender): RequesterRecovery;
  responder(reporter: GapReporter): ResponderRecovery;
}
