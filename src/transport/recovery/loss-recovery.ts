/** What a loss recovery may do to a requester. */
export interface Resender {
  /** The oldest PSN without an answer. */
  readonly unackedPsn: number;
  /** Sends again from this PSN on, which may lie in the middle of a request. */
  resendFrom(psn: number): void;
}

/** What a loss recovery may do to a responder that found a gap. */
export interface GapReporter {
  /** The PSN that should have come. */
  readonly expectedPsn: number;
  /** Whether the gap was reported since the last packet in order. */
  readonly gapReported: boolean;
  /** Sends a NAK 'PSN sequence error' for the expected PSN. */
  reportGap(): void;
}

/**
 * What happens when packets are lost. Stateless, shared by all endpoints: the state is the endpoint's.
 *
 * The specification knows go-back-N alone. Selective schemes (IRN, SRNIC) keep packets beyond a gap and resend what is
 * missing; they will extend {@link Resender} and {@link GapReporter}, not replace them.
 */
export interface LossRecovery {
  readonly name: string;
  /** The responder named the PSN that it misses. */
  onSequenceNak(requester: Resender, psn: number): void;
  /** A response came while an earlier READ or atomic has none. */
  onImpliedNak(requester: Resender): void;
  onTimeout(requester: Resender): void;
  /** A request arrived with a PSN beyond the expected one; it is dropped. */
  onGap(responder: GapReporter): void;
}
