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

/** Thresholds of the tool. */
export const hostpingThresholds = {
  idleRnic: 0.05,
  pauseTrigger: 0.03,
  abnormal: 0.2,
  highUtilisation: 0.9,
  smallBytes: 1,
  largeBytes: 131072,
  flappingAfter: 3,
  idleCheckMinutes: 5,
  metricSeconds: 1,
} as const;

/** Each injected on an idle or busy host: to be found and named by link and by cause. */
export const hostpingBottlenecks = {
  failures: [
    'RNIC PCIe link',
    'GPU PCIe link',
    'memory channel',
    'UPI',
    'CPU root port',
    'flapping memory channel',
  ],
  configuration: ['ACS enabled', 'ATS disabled', 'slow start enabled', 'Tx window too small'],
  contention: ['inter-socket bus overloaded', 'memory channel overloaded'],
} as const;
