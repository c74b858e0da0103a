import type { RetransmissionTiming } from './retransmission-timing.js';
import type { SelectiveRequester, SelectiveResender } from './selective-requester.js';
import type { EarlyArrivals, EarlyKeeper } from './selective-responder.js';

/** What a loss recovery may do to the requester of its queue pair. */
export interface Resender {
  /** The oldest PSN without an answer. */
  readonly unackedPsn: number;
  /** Sends again from this PSN on, which may lie in the middle of a request. */
  resendFrom(psn: number): void;
  /** Forgets what was answered of the oldest request and sends it again from its first packet. */
  restartOldest(): void;
}

/** What a loss recovery may do to the responder of its queue pair. */
export interface GapReporter {
  /** The PSN that should have come. */
  readonly expectedPsn: number;
  /** Whether the gap was reported since the last packet in order. */
  readonly gapReported: boolean;
  /** Sends a NAK 'PSN sequence error' for the expected PSN. */
  reportGap(): void;
  /** Forgets what has arrived of the SEND or WRITE that is open, if one is: its first packet is expected again. */
  restartMessage(): void;
}

/** The half of a loss recovery at the requester of one queue pair: what is sent again, and when. */
export interface RequesterRecovery {
  /** The responder named the PSN that it misses and, where it says so, the one that came instead. */
  onSequenceNak(psn: number, sackPsn: number, nowPs: number): void;
  /** A response came while an earlier READ or atomic has none. */
  onImpliedNak(): void;
  onTimeout(nowPs: number): void;
}

/** The half of a loss recovery at the responder of one queue pair: what becomes of packets beyond a gap. */
export interface ResponderRecovery {
  /** A request arrived with a PSN beyond the expected one; it is dropped. */
  onGap(): void;
}

/** What every loss recovery says about itself. */
interface Named {
  readonly name: string;
}

/** A recovery whose responder drops what comes out of order. */
export interface InOrderRecovery extends Named {
  readonly selective: false;
  /** Messages are acknowledged as a whole, never in the middle. */
  readonly wholeMessages: boolean;
  readonly timing: RetransmissionTiming;
  requester(resender: Resender): RequesterRecovery;
  responder(reporter: GapReporter): ResponderRecovery;
}

/**
 * A recovery whose responder keeps what comes out of order. Packets of SENDs and WRITEs then say where they belong: a
 * WRITE its own address, a SEND the number of its receive and the packets of its message before it.
 */
export interface SelectiveRecovery extends Named {
  readonly selective: true;
  readonly windowPackets: number;
  requester(resender: SelectiveResender): SelectiveRequester;
  responder(keeper: EarlyKeeper): EarlyArrivals;
}

/**
 * What happens when packets are lost: a factory of halves, one of each per queue pair, which hold what state they need.
 * Packets in order do not come here.
 *
 * @example
 * const context = transportContext(packets, wqes, memory, device, { lossRecovery: goBackN });
 */
export type LossRecovery = InOrderRecovery | SelectiveRecovery;
