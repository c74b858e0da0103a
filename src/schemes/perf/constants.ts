import type { SchemeConstant } from '../justitia/index.js';

/** What PeRF is set to. */
export const PERF = {
  /** A tenant whose mean message is at least this long is a bandwidth application. */
  largeBytes: { value: 1024, evidence: 'documented', source: 'PeRF §3.3: 1 KB' },
  /** How often the length of the send queue is looked at, */
  sampleNs: { value: 5e6, evidence: 'documented', source: 'PeRF §3.3: every 5 ms' },
  /** and the longest of this long a time counts. */
  windowNs: { value: 1e9, evidence: 'documented', source: 'PeRF §3.3: the last 1,000 ms' },
  /** A longer queue makes an application of short messages message-intensive. */
  longQueue: { value: 5, evidence: 'documented', source: 'PeRF §3.3: the threshold is five' },
  /** SUB_MSG_SIZE: what long messages are cut into. */
  subMessageBytes: { value: 16_384, evidence: 'documented', source: 'PeRF §4.1' },
  /** 0_WAIT_UNIT: one WAIT for nothing for this many bytes. */
  waitUnitBytes: { value: 1024, evidence: 'documented', source: 'PeRF §4.1' },
  /** QNum_capa: queue pairs that saturate the message rate of the device. */
  queuePairsToSaturate: {
    value: 9,
    evidence: 'documented',
    source: "PeRF §2.3.2 and its repository's README",
  },
  /** Messages a second of one queue pair. */
  queuePairMessagesPerSecond: {
    value: 12.4e6,
    evidence: 'documented',
    source: "PeRF's repository: 12,400 thousand a second",
  },
  /** Share of the link that the limit of queue pairs counts with. */
  linkShare: { value: 0.7, evidence: 'documented', source: "PeRF's repository" },
  /** QNum_allow to begin with: queue pairs of a tenant that may send at a time. */
  allowedQueuePairs: { value: 1, evidence: 'documented', source: 'PeRF §4.2: the default is one' },
  /** A tenant that posted nothing for this long is not active; a delay-sensitive one is given longer. */
  activeNs: { value: 10e6, evidence: 'documented', source: "PeRF's repository: checked every 10 ms" },
  activeSensitiveNs: { value: 1e9, evidence: 'documented', source: "PeRF's repository: 1 s" },
  /** More bandwidth tenants than this beside a sensitive one take turns, */
  manyBandwidthTenants: { value: 4, evidence: 'documented', source: "PeRF's repository" },
  /** each this long, */
  turnNs: { value: 100e6, evidence: 'documented', source: "PeRF's repository: 100 ms" },
  /** this many at a time. */
  bandwidthTenantsAtOnce: { value: 1, evidence: 'documented', source: "PeRF's repository: 1" },
  /** The workers of all tenants share a core; one with large messages to cut keeps it this long while others want it. */
  workerSliceNs: {
    value: 3e6,
    evidence: 'documented',
    source:
      "PeRF §4.4: one core for the offloading parts; Linux's fair scheduler lets a thread run for at least 3 ms on eight or more processors (0.75 ms x 4)",
  },
  /** Bytes that a queue pair may send while it holds its tenant's token. */
  holdBytes: {
    value: 1 << 20,
    evidence: 'calibrated',
    source: "ours: one message of PeRF's bandwidth application",
  },
  /** Requests that it may post meanwhile. */
  holdRequests: { value: 128, evidence: 'documented', source: "PeRF's repository: 128 posts" },
  /** Processor time of a look at a tenant's request on its way. */
  interceptNs: {
    value: 3,
    evidence: 'calibrated',
    source:
      'PeRF Table 2: 3.62 % of a core beside a message-intensive application at about 12 million a second',
  },
  /** The line rate where the device does not tell. */
  lineRateBps: { value: 100e9, evidence: 'documented', source: "PeRF's repository: 100,000 Mb/s by default" },
  /** A bucket of a weighted tenant holds this much. */
  bucketBytes: { value: 65_536, evidence: 'calibrated', source: 'ours: a few sub-messages' },
} as const satisfies Record<string, SchemeConstant>;

/** What an operator can set. */
export interface PerfSettings {
  subMessageBytes: number;
  waitUnitBytes: number;
  allowedQueuePairs: number;
  queuePairsToSaturate: number;
  /** Isolate where tenants could hurt each other, always (for tests), or never: then only the token buckets work. */
  isolation: 'selective' | 'always' | 'never';
  /** Static token buckets by the name of the tenant, in Gb/s (PeRF §5.2.5, as FreeFlow's). */
  targetGbps: Readonly<Record<string, number>>;
}

/** The settings of the paper. */
export const PERF_DEFAULTS: PerfSettings = {
  subMessageBytes: PERF.subMessageBytes.value,
  waitUnitBytes: PERF.waitUnitBytes.value,
  allowedQueuePairs: PERF.allowedQueuePairs.value,
  queuePairsToSaturate: PERF.queuePairsToSaturate.value,
  isolation: 'selective',
  targetGbps: {},
};
