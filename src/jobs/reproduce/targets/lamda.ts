import type { Target } from './target.js';

/** Lamda (draft; its authors left the evaluation blank). */
export const lamdaTargets: readonly Target[] = [
  {
    id: 'L1',
    setting: 'network to persistent memory at 200 Gbps',
    metric: 'memory bandwidth',
    value: 50,
    unit: 'GB/s',
    tolerance: 0.05,
  },
  {
    id: 'L2',
    setting: '8 KB WRITE from a peer beside loopback of 64 B to 64 KB on PCIe 3.0 x16',
    metric: 'pause frames',
    trend: 'present below 256 B though PCIe use is under 80 %, rising with size, then level',
  },
  {
    id: 'L3',
    setting: 'mice (128 B) beside elephants (128 KB), one NIC queue against separate queues',
    metric: 'latency of mice',
    ratio: 3,
    tolerance: 0.3,
  },
  {
    id: 'L4',
    setting: 'mice beside elephant QPs, 8 to 64 of them, 32 PUs',
    metric: 'latency of mice',
    trend: 'rises once elephants exceed the PUs',
  },
  {
    id: 'L5',
    setting: 'one client thread, two server threads, 36 deep',
    metric: 'resources on the host',
    value: { direct: 144, proxy: 72 },
    tolerance: 0,
  },
  {
    id: 'L6',
    setting: 'QoS engine, small beside large messages',
    metric: 'both',
    trend: 'small under the delay target, utilisation at least Util_min',
  },
  {
    id: 'L7',
    setting: 'replication through fetch, validate, accelerate, transfer, acknowledge',
    metric: 'host CPU, memory and PCIe bytes against host-driven replication',
    trend: 'all fall (the paper leaves the figures open; we are the first to give them)',
  },
];
