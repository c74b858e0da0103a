import { KelpieError } from '../error.js';
import { PSN_WINDOW } from './packet/psn.js';
import { goBackN } from './recovery/go-back-n.js';
import type { LossRecovery } from './recovery/loss-recovery.js';

/** Choices that the specification leaves to an implementation. */
export interface TransportOptions {
  /** RC: an acknowledgement is asked for at least once per this many packets, and at the end of every message. */
  readonly ackRequestInterval: number;
  /** RC: PSNs that may be unacknowledged; READ responses count. */
  readonly maxOutstandingPackets: number;
  /** RC: whether acknowledgements carry receive credits; without, they say 'unlimited' (code 31). */
  readonly endToEndCredits: boolean;
  /** RC: whether acknowledgements say how many packets arrived marked 'congestion experienced'. */
  readonly echoMarks: boolean;
  readonly lossRecovery: LossRecovery;
}

/** The defaults: no window, an acknowledgement every 64 packets, no credits, go-back-N. */
export const DEFAULT_TRANSPORT_OPTIONS: TransportOptions = {
  ackRequestInterval: 64,
  maxOutstandingPackets: PSN_WINDOW,
  endToEndCredits: false,
  echoMarks: false,
  lossRecovery: goBackN,
};

/** Completes and checks options. */
export function transportOptions(options: Partial<TransportOptions> = {}): TransportOptions {
  const complete = { ...DEFAULT_TRANSPORT_OPTIONS, ...options };
  requireCount('ackRequestInterval', complete.ackRequestInterval);
  requireCount('maxOutstandingPackets', complete.maxOutstandingPackets);
  return complete;
}

function requireCount(field: string, given: number): void {
  if (Number.isInteger(given) && given >= 1 && given <= PSN_WINDOW) return;
  throw new KelpieError('TRANSPORT_OPTION_OUT_OF_RANGE', 'the option is not a count of packets', {
    field,
    given,
    allowed: `1 to ${PSN_WINDOW}`,
  });
}
