import { KelpieError } from '../../error.js';

/** What devices with go-back-N differ in, beside the specification. */
export interface RetransmissionTiming {
  /**
   * From the arrival of a sequence NAK to the first packet that is sent again. What leaves meanwhile goes beyond the gap.
   */
  readonly nakHandlingPs: number;
  /**
   * Whether a responder reports a gap again when the packets beyond it start over, so that a lost retransmission needs no
   * timer. The specification asks for one report (9.7.5.2.3).
   */
  readonly nakEachRound: boolean;
  /** The wait for an acknowledgement, in ACK timeouts of the queue pair (4.096 us x 2^code). */
  readonly ackTimeoutWaits: number;
  /**
   * The first wait of adaptive retransmission. Each one in vain doubles the next; those that are shorter than the wait
   * above cost no retry. 0: there is none.
   */
  readonly adaptiveBasePs: number;
}

/** What the specification says. */
export const AS_SPECIFIED: RetransmissionTiming = {
  nakHandlingPs: 0,
  nakEachRound: false,
  ackTimeoutWaits: 1,
  adaptiveBasePs: 0,
};

/** Completes and checks a timing. */
export function retransmissionTiming(timing: Partial<RetransmissionTiming>): RetransmissionTiming {
  const complete = { ...AS_SPECIFIED, ...timing };
  const { ackTimeoutWaits } = complete;
  if (!(Number.isInteger(ackTimeoutWaits) && ackTimeoutWaits >= 1))
    throw outOfRange('ackTimeoutWaits', ackTimeoutWaits, 'a whole number from 1');
  for (const field of ['nakHandlingPs', 'adaptiveBasePs'] as const) {
    const given = complete[field];
    if (!(Number.isFinite(given) && given >= 0)) throw outOfRange(field, given, '0 and up');
  }
  return complete;
}

function outOfRange(field: string, given: number, allowed: string): KelpieError {
  const detail = { field, given, allowed };
  return new KelpieError('TRANSPORT_OPTION_OUT_OF_RANGE', 'a retransmission timer cannot be this', detail);
}
