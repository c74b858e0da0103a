import { ackTimeoutNs, rnrTimerNs } from '../verbs/base/timers.js';

const PS_PER_NS = 1000;
const CODES = 32;

/** No time at all: a timer that is not set. */
export const NEVER_PS = Number.POSITIVE_INFINITY;

/** The requester's acknowledgement timeout by code, in ps; never for code 0 (9.7.6.1.3). */
export const ACK_TIMEOUT_PS = Float64Array.from(
  { length: CODES },
  (_, code) => ackTimeoutNs(code) * PS_PER_NS,
);

/** The wait that an RNR NAK asks for by code, in ps (9.7.5.2.8). */
export const RNR_DELAY_PS = Float64Array.from({ length: CODES }, (_, code) => rnrTimerNs(code) * PS_PER_NS);
