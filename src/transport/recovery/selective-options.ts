import { KelpieError } from '../../error.js';
import { PSN_WINDOW } from '../packet/psn.js';

/** What a device chooses about selective repeat. */
export interface SelectiveOptions {
  /** PSNs from the oldest unacknowledged one on that may be sent, and that a responder keeps: a BDP (IRN's BDP-FC). */
  readonly windowPackets: number;
  /** The timeout with no more than `fewPackets` in flight, and with more (IRN's RTO_low and RTO_high). */
  readonly timeoutLowPs: number;
  readonly timeoutHighPs: number;
  readonly fewPackets: number;
}

/** IRN's own values for 40 Gb/s and 24 us (SIGCOMM 2018, §4.1), the window rounded to a BDP of 110 packets. */
export const IRN_DEFAULTS: SelectiveOptions = {
  windowPackets: 110,
  timeoutLowPs: 100e6,
  timeoutHighPs: 320e6,
  fewPackets: 3,
};

/** Completes and checks options. */
export function selectiveOptions(options: Partial<SelectiveOptions>): SelectiveOptions {
  const complete = { ...IRN_DEFAULTS, ...options };
  require('windowPackets', complete.windowPackets, 1, PSN_WINDOW / 2, true);
  require('fewPackets', complete.fewPackets, 0, PSN_WINDOW, true);
  require('timeoutLowPs', complete.timeoutLowPs, 1, complete.timeoutHighPs, false);
  require('timeoutHighPs', complete.timeoutHighPs, complete.timeoutLowPs, 1e15, false);
  return complete;
}

function require(field: string, given: number, min: number, max: number, integer: boolean): void {
  if (given >= min && given <= max && (!integer || Number.isInteger(given))) return;
  throw new KelpieError('TRANSPORT_OPTION_OUT_OF_RANGE', 'loss recovery cannot work with this', {
    field,
    given,
    allowed: `${integer ? 'a whole number from ' : ''}${min} to ${max}`,
  });
}
