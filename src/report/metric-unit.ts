/** How a metric is shown to people: in words, with its unit, and what its numbers are multiplied by. */
export interface MetricUnit {
  /** `median latency of rpc`; the metric's name where there are no better words. */
  readonly words: string;
  readonly unit: string | null;
  /** Words and unit: `median latency of rpc, µs`. */
  readonly title: string;
  readonly factor: number;
}

const MEBIBYTE = 2 ** 20;

/** Metrics and ends of metrics' names, what people call them, the unit that they are read in, and the factor. */
const METRICS: readonly (readonly [end: RegExp, words: string, unit: string, factor: number])[] = [
  [/goodputGbps$/, 'goodput', 'Gb/s', 1],
  [/wireGbps$/, 'rate on the wire', 'Gb/s', 1],
  [/sentGbps$/, 'rate sent', 'Gb/s', 1],
  [/[mM]essagesPerSecond$/, 'messages', 'M/s', 1e-6],
  [/[pP]acketsPerSecond$/, 'packets', 'M/s', 1e-6],
  [/latencyNs\.p50$/, 'median latency', 'µs', 1e-3],
  [/latencyNs\.p99$/, '99th percentile of latency', 'µs', 1e-3],
  [/latencyNs\.p999$/, '99.9th percentile of latency', 'µs', 1e-3],
  [/latencyNs\.mean$/, 'mean latency', 'µs', 1e-3],
  [/pauseRatio$/, 'pauses', '% of the time', 100],
  [/^chipBytes$/, 'memory on the chip', 'MiB', 1 / MEBIBYTE],
  [/^hostBytes$/, 'memory in the host', 'MiB', 1 / MEBIBYTE],
];

/** The same for all other metrics, which keep their names. */
const UNITS: readonly (readonly [end: RegExp, unit: string, factor: number])[] = [
  [/Gbps$/, 'Gb/s', 1],
  [/latencyNs\.\w+$/, 'µs', 1e-3],
  [/FctUs$/, 'µs', 1],
  [/Ratio$|Share$/, '% of the time', 100],
  [/Bytes$/, 'MiB', 1 / MEBIBYTE],
];

/**
 * The words and the unit of a metric.
 *
 * @example
 * unitOf('tenant.rpc.latencyNs.p50'); // { words: 'median latency of rpc', unit: 'µs', factor: 0.001, … }
 */
export function unitOf(metric: string): MetricUnit {
  const named = METRICS.find(([end]) => end.test(metric));
  if (named !== undefined) {
    const [end, words, unit, factor] = named;
    const of = metric.replace(end, '').replace(/^tenants?\.|\.$/g, '');
    return shown(of === '' || of === 'total' ? words : `${words} of ${of}`, unit, factor);
  }
  const [, unit, factor] = UNITS.find(([end]) => end.test(metric)) ?? [null, null, 1];
  return shown(metric, unit, factor);
}

function shown(words: string, unit: string | null, factor: number): MetricUnit {
  return { words, unit, title: unit === null ? words : `${words}, ${unit}`, factor };
}
