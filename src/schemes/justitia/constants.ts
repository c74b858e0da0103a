/** A constant of a scheme with where it comes from. */
export interface SchemeConstant {
  value: number;
  /** As in device profiles: documented in a source, measured, or calibrated to rows. */
  evidence: 'documented' | 'measured' | 'calibrated';
  source: string;
}

/** What Justitia's pacer is set to. */
export const JUSTITIA = {
  /** Latency of the reference flow above which the link counts as congested. */
  targetNs: {
    value: 2000,
    evidence: 'documented',
    source: "Justitia's repository, rdma_pacer; PeRF §5.1: the default threshold of 2 us",
  },
  /** The threshold of the relaxed version. */
  relaxedTargetNs: { value: 15_000, evidence: 'documented', source: 'PeRF §5.1: Justitia_R, 15 us' },
  /** Weight of the newest sample in the smoothed latency. */
  smoothing: { value: 0.5, evidence: 'documented', source: "Justitia's repository: EWMA 0.5" },
  /** A token, and the chunk that messages are cut into, with no latency-sensitive tenant on the host. */
  chunkBytes: { value: 1_000_000, evidence: 'documented', source: "Justitia's repository: default chunk" },
  /** The same beside a latency-sensitive tenant. */
  smallChunkBytes: {
    value: 5000,
    evidence: 'documented',
    source: "Justitia's repository: chunk with small flows present",
  },
  /** Requests that a token of full size is worth to a tenant of small messages. */
  opsPerToken: {
    value: 1100,
    evidence: 'documented',
    source: 'PeRF §5.1: token batch of 1,100, enough for one queue pair at 13 million messages a second',
  },
  /** Tokens that may pile up. */
  maxTokens: { value: 5, evidence: 'documented', source: "Justitia's repository: at most 5 tokens" },
  /** What the capacity grows by in a round without congestion. */
  increaseBytesPerSecond: {
    value: 1e6,
    evidence: 'documented',
    source: "Justitia's repository: +1 MB/s a round",
  },
  /** What it is divided by in a round with congestion. */
  decrease: { value: 2, evidence: 'documented', source: "Justitia's repository: halved" },
  /** The pacer's line rate as a share of the port's: it is set to what a link carries, not to what it is called. */
  lineShare: {
    value: 48 / 56,
    evidence: 'documented',
    source:
      "Justitia's repository: 6000 MB/s (48 Gb/s) by default, for a link of 56 Gb/s; the same share of other links",
  },
  /** The line rate where the device does not tell. */
  lineRateBps: { value: 56e9, evidence: 'documented', source: "Justitia's repository: 56 Gb/s" },
  /** Bytes of a message of the reference flow. */
  referenceBytes: {
    value: 16,
    evidence: 'calibrated',
    source: "as PeRF's latency-sensitive application (§5.1)",
  },
  /** A tenant of messages up to this size with few of them outstanding is latency-sensitive. */
  smallBytes: { value: 1024, evidence: 'documented', source: 'PeRF §3.3 draws the line at 1 KB' },
  fewOutstanding: { value: 5, evidence: 'documented', source: 'PeRF §3.3: five' },
} as const satisfies Record<string, SchemeConstant>;
