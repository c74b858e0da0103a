import type { DeviceMeasurement, LatencySummary, Measurement, Rates } from '../../workload/index.js';
import { formatTable } from '../terminal.js';

const LATENCY_HEAD = ['mean us', 'p50 us', 'p99 us', 'p99.9 us', 'samples'];

/** A Measurement for people. */
export function formatMeasurement(measurement: Measurement): string {
  const { workload, provider, profile, seed, steadyState, verdict } = measurement;
  const lines = [
    `${workload.name} on ${provider}${profile === null ? '' : ` (${profile})`}, seed ${seed}${measurement.partial ? ', PARTIAL: interrupted' : ''}`,
  ];
  const times = `warm-up ${us(steadyState.warmupNs)} us, measured ${us(steadyState.measuredNs)} us`;
  lines.push(`${steadyState.steady ? 'steady' : 'not steady'}: ${times}; ${steadyState.reason}`, '');
  const rows = [
    ['', 'goodput Gb/s', 'wire Gb/s', 'M messages/s', 'M packets/s', ...LATENCY_HEAD],
    rateRow('total', measurement.total),
    ...measurement.directions.map((way) => rateRow(`${way.from} to ${way.to}`, way)),
    ...measurement.tenants.map((tenant) => {
      return [...rateRow(`tenant ${tenant.name}`, tenant).slice(0, 5), ...latencyCells(tenant.latencyNs)];
    }),
  ];
  const text = `${lines.join('\n')}\n${formatTable(rows, [1, 2, 3, 4, 5, 6, 7, 8, 9])}\n${hostTable(measurement)}`;
  const failed = measurement.tenants.flatMap(({ name, failures }) =>
    Object.entries(failures).map(([status, count]) => `failures: tenant ${name}, ${count} x ${status}\n`),
  );
  const doubts = measurement.tenants.flatMap(({ name, latencyNs }) =>
    latencyNs?.doubt == null ? [] : [`latency of tenant ${name}: ${latencyNs.doubt}\n`],
  );
  const notes = measurement.notes.map((note) => `note: ${note}\n`);
  const outcome = verdict.anomaly ? `ANOMALY (${verdict.symptom})` : 'no anomaly';
  return `${text}${failed.join('')}${doubts.join('')}\nverdict: ${outcome}: ${verdict.why}\nlimited by: ${measurement.limits.by}\n${notes.join('')}`;
}

function hostTable({ hosts }: Measurement): string {
  const rows = hosts.flatMap((host) => {
    const busy = `${(host.busyShare * 100).toFixed(0)} %`;
    if (host.devices.length === 1) return [[...deviceRow('host', host), busy]];
    return host.devices.map((device, index) => [...deviceRow('device', device), index === 0 ? busy : '']);
  });
  return formatTable(
    [['', 'device', 'pauses', 'is paused', 'tx Gb/s', 'rx Gb/s', 'dropped', 'busiest core'], ...rows],
    [2, 3, 4, 5, 6, 7],
  );
}

function deviceRow(kind: string, device: DeviceMeasurement): string[] {
  const { name, port, pauseRatio, pausedRatio } = device;
  const dropped = Object.values(device.dropped).reduce((sum, value) => sum + value, 0);
  const rates = port === null ? ['-', '-'] : [port.txGbps.toFixed(2), port.rxGbps.toFixed(2)];
  return [`${kind} ${name}`, device.device, pause(pauseRatio), pause(pausedRatio), ...rates, String(dropped)];
}

/** A percentile that its samples cannot carry is a dash. */
function latencyCells(latencyNs: LatencySummary | null): string[] {
  if (latencyNs === null) return LATENCY_HEAD.map(() => '-');
  const { mean, p50, p99, p999, samples } = latencyNs;
  return [...[mean, p50, p99, p999].map((value) => (value === null ? '-' : us(value))), String(samples)];
}

/** Share of the time. */
function pause(ratio: number | null): string {
  return ratio === null ? '-' : `${(ratio * 100).toFixed(3)} %`;
}

function rateRow(name: string, rates: Rates): string[] {
  return [
    name,
    rates.goodputGbps.toFixed(2),
    rates.wireGbps.toFixed(2),
    mega(rates.messagesPerSecond),
    mega(rates.packetsPerSecond),
    ...LATENCY_HEAD.map(() => ''),
  ];
}

function mega(value: number): string {
  return (value / 1e6).toFixed(3);
}

function us(valueNs: number): string {
  return (valueNs / 1000).toFixed(2);
}
