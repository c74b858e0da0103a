import type { Target } from './target.js';

/** Empowering Azure Storage with RDMA, NSDI 2023. */
export const azureTargets: readonly Target[] = [
  {
    id: 'A1',
    setting:
      'two DCQCN flows into one 40 Gbps host, RTT 2 us and 1.77 ms, 64 KB WRITE, 160 in flight, Kmin 1 MB, Kmax 2 MB, Pmax 5 %',
    metric: 'goodput of each',
    value: 17,
    unit: 'Gbps',
    tolerance: 0.15,
  },
  { id: 'A2', setting: 'A1', metric: 'queue at the congested port', value: 1.36, unit: 'MB', tolerance: 0.2 },
  {
    id: 'A3',
    setting: 'FMR before each SEND with the hidden fence, inter-datacenter RTT',
    metric: 'SENDs in flight',
    trend: 'one an RTT; many once the fence is gone; Estats T5 - T1 follows the RTT',
  },
  {
    id: 'A4',
    setting: 'Gen2/3 sends CNPs per marked packet to a Gen1 sender',
    metric: 'throughput',
    trend: 'excess rate cuts; recovers with receiver-side coalescing',
  },
  {
    id: 'A5',
    setting: 'Gen2/3 paces per packet into a Gen1 receiver with many QPs',
    metric: 'receiver throughput',
    trend: 'slowed by cache misses; recovers with burst pacing',
  },
  {
    id: 'A6',
    setting: 'congestion leaking: head-of-line blocking in the sender firmware',
    metric: 'rates of all its flows',
    trend: "all near the slowest flow's water-filling share; each at its own share once fixed",
  },
  {
    id: 'A7',
    setting: 'loopback and external traffic on one NIC',
    metric: 'pause frames',
    trend: 'many, while the watchdog does not fire',
  },
  {
    id: 'A8',
    setting: 'a NIC that pauses for ever',
    metric: 'spread of the storm',
    trend: 'reaches other devices without the watchdog, ends at the first switch with it (hundreds of ms)',
  },
  {
    id: 'A9',
    setting: 'incast with one fixed-size chunk in flight a connection against unlimited',
    metric: 'pause frames and tail completion',
    trend: 'both fall',
  },
  {
    id: 'A10',
    setting:
      'SONiC example: 24 MB buffer, 18 MB ingress pool, 6 MB headroom pool, alpha 1/8, xoff 96928, egress lossy 14 MB alpha 1/2',
    metric: 'admission and pause',
    trend: 'exactly as appendix A describes, lossless never dropped',
  },
];
