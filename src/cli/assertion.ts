import { KelpieError } from '../error.js';
import type { HostMeasurement, Measurement, TenantMeasurement, Workload } from '../workload/index.js';

const RATES = ['goodputGbps', 'wireGbps', 'messagesPerSecond', 'packetsPerSecond'] as const;
const LATENCIES = ['min', 'mean', 'stdev', 'p50', 'p99', 'p999', 'max'] as const;
const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
  '==': (left, right) => left === right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
};
const PATTERN = /^\s*([A-Za-z][^<>=]*?)\s*(>=|<=|==|>|<)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;
const ALLOWED =
  `METRIC OP NUMBER with OP one of >= <= == > < and METRIC one of ${RATES.join(', ')}, pauseRatio, dropped, latencyNs.p99 (or ${LATENCIES.join(', ')}), ` +
  'tenant.NAME.METRIC, host.NAME.pauseRatio, host.NAME.counters.COUNTER';

/** A threshold that a run must meet. */
export interface Assertion {
  text: string;
  /** The value, or null where the provider does not say. */
  value(measurement: Measurement): number | null;
  holds(measurement: Measurement): boolean;
}

/**
 * Reads a threshold such as `goodputGbps>=90` or `tenant.victim.latencyNs.p99<5000`; a metric that the workload cannot
 * have is refused before anything runs.
 */
export function parseAssertion(text: string, workload: Workload): Assertion {
  const parts = PATTERN.exec(text);
  if (parts === null)
    throw new KelpieError('BAD_FLAG', 'this is no threshold', {
      field: '--assert',
      given: text,
      allowed: ALLOWED,
    });
  const [, metric, operator, bound] = parts;
  const value = readerOf(metric, workload);
  if (value === null)
    throw new KelpieError('BAD_FLAG', 'there is no such metric', {
      field: '--assert',
      given: text,
      allowed: ALLOWED,
    });
  const holds = (measurement: Measurement) => {
    const found = value(measurement);
    return found !== null && COMPARISONS[operator](found, Number(bound));
  };
  return { text, value, holds };
}

type Reader = (measurement: Measurement) => number | null;

function readerOf(metric: string, workload: Workload): Reader | null {
  const steps = metric.split('.');
  if (steps[0] === 'tenant') return tenantReader(metric.slice('tenant.'.length), workload);
  if (steps[0] === 'host' && steps.length >= 3) return hostReader(steps[1], steps.slice(2));
  if (isRate(metric)) return ({ total }) => total[metric];
  if (metric === 'pauseRatio' || metric === 'dropped') return (measurement) => measurement[metric];
  const latency = latencyField(metric);
  if (latency === null) return null;
  return ({ tenants }) => {
    // Several tenants: the worst of them.
    const values = tenants.flatMap(({ latencyNs }) => (latencyNs === null ? [] : [latencyNs[latency]]));
    return values.length === 0 ? null : Math.max(...values);
  };
}

function tenantReader(rest: string, workload: Workload): Reader | null {
  const tenant = workload.tenants.find(({ name }) => rest.startsWith(`${name}.`));
  if (tenant === undefined) return null;
  const metric = rest.slice(tenant.name.length + 1);
  const find = (measurement: Measurement): TenantMeasurement =>
    measurement.tenants.find(({ name }) => name === tenant.name)!;
  if (isRate(metric)) return (measurement) => find(measurement)[metric];
  const latency = latencyField(metric);
  return latency === null ? null : (measurement) => find(measurement).latencyNs?.[latency] ?? null;
}

function hostReader(host: string, metric: readonly string[]): Reader | null {
  const find = (measurement: Measurement): HostMeasurement | undefined =>
    measurement.hosts.find(({ name }) => name === host);
  if (metric.length === 1 && metric[0] === 'pauseRatio')
    return (measurement) => find(measurement)?.pauseRatio ?? null;
  if (metric.length === 1 && metric[0] === 'busyShare')
    return (measurement) => find(measurement)?.busyShare ?? null;
  if (metric.length === 2 && metric[0] === 'counters')
    return (measurement) => find(measurement)?.counters[metric[1]] ?? null;
  return null;
}

function isRate(metric: string): metric is (typeof RATES)[number] {
  return (RATES as readonly string[]).includes(metric);
}

function latencyField(metric: string): (typeof LATENCIES)[number] | null {
  const field = metric.startsWith('latencyNs.') ? metric.slice('latencyNs.'.length) : '';
  return (LATENCIES as readonly string[]).includes(field) ? (field as (typeof LATENCIES)[number]) : null;
}
