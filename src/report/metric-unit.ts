/** How a metric is shown to people: with its unit, and what its numbers are multiplied by. */
export interface MetricUnit {
  readonly title: string;
  readonly factor: number;
}

const MEBIBYTE = 2 ** 20;

/** Ends of metrics' names, the unit that people read them in, and the factor. */
const UNITS: readonly (readonly [end: RegExp, unit: string, factor: number])[] = [
  [/Gbps$/, 'Gb/s', 1],
  [/[mM]essagesPerSecond$/, 'M messages/s', 1e-6],
  [/[pP]acketsPerSecond$/, 'M packets/s', 1e-6],
  [/latencyNs\.\w+$/, 'us', 1e-3],
  [/FctUs$/, 'us', 1],
  [/Ratio$|Share$/, '% of the time', 100],
  [/Bytes$/, 'MiB', 1 / MEBIBYTE],
];

/**
 * The unit of a metric.
 *
 * @example
 * unitOf('tenant.rpc.latencyNs.p99'); // { title: 'tenant.rpc.latencyNs.p99, in us', factor: 0.001 }
 */
export function unitOf(metric: string): MetricUnit {
  const found = UNITS.find(([end]) => end.test(metric));
  return found === undefined
    ? { title: metric, factor: 1 }
    : { title: `${metric}, in ${found[1]}`, factor: found[2] };
}
