import { type ConstantTable, real, whole } from './constant.js';

const ns: readonly [number, number] = [0, 1e9];
const slots: readonly [number, number] = [1, 65536];
const bytes: readonly [number, number] = [0, 2 ** 30];

/** The part of the device table that the receive side reads. */
export const receiveConstants = {
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
  ackRequestPackets: whole(
    'Receive engine',
    'packets',
    [1, 65536],
    'A requester asks for an ACK at least every so many packets.',
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
  receiveWqeCacheBytes: whole('Receive WQEs', 'B', [64, 2 ** 30], 'Cache of posted receive WQEs.'),
  receiveWqeMissSlots: whole('Receive WQEs', 'slots', slots, 'Receive-WQE fetches in flight.'),
  receiveWqeMissNs: real('Receive WQEs', 'ns', ns, 'Time of a slot for such a fetch.'),
  receiveWqeStrideBytes: whole(
    'Receive WQEs',
    'B',
    [8, 1024],
    'Ring entry of an RC or UC receive for each element, the elements rounded up to a power of two.',
  ),
  udReceiveWqeStrideBytes: whole('Receive WQEs', 'B', [8, 1024], 'Ring entry of a UD receive.'),
  receiveReadAheadMisses: whole(
    'Receive WQEs',
    'misses',
    [0, 65536],
    'With each so many misses of a queue since its last post, the read at a miss brings one WQE more, at most one completion of PCIe.',
    '0: always one WQE',
  ),
  receivePrefetchWqes: whole(
    'Receive WQEs',
    'WQEs',
    [0, 65536],
    'Receives of one post that are read into the cache; those beyond go through the window of their queue.',
    '0: no limit and no window',
  ),
  receiveWindowBytes: whole(
    'Receive WQEs',
    'B',
    bytes,
    'Bytes of that window, for each queue, in chunks of pcieMaxReadRequestBytes. A chunk that was pushed out before its use stops the receive engine for two reads of receiveWqeMissNs.',
    '0: with no limit',
  ),
  receiveWindowMissNs: real(
    'Receive WQEs',
    'ns',
    ns,
    'Time for which the device stands still where a receive WQE is no longer there, beside the two reads that bring it.',
  ),
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
    'An RC SEND with no receive posted holds the receive pipeline until one is posted, at most for so long.',
    '0: the pipeline goes on and an RNR NAK is sent',
  ),
  rnrHoldUnreliableNs: real(
    'Receive WQEs',
    'ns',
    ns,
    'A UC SEND with no receive posted holds the receive pipeline for so long.',
    '0: it is dropped at once',
  ),
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
} satisfies ConstantTable;
