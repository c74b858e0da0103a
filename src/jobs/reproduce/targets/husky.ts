import type { Target } from './target.js';

/** Husky: Understanding RDMA Microarchitecture Resources for Performance Isolation, NSDI 2023. */
export const huskyTargets: readonly Target[] = [
  {
    id: 'H1',
    setting: '96 QPs (6 cores x 16), 512 B WRITE, alone',
    metric: ['bandwidth', 'MTT miss rate'],
    value: ['96.6 Gbps', 0.172],
    unit: 'L2',
    tolerance: 0.1,
  },
  {
    id: 'H2',
    setting: 'H1 while a thread registers about 5,000 MRs a second',
    metric: ['bandwidth', 'MTT miss rate'],
    value: ['95.9 Gbps', 0.229],
    unit: 'L2',
    tolerance: 0.1,
  },
  {
    id: 'H3',
    setting: 'H1 while a thread deregisters MRs, sender side',
    metric: ['bandwidth', 'MTT miss rate'],
    value: ['48.0 Gbps', 0.491],
    unit: 'L2',
    tolerance: 0.15,
  },
  { id: 'H4', setting: 'H3 on the receiver side', metric: 'bandwidth', trend: 'negligible loss' },
  {
    id: 'H5',
    setting: '96 QPs over more than 18,000 MRs, random',
    metric: 'bandwidth loss',
    value: 0.401,
    tolerance: 0.2,
  },
  {
    id: 'H6',
    setting: '8 B verbs alone',
    metric: 'rate',
    value: { FAA: 5.2, CAS: 4.8, READ: 60, SEND: '>90', WRITE: '>90' },
    unit: 'Mrps',
    tolerance: 0.1,
  },
  { id: 'H7', setting: 'READ beside CAS', metric: 'rate of READ', value: 3, unit: 'Mrps', tolerance: 0.25 },
  { id: 'H8', setting: 'READ beside READ', metric: 'rate of each', value: 30, unit: 'Mrps', tolerance: 0.1 },
  {
    id: 'H9',
    setting: '64 KB WRITE, 128 outstanding, one QP, alone',
    metric: 'bandwidth',
    value: 97.07,
    unit: 'Gbps',
    tolerance: 0.03,
  },
  {
    id: 'H10',
    setting: 'H9 beside one 4 KB SEND in flight, receives posted',
    metric: ['victim', 'sender'],
    value: [93.53, 4.01],
    unit: 'Gbps',
    tolerance: 0.05,
  },
  {
    id: 'H11',
    setting: 'H10 with no receive posted (RNR)',
    metric: 'victim',
    trend: 'stalled, under 0.1 Gbps',
  },
  {
    id: 'H12',
    setting: 'WRITE of 1 to 28 B',
    metric: 'PCIe bytes a message',
    trend: 'flat (inlined with the WQE), a step at 29 B',
  },
  {
    id: 'H13',
    setting: '29 B WRITE',
    metric: ['network bytes', 'PCIe bytes'],
    value: [127, 189],
    tolerance: 0,
  },
  {
    id: 'H14',
    setting: 'sweep of the message size at saturation',
    metric: 'bottleneck',
    trend: 'request rate, then PCIe in a middle band, then line rate',
  },
  {
    id: 'H15',
    setting: 'PCIe attack: 36 QPs, 128 outstanding, 257 B WRITE',
    metric: ['link', 'PCIe TX'],
    value: [50, 73],
    unit: 'Gbps',
    tolerance: 0.1,
    note: 'rate-limited to 50 Gbps',
  },
  {
    id: 'H16',
    setting: 'cache attack: 1536 QPs, 12288 MRs, 256 B, one outstanding',
    metric: 'link',
    trend: 'under 7 Gbps and about 3 Mrps',
  },
  {
    id: 'H17',
    setting: 'PU attack: one UC QP, 128 outstanding SEND, no receive posted',
    metric: 'victim',
    trend: 'stalled while the attacker uses under 0.5 Gbps',
  },
];

/** §5.2: real applications beside the attackers of H15 to H17, whose VMs share two of the four hosts with them. */
export const huskyApplicationTargets: readonly Target[] = [
  {
    id: 'HA1',
    setting: 'all-reduce of 8 workers on 4 hosts, BW attack (16 QPs, 1 MB)',
    metric: 'rate',
    trend: 'negligible with SR-IOV + HW TC, within the tolerance (25 %) with Justitia + HW TC',
  },
  {
    id: 'HA2',
    setting: 'all-reduce, PCIe attack',
    metric: ['SR-IOV + HW TC', 'Justitia + HW TC'],
    value: [0.273, 0.421],
    unit: 'drop',
    tolerance: 0.25,
  },
  {
    id: 'HA3',
    setting: 'all-reduce, cache attack',
    metric: ['SR-IOV + HW TC', 'Justitia + HW TC'],
    value: [0.5, 0.713],
    unit: 'drop',
    tolerance: 0.25,
  },
  {
    id: 'HA4',
    setting: 'all-reduce, PU attack',
    metric: 'rate',
    trend: 'stalled with SR-IOV + HW TC and with Justitia + HW TC',
  },
  {
    id: 'HA5',
    setting: 'key-value store over UD, SR-IOV + HW TC, BW attack',
    metric: 'rate of GETs',
    trend: 'within the tolerance (25 %)',
  },
  {
    id: 'HA6',
    setting: 'key-value store, SR-IOV + HW TC, PCIe and cache attacks, client beside the attacker',
    metric: 'rate of GETs',
    trend: 'the cache attack hurts, and less than the PCIe attack',
  },
  {
    id: 'HA7',
    setting: 'key-value store, SR-IOV + HW TC, PU attack',
    metric: 'rate of GETs',
    trend: 'every client stalls, those on other hosts too',
  },
];

/** Table 3: true where isolation holds against every workload pair of the column. */
export const huskyTable3 = {
  columns: [
    'RC error handling',
    'UD and UC error handling',
    'data verbs on PUs',
    'control verbs on the cache',
    'data verbs on the cache',
    'PCIe bandwidth',
  ],
  'SR-IOV': [true, false, false, false, false, false],
  'HW TC': [false, false, false, false, false, false],
  'SR-IOV + HW TC': [true, false, false, false, false, false],
  Justitia: [false, false, true, false, false, false],
  'Justitia + HW TC': [false, false, true, false, false, false],
} as const;
