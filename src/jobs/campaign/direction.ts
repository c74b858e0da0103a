/** Which way a metric gets worse. */
export type WorseWhen = 'more' | 'less';

/** Ends of metrics' names and which way they get worse; the others only move, as what a hunt finds does. */
const WORSE: readonly (readonly [end: RegExp, worse: WorseWhen])[] = [
  [/(Gbps|PerSecond)$/, 'less'],
  [/^(finished|held|ok|trend|magnitude|named)$/, 'less'],
  [/(Ratio|Slowdown|CompletionNs|EndNs|Us)$/, 'more'],
  [/latencyNs\.\w+$/i, 'more'],
  [/^(anomaly|violated|refused|drops|lost|pauseFrames|findings|admitted)$/, 'more'],
];

/**
 * Which way of a metric is worse; null where neither is.
 *
 * @example
 * worseWhen('tenant.rpc.latencyNs.p99'); // 'more'
 * worseWhen('experiments'); // null
 */
export function worseWhen(metric: string): WorseWhen | null {
  return WORSE.find(([end]) => end.test(metric))?.[1] ?? null;
}
