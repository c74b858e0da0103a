import type { Anomaly } from '../answer/answer.js';

const measure = { sliceNs: 10_000, minNs: 200_000, maxNs: 300_000 };
const mixed = {
  ...{ direction: 'bi', qps: 8, batch: 8, sge: 3, sizes: [[128, 65536, 1024]], measure },
} as const;
/** Collie #9: strict ordering and a mix of elements. What is suspected is wrong on purpose. */
export const strictOrdering = {
  symptom: 'pause',
  severity: 0.7,
  why: 'paused',
  features: ['sge >= 3'],
  workload: { name: 'C9', settings: { ordering: 'strict' }, ...mixed },
  counters: [
    { name: 'tx_prio0_pause_duration', rate: 1, baseline: 0 },
    { name: 'rx_buffer_high_water_bytes', rate: 1, baseline: 0 },
    { name: 'pcie_read_stalled_ps', rate: 1, baseline: 0 },
    { name: 'pcie_read_stalled_ordering', rate: 1, baseline: 0 },
  ],
  component: "the NIC's send WQE cache",
  advice: [
    { text: 'batch of at least 2', change: {}, dimension: 'batch' },
    {
      text: 'host setting ordering: relaxed',
      change: {},
      dimension: 'settings',
      wireGbps: 300,
      workload: { name: 'C9 cleared', settings: { ordering: 'relaxed' }, ...mixed },
    },
  ],
  matches: ['C9'],
  complete: true,
  times: 1,
  experiment: 1,
  hours: 0,
} as unknown as Anomaly;
