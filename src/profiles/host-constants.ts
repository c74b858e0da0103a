import { type ConstantTable, flag, real, type Values, whole } from './constant.js';

const ns: readonly [number, number] = [0, 1e9];
const gbps: readonly [number, number] = [0, 100_000];

/**
 * Every constant of a host. Latencies of the graph are one way: a DMA write crosses each link once, a DMA read twice.
 * Where things hang is the profile's `topology`; each of its links takes its rate and latency from here by its kind.
 */
export const hostConstants = {
  sockets: whole('Sockets and memory', 'sockets', [1, 16], 'Processor sockets.'),
  numaNodesPerSocket: whole(
    'Sockets and memory',
    'nodes',
    [1, 8],
    'NUMA nodes of a socket (NPS); its memory channels are divided between them.',
  ),
  coresPerSocket: whole('Sockets and memory', 'cores', [1, 1024], 'Cores of a socket.'),
  memoryGigabytes: whole('Sockets and memory', 'GB', [1, 1e6], 'Memory of the host.'),
  memoryChannelsPerSocket: whole('Sockets and memory', 'channels', [1, 64], 'Memory channels of a socket.'),
  memoryChannelGbps: real(
    'Sockets and memory',
    'Gb/s',
    [1, 10_000],
    'Rate of a memory channel, reads and writes together.',
  ),
  memoryLatencyNs: real('Sockets and memory', 'ns', ns, 'Root complex to DRAM or last-level cache, one way.'),
  ddioWays: whole(
    'Sockets and memory',
    'ways',
    [0, 64],
    'Ways of the last-level cache that DMA writes may fill.',
    '0: DMA writes go to DRAM',
  ),
  lastLevelCacheWays: whole('Sockets and memory', 'ways', [1, 64], 'Ways of the last-level cache.'),
  lastLevelCacheBytes: whole(
    'Sockets and memory',
    'B',
    [0, 2 ** 32],
    'The last-level cache of a socket; DMA may fill its share of ddioWays.',
  ),
  interSocketGbps: real(
    'Sockets and memory',
    'Gb/s',
    gbps,
    'Rate between two sockets (UPI, xGMI), each direction, all links.',
    '0: with one socket',
  ),
  interSocketLatencyNs: real(
    'Sockets and memory',
    'ns',
    ns,
    'Crossing from one socket to the other, one way.',
    '0: with one socket',
  ),
  interSocketSharedGbps: real(
    'Sockets and memory',
    'Gb/s',
    gbps,
    'Rate that both directions of DMA across sockets share while the setting interSocket is `weak`.',
    '0: this host has no such fault',
  ),
  interSocketWriteNs: real(
    'Sockets and memory',
    'ns',
    ns,
    'A DMA write across sockets keeps its posted credits for this long after that link served it, while interSocket is `weak`.',
    '0: no longer than the link',
  ),

  slotLatencyNs: real('PCIe', 'ns', ns, 'RNIC or GPU slot to its root port, one way.'),
  switchLinkLatencyNs: real(
    'PCIe',
    'ns',
    ns,
    'A link to or from a PCIe switch, with its share of the switch, one way.',
  ),
  gpuLatencyNs: real(
    'PCIe',
    'ns',
    ns,
    'The last link to a GPU with the access to its memory, one way.',
    '0: with no GPU',
  ),
  peerTurnNs: real(
    'PCIe',
    'ns',
    ns,
    'Added to peer traffic (RNIC to GPU) that turns around in a root complex, one way.',
    '0: with no peer traffic',
  ),
  peerSharedGbps: real(
    'PCIe',
    'Gb/s',
    gbps,
    'Rate that both directions of peer traffic share in a root complex.',
    '0: the root complex does not limit it',
  ),
  peerPostedBytes: whole(
    'PCIe',
    'B',
    [0, 2 ** 30],
    'Posted-write credits of peer traffic through a root complex.',
    '0: the same as other writes',
  ),
  postedBytes: whole('PCIe', 'B', [256, 2 ** 30], 'Posted-write credits that a root port gives a device.'),
  orderingGbps: real(
    'PCIe',
    'Gb/s',
    gbps,
    'With ordering `strict`: rate of the pipeline that DMA of both directions passes in order.',
  ),
  orderingDepthBytes: whole(
    'PCIe',
    'bytes',
    [1, 65536],
    'With ordering `strict`: bytes that the pipeline holds. A shorter transfer behind long ones of the other direction makes it drain.',
  ),
  orderingTurnNs: real(
    'PCIe',
    'ns',
    ns,
    'With ordering `strict`: how long the pipeline takes to drain and turn; the longer the transfer, the less of it shows.',
  ),
  orderingPostedBytes: whole(
    'PCIe',
    'B',
    [256, 2 ** 30],
    'With ordering `strict`: posted bytes that a device may have on their way through the pipeline.',
  ),
  iotlbEntries: whole(
    'PCIe',
    'pages',
    [1, 4096],
    'Pages of 4 KB that an IOMMU remembers for a device, while it translates.',
  ),
  mmioLatencyNs: real('PCIe', 'ns', ns, 'A doorbell from the core to the device.'),
  completionLatencyNs: real('PCIe', 'ns', ns, 'A CQE from the device until it is in memory.'),

  postNs: real('Processor', 'ns', ns, 'A call to post, whatever it posts.'),
  wqeNs: real('Processor', 'ns', ns, 'Writing one send WQE with one element.'),
  elementNs: real('Processor', 'ns', ns, 'Each further element of a WQE.'),
  doorbellNs: real('Processor', 'ns', ns, 'Doorbell record and MMIO write.'),
  pollNs: real('Processor', 'ns', ns, 'Polling one CQE.'),
  completionNoticeNs: real(
    'Processor',
    'ns',
    ns,
    'How long a core that waits for a CQE takes to see one that is there: drawn, exponentially, with this mean.',
  ),
  receiveWqeNs: real('Processor', 'ns', ns, 'Writing one receive WQE.'),
  doorbellsWaitingMax: whole(
    'Processor',
    'doorbells',
    [1, 65536],
    'Doorbells that may wait in a device before posting cores are slowed.',
  ),
  writeCombining: flag(
    'Processor',
    'A doorbell carries the WQE in one 64 B write-combined store (BlueFlame).',
    'a doorbell is 8 B and carries no WQE',
  ),
} satisfies ConstantTable;

/** The flat numbers of a host, as the models read them. */
export type HostConstants = Values<typeof hostConstants>;
