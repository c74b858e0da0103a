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
    setting: 'a NIC that pauses forever',
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
  {
    id: 'A13',
    setting: 'laboratory region, 80 km cables, idle',
    metric: 'base round-trip time across RH, in a rack',
    trend: '1770 us ± 10 % across RH, 2 us ± 30 % in a rack',
  },
  {
    id: 'A14',
    setting: 'far flow alone, 64 KB WRITEs, 160 and 80 in flight',
    metric: 'goodput',
    trend: '160 saturate; 80 x 64 KiB per round trip: 23.7 Gb/s ± 5 %',
  },
  {
    id: 'A15',
    setting: 'the listing of appendix A, n = 1 to 64 queues congested alike',
    metric: 'pause point, drop point',
    trend: '18 MB / (8 + n), 14 MB / (2 + n), to a frame',
  },
  {
    id: 'A16',
    setting: 'the listing, 64 lossless queues in the headroom',
    metric: 'queues with all of it, most of one queue',
    trend: 'none loses up to 61 in full; never above 96,928 bytes per queue',
  },
  {
    id: 'A17',
    setting: 'headroom wanted by a chassis: 100 to 400 ports of 100 Gb/s, 20 to 80 km, two classes',
    metric: 'bytes',
    trend: 'several GB',
  },
  {
    id: 'A18',
    setting: 'incast stress under PFC only, dense and sparse marking; also with half and twice the buffer',
    metric: 'p99 of completion, pauses',
    trend: 'p99: sparse < PFC only < dense; PFC only pauses most; a smaller buffer is worse',
  },
  {
    id: 'A19',
    setting: 'a storm of 1 s on one port, others busy',
    metric: 'detection, loss elsewhere, recovery',
    trend: 'found within detect and detect + poll; no loss elsewhere; full rate after the restoration',
  },
  {
    id: 'A20',
    setting: 'a receiver that pauses half of the time',
    metric: 'watchdog',
    trend: 'never fires; fires at 100 %',
  },
  {
    id: 'A21',
    setting: 'far flows, dense against sparse marking',
    metric: 'goodput',
    trend: 'sparse above dense',
  },
  {
    id: 'A22',
    setting: 'Kmin above the pause point: more than 10 congested queues',
    metric: 'first pause against first mark',
    trend: 'pause first; the order turns when alpha is raised',
  },
  {
    id: 'A23',
    setting: 'MACsec: plain PFC to a port that encrypts',
    metric: 'corrupt frames, pauses obeyed, lossless drops',
    trend: 'corrupt frames, none obeyed, drops; all gone with equal modes',
  },
  {
    id: 'A24',
    setting: 'Gen1 with Gen1 against Gen2 with Gen2',
    metric: 'total goodput, Gen2 over Gen1',
    ratio: 1,
    tolerance: 0.05,
  },
  {
    id: 'A25',
    setting: 'A4',
    metric: 'CNPs per marked packet; after the fix per flow and interval',
    trend: '1; at most 1',
  },
  {
    id: 'A26',
    setting: 'A5, QPs = 16 x cache entries, bursts of 1 and b',
    metric: 'context misses per packet',
    trend: 'from 1 to 1/b',
  },
  {
    id: 'A30',
    setting: 'frontend beside a backend incast, one class against two',
    metric: "the frontend's p99 and pauses",
    trend: 'both fall with two classes',
  },
  {
    id: 'A31',
    setting: 'one packet lost, Gen1',
    metric: 'time to recover',
    trend: 'hundreds of microseconds',
  },
];
