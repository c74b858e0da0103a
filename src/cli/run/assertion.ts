import { KelpieError } from '../../error.js';
import {
  type Measurement,
  SAMPLES_NEEDED,
  type TenantMeasurement,
  type Workload,
} from '../../workload/index.js';

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
  'tenant.NAME.METRIC, host.NAME.pauseRatio (or pausedRatio, busyShare), host.NAME.counters.COUNTER';

/** A threshold that a run must meet. */
export interface Assertion {
  text: string;
  holds(measurement: Measurement): boolean;
  /** What was found, or why nothing was. */
  found(measurement: Measurement): string;
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
  const read = readerOf(metric, workload);
  if (read === null)
    throw new KelpieError('BAD_FLAG', 'there is no such metric', {
      field: '--assert',
      given: text,
      allowed: ALLOWED,
    });
  const holds = (measurement: Measurement) => {
    const value = read(measurement);
    return typeof value === 'number' && COMPARISONS[operator](value, Number(bound));
  };
  return { text, holds, found: (measurement) => String(read(measurement) ?? 'the provider does not say') };
}

/** Reads a value; words where there is none and it is known why. */
type Reader = (measurement: Measurement) => number | string | null;

type LatencyField = (typeof LATENCIES)[number];

function readerOf(metric: string, workload: Workload): Reader | null {
  const steps = metric.split('.');
  if (steps[0] === 'tenant') return tenantReader(metric.slice('tenant.'.length), workload);
  if (steps[0] === 'host') return hostReader(metric.slice('host.'.length));
  if (isRate(metric)) return ({ total }) => total[metric];
  if (metric === 'pauseRatio' || metric === 'dropped') return (measurement) => measurement[metric];
  const latency = latencyField(metric);
  if (latency === null) return null;
  return ({ tenants }) => {
    // Several tenants: the worst of them, and what is not known of one is not known of the worst.
    const values = tenants.flatMap((tenant) => latencyOf(tenant, latency) ?? []);
    const words = values.find((value) => typeof value === 'string');
    return words ?? (values.length === 0 ? null : Math.max(...(values as number[])));
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
  return latency === null ? null : (measurement) => latencyOf(find(measurement), latency);
}

/** A latency that its samples carry, or why they do not. */
function latencyOf({ latencyNs }: TenantMeasurement, field: LatencyField): number | string | null {
  if (latencyNs === null) return null;
  if (latencyNs.doubt !== null) return latencyNs.doubt;
  const needed = field in SAMPLES_NEEDED ? SAMPLES_NEEDED[field as keyof typeof SAMPLES_NEEDED] : 1;
  return latencyNs[field] ?? `${latencyNs.samples} samples cannot carry it; it takes ${needed}`;
}

/** Host names may have dots, so the metric is looked for at the end; `h0/rnic1` is a device of a host with several. */
function hostReader(rest: string): Reader | null {
  const parts = /^(.+)\.(?:(pauseRatio|pausedRatio|busyShare)|counters\.([^.]+))$/.exec(rest);
  if (parts === null) return null;
  const [, name, metric, counter] = parts;
  return ({ hosts }) => {
    const host = hosts.find((each) => each.name === name);
    if (metric === 'busyShare') return host?.busyShare ?? null;
    const found = host ?? hosts.flatMap(({ devices }) => devices).find((each) => each.name === name);
    if (metric === undefined) return found?.counters[counter] ?? null;
    return found?.[metric as 'pauseRatio' | 'pausedRatio'] ?? null;
  };
}

function isRate(metric: string): metric is (typeof RATES)[number] {
  return (RATES as readonly string[]).includes(metric);
}

function latencyField(metric: string): LatencyField | null {
  const field = metric.startsWith('latencyNs.') ? metric.slice('latencyNs.'.length) : '';
  return (LATENCIES as readonly string[]).includes(field) ? (field as LatencyField) : null;
}
