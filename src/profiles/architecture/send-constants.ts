import { type ConstantTable, flag, real, type Values, whole } from '../constant.js';
import type { DeviceConstants } from './device-constants.js';

const ns: readonly [number, number] = [0, 1e9];
const slots: readonly [number, number] = [1, 65536];
const bytes: readonly [number, number] = [0, 2 ** 30];

/** A send side of processing units that serve queue pairs in turns, with WQEs that are read ahead into a cache. */
export const unitSendConstants = {
  transmitPipelineNs: real('Port and bus', 'ns', ns, 'From the payload on chip to the first bit at the MAC.'),
  processingUnits: whole(
    'Send scheduler',
    'units',
    slots,
    'Send-side processing units; each serves one QP at a time.',
  ),
  queuePairsBoundToUnits: flag(
    'Send scheduler',
    'A QP is always served by the same unit, given in turn as QPs are made.',
    'any free unit serves any QP',
  ),
  visitPackets: whole(
    'Send scheduler',
    'packets',
    [0, 65536],
    'Packets that a unit sends of one QP before it goes to the tail of the ring.',
    '0: no limit in packets',
  ),
  visitBytes: whole(
    'Send scheduler',
    'B',
    bytes,
    'Payload that a unit sends of one QP before it goes to the tail of the ring.',
    '0: no limit in bytes',
  ),
  qpMessageGapNs: real('Send scheduler', 'ns', ns, 'Least time between two messages of one QP.'),
  qpLocalGapNs: real(
    'Send scheduler',
    'ns',
    ns,
    'Least time between a WQE that the device does alone, such as a WAIT, and the next of its QP.',
  ),
  qpPacketGapNs: real('Send scheduler', 'ns', ns, 'Least time between two packets of one message.'),
  elementNs: real(
    'Send scheduler',
    'ns',
    ns,
    'Time of a processing unit for each further scatter-gather element.',
  ),
  readResponseGapNs: real(
    'Send scheduler',
    'ns',
    ns,
    'Least time between packets of a READ response beyond its first readNearBytes, whole device.',
  ),
  readResponseGapBytes: whole(
    'Send scheduler',
    'B',
    [1, 65536],
    'Payload of such a packet; a shorter one takes less in proportion, but no less than deviceMessageGapNs.',
  ),
  transmitBufferBytes: whole(
    'Send scheduler',
    'B',
    [4096, 2 ** 30],
    'TX FIFO, counted from the payload read to the last bit on the wire.',
  ),
  responseBufferBytes: whole(
    'Send scheduler',
    'B',
    [1, 2 ** 30],
    'The same for the packets of READ responses, of each traffic class.',
  ),
  transmitCellBytes: whole(
    'Send scheduler',
    'B',
    [1, 4096],
    'Unit in which the TX FIFO is given out: a packet takes whole ones.',
  ),
  qpTransmitPackets: whole(
    'Send scheduler',
    'packets',
    [0, 65536],
    'Packets that one QP may have in the TX FIFO.',
    '0: no limit per QP',
  ),
  transmitSlotBeforeContext: flag(
    'Send scheduler',
    'The TX FIFO slot of a full packet is taken when the QP is scheduled and held while its context is fetched.',
    'the slot is taken when the packet is built',
  ),
  burstDivisor: whole(
    'Send scheduler',
    'WQEs',
    [0, 65536],
    'A doorbell gives its QP bursts of one message for each so many of its WQEs: none of the others sends while one lasts.',
    '0: no bursts',
  ),
  wqeFetchMax: whole('Send WQEs', 'WQEs', slots, 'WQEs that one DMA read fetches at most.'),
  wqeReadAheadMax: whole(
    'Send WQEs',
    'WQEs',
    slots,
    'WQEs of one QP on chip and not yet issued below which the next doorbell is fetched, at most.',
  ),
  wqeReadAheadBytes: whole(
    'Send WQEs',
    'B',
    slots,
    'Share of the send-WQE cache that one WQE of read-ahead counts as.',
  ),
  wqeReadAheadQps: whole(
    'Send WQEs',
    'QPs',
    [0, 2 ** 24],
    'Active send queues above which nothing is read ahead.',
    '0: never read ahead',
  ),
  wqeOnDemandMax: whole(
    'Send WQEs',
    'WQEs',
    slots,
    'WQEs fetched on demand while a unit holds the QP, when nothing is read ahead.',
  ),
  sendWqeCacheLines: whole('Send WQEs', 'lines', [1, 2 ** 24], 'Lines of the cache of fetched WQEs.'),
  readReserveLines: whole(
    'Send WQEs',
    'lines',
    [0, 65536],
    'Lines that each QP which may receive READs keeps from the send-WQE cache.',
    '0: none',
  ),
  ackReserveLines: whole(
    'Send WQEs',
    'lines',
    [0, 65536],
    'Lines that each QP which owes acknowledgements keeps from the send-WQE cache.',
    '0: none',
  ),
  responderMaxShare: real(
    'Send WQEs',
    'of the cache',
    [0, 0.95],
    'Share of the send-WQE cache that responders keep at most, all together.',
  ),
} satisfies ConstantTable;

/** A send side without a cache of WQEs: each turn of a queue pair fetches a few and drops what it does not need. */
export const cacheFreeSendConstants = {
  scheduleWqes: whole('Send scheduler', 'WQEs', [1, 4096], 'WQEs that a turn of a QP fetches at most.'),
  scheduleBurstBytes: whole(
    'Send scheduler',
    'B',
    [1, 2 ** 30],
    'Payload that a turn of a QP sends at most; a longer message goes on in the next.',
  ),
  scheduleFetches: whole(
    'Send scheduler',
    'fetches',
    [1, 4096],
    'Fetches of WQEs under way, each of another QP.',
  ),
  scheduleTurnNs: real('Send scheduler', 'ns', ns, 'Least time between the turns of two QPs.'),
  transmitPipelineNs: unitSendConstants.transmitPipelineNs,
  transmitBufferBytes: unitSendConstants.transmitBufferBytes,
} satisfies ConstantTable;

/** The numbers that such a send side reads. */
export type UnitSendConstants = DeviceConstants & Values<typeof unitSendConstants>;

/** The numbers that a send side without a cache reads. */
export type CacheFreeSendConstants = DeviceConstants & Values<typeof cacheFreeSendConstants>;
