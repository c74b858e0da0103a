import type { Workload } from '../description/description.js';
import { SAMPLES_NEEDED } from './latency-summary.js';
import type { Measurement, TenantMeasurement } from './measurement.js';

const RATES = ['goodputGbps', 'wireGbps', 'messagesPerSecond', 'packetsPerSecond'] as const;
const LATENCIES = ['min', 'mean', 'stdev', 'p50', 'p99', 'p999', 'max'] as const;

/** What a metric may be, for people. */
export const METRICS_IN_WORDS =
  `${RATES.join(', ')}, sentGbps, pauseRatio, dropped, counters.COUNTER, latencyNs.p99 (or ${LATENCIES.join(', ')}), ` +
  'tenant.NAME.METRIC, host.NAME.pauseRatio (or pausedRatio, busyShare), host.NAME.counters.COUNTER';

/** Reads a value; words where there is none and it is known why. */
export type MetricReader = (measurement: Measurement) => number | string | null;

type LatencyField = (typeof LATENCIES)[number];

/**
 * Reads a metric by its name off the Measurements of a workload; null where the workload cannot have it.
 *
 * @example
 * metricReader('tenant.victim.latencyNs.p99', workload)?.(measurement);
 */
export function metricReader(metric: string, workload: Workload): MetricReader | null {
  const steps = metric.split('.');
  if (steps[0] === 'tenant') return tenantReader(metric.slice('tenant.'.length), workload);
  if (steps[0] === 'host') return hostReader(metric.slice('host.'.length));
  if (steps[0] === 'counters') return counterReader(metric.slice('counters.'.length));
  if (metric === 'sentGbps') return sentGbps;
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

function tenantReader(rest: string, workload: Workload): MetricReader | null {
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
  return latencyNs[field] ?? `${latencyNs.samples} samples are too few for it; it takes ${needed}`;
}

/** Host names may have dots, so the metric is looked for at the end; `h0/rnic1` is a device of a host with several. */
function hostReader(rest: string): MetricReader | null {
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

/** What the busiest port sent, what was sent again included. */
function sentGbps({ hosts }: Measurement): number | null {
  const sent = hosts.flatMap(({ port }) => (port === null ? [] : [port.txGbps]));
  return sent.length === 0 ? null : Math.max(...sent);
}

/** A counter of all hosts together. */
function counterReader(counter: string): MetricReader | null {
  if (counter === '') return null;
  return ({ hosts }) => {
    const counted = hosts.flatMap(({ counters }) => counters[counter] ?? []);
    return counted.length === 0 ? null : counted.reduce((sum, each) => sum + each, 0);
  };
}

function isRate(metric: string): metric is (typeof RATES)[number] {
  return (RATES as readonly string[]).includes(metric);
}

function latencyField(metric: string): LatencyField | null {
  const field = metric.startsWith('latencyNs.') ? metric.slice('latencyNs.'.length) : '';
  return (LATENCIES as readonly string[]).includes(field) ? (field as LatencyField) : null;
}
