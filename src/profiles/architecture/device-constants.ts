import { type ConstantTable, real, type Values, whole } from '../constant.js';

const ns: readonly [number, number] = [0, 1e9];
const slots: readonly [number, number] = [1, 65536];
const bytes: readonly [number, number] = [0, 2 ** 30];

/**
 * What the models read of every device, whatever its architecture. An architecture without one of these mechanisms says so
 * once, for all of its profiles; those of its parts have tables of their own.
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
  pcieWriteGapNs: real(
    'Port and bus',
    'ns',
    ns,
    'Time that a TLP of payload which the device writes takes beyond its bytes: acknowledgement and flow control.',
    '0: none',
  ),
  completionScatterBytes: whole(
    'Port and bus',
    'B',
    [0, 4096],
    'Longest message that is written with its receive completion, and not by itself.',
    '0: none',
  ),
  completionsPerWrite: whole(
    'Port and bus',
    'completions',
    [1, 64],
    'Completions of one queue that go in one write while the bus is busy.',
  ),
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

  // Send engine.
  deviceMessageGapNs: real('Send scheduler', 'ns', ns, 'Least time between two packets of the whole device.'),
  deviceReadGapNs: real(
    'Send scheduler',
    'ns',
    ns,
    'Least time between two READ requests of the whole device.',
  ),
  readNearBytes: whole(
    'Send scheduler',
    'B',
    bytes,
    'Bytes of a READ response that both ends have at hand with its request; packets beyond them cost more.',
  ),
  sharedPacketProcessors: whole(
    'Send scheduler',
    'processors',
    [0, 1024],
    'Packet processors that the TX and the RX packets of a QP share, TX first.',
    '0: TX and RX share none',
  ),
  packetProcessorNs: real(
    'Send scheduler',
    'ns',
    ns,
    'Time of a shared packet processor for a packet.',
    '0: with no shared processors',
  ),

  // Send WQEs.
  pushBytes: whole(
    'Send WQEs',
    'B',
    [0, 4096],
    'Largest WQE that arrives with its doorbell (BlueFlame) and need not be read.',
    '0: a doorbell brings no WQE',
  ),
  inlineWqeBytes: whole('Send WQEs', 'B', [0, 1024], 'A WRITE WQE with inline data, without that data.'),
  udInlineWqeBytes: whole('Send WQEs', 'B', [0, 1024], 'A UD SEND WQE with inline data, without that data.'),
  wqeBytes: whole('Send WQEs', 'B', [16, 1024], 'A WRITE or READ WQE with one element, as read over PCIe.'),
  udWqeBytes: whole('Send WQEs', 'B', [16, 1024], 'A UD SEND WQE with one element, as read over PCIe.'),
  wqeElementBytes: whole('Send WQEs', 'B', [8, 64], 'One further element of a WQE.'),
  sendWqeCacheLineBytes: whole('Send WQEs', 'B', [16, 4096], 'Bytes of such a line.'),
  readListMissSlots: whole(
    'Send WQEs',
    'slots',
    [1, 65536],
    'WQEs of READs that are read again at a time for their scatter lists, when the response finds the line gone.',
  ),
  wqeMissTransmitNs: real(
    'Send WQEs',
    'ns',
    ns,
    'Time that the receive engine stands still for WQEs whose lines are gone at issue; those that wait together share it.',
  ),

  // Contexts.
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

  // Control verbs.
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
    'A deregistration empties the translation cache and stops the send scheduler for this long.',
    '0: the scheduler goes on',
  ),

  // Receive engine.
  receiveOnlyNs: real('Receive engine', 'ns', ns, 'Engine time of a one-packet message.'),
  receiveMultiNs: real('Receive engine', 'ns', ns, 'Engine time of a packet of a longer WRITE or SEND.'),
  receiveMultiBytes: whole(
    'Receive engine',
    'B',
    [1, 65536],
    'Payload of such a packet; a shorter one takes less in proportion, but no less than a one-packet message.',
  ),
  readRequestNs: real('Receive engine', 'ns', ns, 'Engine time of a READ request.'),
  readResponseOnlyNs: real('Receive engine', 'ns', ns, 'Engine time of a one-packet READ response.'),
  readResponseMultiNs: real(
    'Receive engine',
    'ns',
    ns,
    'Engine time of a packet of a READ response beyond its first readNearBytes.',
  ),
  ackNs: real('Receive engine', 'ns', ns, 'Engine time of an ACK, received or generated.'),
  ackGapNs: real('Receive engine', 'ns', ns, 'Least time between two ACKs that the device generates.'),
  ackDelayNs: real('Receive engine', 'ns', ns, 'From the decision to acknowledge to the ACK at the port.'),
  slowStartDoubleNs: real(
    'Receive engine',
    'ns',
    ns,
    'Of a QP that begins slowly: the rate doubles after this time. No shipped device has slow start; a fault turns it on.',
  ),
  slowStartIdleNs: real(
    'Receive engine',
    'ns',
    ns,
    'With slow start: a QP that sent nothing for this long starts over.',
  ),
  ackRequestPackets: whole(
    'Receive engine',
    'packets',
    [1, 65536],
    'A requester asks for an ACK at least once in this many packets.',
  ),
  fetchAddNs: real(
    'Receive engine',
    'ns',
    ns,
    'Engine time of a fetch-and-add.',
    '0: the device has no atomics',
  ),
  compareSwapNs: real(
    'Receive engine',
    'ns',
    ns,
    'Engine time of a compare-and-swap.',
    '0: the device has no atomics',
  ),
  atomicReadFenceNs: real(
    'Receive engine',
    'ns',
    ns,
    'Added to an atomic if READs were served within the fence window.',
    '0: atomics and READs do not meet',
  ),
  atomicFenceWindowNs: real('Receive engine', 'ns', ns, 'How long a served READ counts for that.'),

  // Receive WQEs.
  receiveWqeMissSlots: whole('Receive WQEs', 'slots', slots, 'Receive-WQE fetches in flight.'),
  missQueueShare: real(
    'Receive WQEs',
    'of the time',
    [0, 1],
    'Share of the time of a WQE read on demand that is queueing in the host: exponentially distributed.',
    '0: all take the same time',
  ),
  receiveWqeMissNs: real('Receive WQEs', 'ns', ns, 'Time of a slot for such a fetch.'),
  receiveDescriptors: whole(
    'Receive WQEs',
    'messages',
    slots,
    'Messages that may wait for their receive WQE; one more is dropped (UD) or refused with a NAK (RC).',
  ),
  rnrHoldReliableNs: real(
    'Receive WQEs',
    'ns',
    ns,
    'An RC SEND with no receive posted holds the receive pipeline until one is posted, at most for this long.',
    '0: the pipeline goes on and an RNR NAK is sent',
  ),
  rnrHoldUnreliableNs: real(
    'Receive WQEs',
    'ns',
    ns,
    'A UC SEND with no receive posted holds the receive pipeline for this long.',
    '0: it is dropped at once',
  ),
  rnrHoldDatagramNs: real('Receive WQEs', 'ns', ns, 'The same for a UD SEND.', '0: it is dropped at once'),
  rnrHoldReliableReach: whole(
    'Receive WQEs',
    'functions',
    [0, 1],
    'Whom that of a reliable transport holds: 1 the function of the queue pair, where it has a virtual one; 0 the device.',
    '0: the whole device',
  ),
  rnrHoldUnreliableReach: whole(
    'Receive WQEs',
    'functions',
    [0, 1],
    'The same for unreliable transports.',
    '0: the whole device',
  ),

  // Flow control.
  receiveBufferBytes: whole('Flow control', 'B', [8192, 2 ** 30], 'Receive buffer of a lossless port.'),
  xoffBytes: whole('Flow control', 'B', [4096, 2 ** 30], 'Occupancy above which the device sends XOFF.'),
  xonBytes: whole('Flow control', 'B', [0, 2 ** 30], 'Occupancy below which it sends XON.'),
  pauseDelayNs: real(
    'Flow control',
    'ns',
    ns,
    "From the crossing of a threshold to the stop of the peer's egress, less the wire.",
  ),
  loopbackBufferBytes: whole(
    'Flow control',
    'B',
    [4096, 2 ** 30],
    'Buffer of packets that turn around inside the device.',
  ),
  trafficClasses: whole('Flow control', 'classes', [1, 8], 'Traffic classes with a queue of their own.'),
  cnpPriority: whole('Flow control', 'priority', [0, 7], 'Priority on which CNPs travel (cnp_802p_prio).'),
  cnpDscp: whole('Flow control', 'code', [0, 63], 'DSCP of a CNP (cnp_dscp).'),

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
