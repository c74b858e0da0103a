import { type ConstantTable, flag, real, type Values, whole } from '../constant.js';
import type { DeviceConstants } from './device-constants.js';

/** How a device with go-back-N sends lost packets of a reliable connection again. */
export const goBackNConstants = {
  nakHandlingNs: real(
    'Retransmission',
    'ns',
    [0, 1e9],
    'From a sequence NAK at the requester to the first packet sent again; what leaves meanwhile goes beyond the gap.',
    '0: at once',
  ),
  nakEachRound: flag(
    'Retransmission',
    'A responder reports a gap again when the packets beyond it start over.',
    'once per gap, and a lost retransmission waits for a timer',
  ),
  ackTimeoutWaits: whole(
    'Retransmission',
    'timeouts',
    [1, 4],
    'Wait for an acknowledgement before a retry is spent, in ACK timeouts.',
  ),
  adaptiveRetransmissionUs: real(
    'Retransmission',
    'us',
    [0, 1e7],
    'First wait of adaptive retransmission; each one in vain doubles the next, up to the wait that costs a retry.',
    '0: none',
  ),
} satisfies ConstantTable;

/** The numbers that go-back-N reads. */
export type GoBackNConstants = DeviceConstants & Values<typeof goBackNConstants>;
