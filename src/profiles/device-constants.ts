import { type ConstantTable, real, type Values, whole } from './constant.js';
import { dcqcnConstants } from './dcqcn-constants.js';
import { receiveConstants } from './receive-constants.js';
import { sendConstants } from './send-constants.js';

const ns: readonly [number, number] = [0, 1e9];
const slots: readonly [number, number] = [1, 65536];

/**
 * Every constant of a device, in the order of the documentation. A new one is a line here and a line in each base file
 * under `data/devices`; the type, the loader, the schema and the documentation follow.
 */
export const deviceConstants = {
  // Port and bus.
  portGbps: real('Port and bus', 'Gb/s', [1, 1600], 'Rate of the port on the wire, each direction.'),
  portLatencyNs: real(
    'Port and bus',
    'ns',
    ns,
    'MAC, PHY and FEC of this end of a link, added to each packet.',
  ),
  transmitPipelineNs: real('Port and bus', 'ns', ns, 'From the payload on chip to the first bit at the MAC.'),
  pcieGeneration: whole(
    'Port and bus',
    'generation',
    [1, 6],
    'PCIe generation at which the device runs at most.',
  ),
  pcieLanes: whole('Port and bus', 'lanes', [1, 32], 'PCIe lanes of the device.'),
  pcieGbps: real(
    'Port and bus',
    'Gb/s',
    [1, 4000],
    'Rate of the PCIe link per direction, after line coding and link-layer overhead, before TLP headers. A slower slot wins.',
  ),
  pcieMaxPayloadBytes: whole(
    'Port and bus',
    'B',
    [128, 4096],
    'Largest payload of a write or a completion (MPS).',
  ),
  pcieMaxReadRequestBytes: whole('Port and bus', 'B', [128, 4096], 'Largest read request (MRRS).'),
  pcieTlpOverheadBytes: whole('Port and bus', 'B', [12, 64], 'Header, framing and link layer of one TLP.'),
  readOutstandingBytes: whole(
    'Port and bus',
    'B',
    [256, 2 ** 24],
    'Payload bytes that DMA reads may have in flight; rate = this / latency of the path.',
  ),
  dmaLagNs: real(
    'Port and bus',
    'ns',
    ns,
    'How far the DMA stage may fall behind the receive engine before the engine stops.',
  ),

  ...sendConstants,

  // Contexts and translation.
  contextCacheEntries: whole(
    'Contexts and translation',
    'entries',
    [1, 2 ** 24],
    'QP and CQ contexts on chip (ICM cache).',
  ),
  contextBytes: whole('Contexts and translation', 'B', [16, 4096], 'Bytes read over PCIe at a miss.'),
  contextMissSlots: whole(
    'Contexts and translation',
    'slots',
    slots,
    'Context and translation misses in flight on the requester side.',
  ),
  contextMissSlotsReceive: whole(
    'Contexts and translation',
    'slots',
    slots,
    'Context and translation misses in flight on the responder side.',
  ),
  contextMissNs: real('Contexts and translation', 'ns', ns, 'Time of a slot for the miss of a context.'),
  translationMissNs: real(
    'Contexts and translation',
    'ns',
    ns,
    'Time of a slot for the miss of a translation: a memory key, then its page entries.',
  ),
  readContextEntries: whole(
    'Contexts and translation',
    'entries',
    [1, 64],
    'Context entries of a QP that issues READs.',
  ),
  contextElements: whole(
    'Contexts and translation',
    'elements',
    [0, 64],
    'Scatter-gather elements that a QP context holds of the WQE being sent; the list of a longer one is an entry of its own, looked up after the context.',
    '0: any number',
  ),
  translationCacheEntries: whole(
    'Contexts and translation',
    'entries',
    [1, 2 ** 24],
    'Translations (MTT and MPT) on chip.',
  ),
  registrationEntries: whole(
    'Contexts and translation',
    'entries',
    [0, 2 ** 20],
    'Translations that registering a memory region puts into the cache.',
    '0: none',
  ),
  registrationNs: real('Contexts and translation', 'ns', ns, 'Time of a registration, seen by its caller.'),
  deregistrationNs: real(
    'Contexts and translation',
    'ns',
    ns,
    'Time of a deregistration, seen by its caller.',
  ),
  invalidationHoldNs: real(
    'Contexts and translation',
    'ns',
    ns,
    'A deregistration empties the translation cache and stops the send scheduler for so long.',
    '0: the scheduler goes on',
  ),

  ...receiveConstants,

  // Congestion control.
  ...dcqcnConstants,

  // Limits that the verbs report, and bounds.
  maxOutstandingReads: whole(
    'Limits',
    'READs',
    [1, 255],
    'READs and atomics in flight, and served, for each QP.',
  ),
  maxQps: whole('Limits', 'QPs', [1, 2 ** 24], 'Queue pairs.'),
  maxMrs: whole('Limits', 'MRs', [1, 2 ** 24], 'Memory regions.'),
  maxWorkRequests: whole('Limits', 'WQEs', [1, 2 ** 20], 'Depth of a queue.'),
  maxElements: whole('Limits', 'elements', [1, 255], 'Scatter-gather elements of a work request.'),
  maxInlineBytes: whole('Limits', 'B', [0, 4096], 'Inline data of a work request.', '0: none'),
  minAckTimeoutCode: whole(
    'Limits',
    'code',
    [0, 31],
    'ACK timeout codes below this one behave like it (4.096 us x 2^code).',
    '0: no floor',
  ),
  virtualFunctions: whole(
    'Limits',
    'functions',
    [0, 1024],
    'Virtual functions of a physical function.',
    '0: no SR-IOV',
  ),
  boundPacketsPerSecond: whole(
    'Limits',
    'packets/s',
    [1, 1e9],
    'What the whole device can do in small packets; the bound of the verdict.',
  ),
  boundQpPacketsPerSecond: whole(
    'Limits',
    'packets/s',
    [1, 1e9],
    'What one QP can do in small packets; the bound of the verdict.',
  ),
  boundQpReadsPerSecond: whole(
    'Limits',
    'READs/s',
    [1, 1e9],
    'What one QP can do in small READs; the bound of the verdict.',
  ),
} satisfies ConstantTable;

/** The flat numbers of a device, as the models read them. */
export type DeviceConstants = Values<typeof deviceConstants>;
