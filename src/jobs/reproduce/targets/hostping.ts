import type { Target } from './target.js';

/** Hostping: Diagnosing Intra-host Network Bottlenecks in RDMA Servers, NSDI 2023. */
export const hostpingTargets: readonly Target[] = [
  {
    id: 'G1',
    setting: 'GDR read, RNIC and GPU under one PCIe switch',
    metric: ['latency', 'bandwidth'],
    value: ['1.0 us', 'line rate'],
    tolerance: 0.1,
  },
  {
    id: 'G2',
    setting: 'GDR read through the root complex',
    metric: ['latency', 'bandwidth'],
    value: ['2.2 us', '125.5 Gbps'],
    tolerance: 0.1,
  },
  {
    id: 'G3',
    setting: 'GDR read across the UPI',
    metric: ['latency', 'bandwidth'],
    value: ['2.4 us', '116.4 Gbps'],
    tolerance: 0.1,
    note: 'about 34.7 KB of outstanding reads explains both',
  },
  {
    id: 'G4',
    setting: 'ring all-reduce of 8 hosts, one RNIC PCIe link degraded',
    metric: 'throughput of every host',
    value: 50,
    unit: 'Gbps',
    tolerance: 0.2,
  },
];
