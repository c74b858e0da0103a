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

/** Selective repeat, wherever it notes what has arrived and what was acknowledged. */
const repeatConstants = {
  recoveryWindowPackets: whole(
    'Retransmission',
    'packets',
    [1, 2 ** 20],
    'Packets in flight at most, and slots of a bitmap: a bandwidth-delay product.',
  ),
  recoveryTimeoutLowUs: real(
    'Retransmission',
    'us',
    [0.1, 1e6],
    'Timeout with few packets in flight (RTO_low).',
  ),
  recoveryTimeoutHighUs: real('Retransmission', 'us', [0.1, 1e6], 'Timeout with more (RTO_high).'),
  recoveryFewPackets: whole('Retransmission', 'packets', [0, 65536], 'Packets in flight that are still few.'),
} satisfies ConstantTable;

/** Selective repeat with bitmaps of each queue pair. */
export const selectiveConstants = {
  ...repeatConstants,
  recoveryBitmaps: whole('Retransmission', 'bitmaps', [1, 16], 'Bitmaps of that length for each QP.'),
} satisfies ConstantTable;

/** Selective repeat with bits that all queue pairs share. */
export const pooledConstants = {
  ...repeatConstants,
  recoveryPoolBits: whole(
    'Retransmission',
    'bits',
    [1, 2 ** 31],
    'Bits for packets out of order that all QPs share; one that finds none is dropped.',
  ),
  recoveryStateBytes: whole('Retransmission', 'B', [0, 4096], 'What each QP keeps besides, on chip.'),
} satisfies ConstantTable;

/** Selective repeat whose bitmaps host software keeps: the NIC tells it of packets out of order. */
export const onloadedConstants = {
  ...selectiveConstants,
  slowPathEventBytes: whole('Retransmission', 'B', [4, 256], 'An event as the NIC writes it for software.'),
  slowPathQueueEvents: whole(
    'Retransmission',
    'events',
    [1, 2 ** 24],
    'Events that wait for software at most; a packet that finds no room for its own is dropped.',
  ),
  slowPathCommandBytes: whole('Retransmission', 'B', [4, 256], 'A command as software stores it in the NIC.'),
  slowPathEventNs: real('Retransmission', 'ns', [0, 1e9], 'Time of the software thread for an event.'),
  slowPathDelayNs: real(
    'Retransmission',
    'ns',
    [0, 1e9],
    'From an event in memory to the thread that polls for it, and from a command to the NIC: each way.',
  ),
} satisfies ConstantTable;

/** The numbers that go-back-N reads. */
export type GoBackNConstants = DeviceConstants & Values<typeof goBackNConstants>;

/** The numbers that any selective repeat reads. */
export type RepeatConstants = DeviceConstants & Values<typeof repeatConstants>;
/** The numbers that selective repeat with bitmaps of each queue pair reads. */
export type SelectiveConstants = DeviceConstants & Values<typeof selectiveConstants>;
/** The numbers that selective repeat in host software reads. */
export type OnloadedConstants = DeviceConstants & Values<typeof onloadedConstants>;
