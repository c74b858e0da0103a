import { stringify } from 'yaml';
import type { Explanation } from '../jobs/explain/index.js';
import type { DeviceMeasurement, Measurement } from '../workload/index.js';
import { type Html, html, NOTHING } from './html.js';
import { type Line, lineChart } from './line-chart.js';
import { card, items, numberCell, sortable } from './parts.js';

/** Counters that are worth a row: those that moved, the most first. */
const MOST_COUNTERS = 60;

/** The hosts of a run, with their counters behind a line. */
export function hostCard(measurement: Measurement, mostCounters = MOST_COUNTERS): Html {
  return card(
    'Hosts',
    hostTable(measurement),
    html`<details><summary>Counters of every host</summary>${counterTable(measurement, mostCounters)}</details>`,
  );
}

/** The workload as it ran. */
export function workloadCard({ workload, notes }: Measurement): Html {
  return card(
    'The workload',
    notes.length === 0 ? NOTHING : items(notes),
    html`<details><summary>With every default</summary><pre tabindex="0">${stringify(workload)}</pre></details>`,
  );
}

/** What was tried to prove what limits a run, and what each change did. */
export function limitsCard({ total, pauseRatio, verdict }: Measurement, { outcomes }: Explanation): Html {
  const share = (value: number | null) =>
    value === null ? numberCell(null) : { text: `${(value * 100).toFixed(1)} %`, value };
  const itself = { ...total, pauseRatio, symptom: verdict.symptom, faster: 1 };
  const rows = [{ name: 'as it is', ...itself, matters: false, clears: false }, ...outcomes].map((each) => [
    each.name,
    numberCell(each.goodputGbps),
    numberCell(each.messagesPerSecond / 1e6, 3),
    numberCell(each.faster),
    share(each.pauseRatio),
    each.symptom ?? 'none',
    each.matters ? (each.clears ? '✓ clears it' : '✓ faster') : '',
  ]);
  const head = ['what if', 'goodput, Gb/s', 'M messages/s', 'times as fast', 'pauses', 'anomaly', 'effect'];
  return card(
    'What limits it',
    html`<p class="small muted">The same run with each suspect off or twice as fast.</p>`,
    sortable('What limits it', head, rows, [1, 2, 3, 4]),
  );
}

/** Rates and latency, a row for all, for each direction and for each tenant. */
export function rateTable({ total, directions, tenants }: Measurement): Html {
  const us = (value: number | null | undefined) =>
    numberCell(value === null || value === undefined ? null : value / 1000);
  const rates = (name: string, each: Measurement['total']) => [
    name,
    numberCell(each.goodputGbps),
    numberCell(each.wireGbps),
    numberCell(each.messagesPerSecond / 1e6, 3),
    numberCell(each.packetsPerSecond / 1e6, 3),
  ];
  const none = [us(null), us(null), us(null), { text: '', value: null }];
  const rows = [
    [...rates('total', total), ...none],
    ...directions.map((way) => [...rates(`${way.from} to ${way.to}`, way), ...none]),
    ...tenants.map((tenant) => [
      ...rates(`tenant ${tenant.name}`, tenant),
      us(tenant.latencyNs?.p50),
      us(tenant.latencyNs?.p99),
      us(tenant.latencyNs?.p999),
      { text: String(tenant.latencyNs?.samples ?? ''), value: tenant.latencyNs?.samples ?? null },
    ]),
  ];
  const head = [
    'what',
    'goodput, Gb/s',
    'wire, Gb/s',
    'M messages/s',
    'M packets/s',
    'p50, µs',
    'p99, µs',
    'p99.9, µs',
    'samples',
  ];
  return sortable('Rates and latency', head, rows, [1, 2, 3, 4, 5, 6, 7, 8]);
}

/** Where a latency cannot be trusted, the reason stands under the table. */
export function doubts({ tenants }: Measurement): Html {
  const lines = tenants.flatMap(({ name, latencyNs }) =>
    latencyNs?.doubt == null ? [] : [`Latency of ${name}: ${latencyNs.doubt}`],
  );
  return lines.length === 0 ? NOTHING : items(lines);
}

/** How a run went, slice by slice. */
export function timeCharts({ series, directions, verdict, workload }: Measurement): Html {
  const us = series.timeNs.map((timeNs) => timeNs / 1000);
  const line = (name: string, values: readonly number[], colour: number, dashed = false): Line => ({
    ...{ name, colour, dashed },
    points: values.map((value, index) => [us[index] ?? 0, value] as const),
  });
  const goodput = Object.entries(series.tenants).map(([name, { goodputGbps }], index) =>
    line(name, goodputGbps, index + 1, index >= 1),
  );
  const pauses = Object.entries(series.hosts).flatMap(([name, { pauseRatio }], index) =>
    pauseRatio === null
      ? []
      : [
          line(
            `${name} pauses its peer`,
            pauseRatio.map((share) => share * 100),
            index === 0 ? 2 : 4,
            index > 0,
          ),
        ],
  );
  // One message at a time is nothing beside the line rate.
  const pingPong = workload.tenants.every(({ mode }) => mode === 'pingPong');
  const lineRate = pingPong ? null : lineRateOf(verdict.bounds?.lineRateGbps, directions);
  return html`<div class="charts">${[
    lineChart({
      title: 'goodput by tenant, Gb/s',
      xTitle: 'µs',
      lines: goodput,
      ...(lineRate === null ? {} : { reference: lineRate }),
    }),
    lineChart({ title: 'pauses sent, % of the time', xTitle: 'µs', lines: pauses, yMax: 100 }),
  ]}</div><p class="xs dim">A point per slice of the run, warm-up included. Goodput is counted where it arrives; a short slice can exceed the line rate when a full buffer drains.</p>`;
}

/** What two hosts can have at most, both ways together where data goes both ways; null where more hosts take part. */
function lineRateOf(
  gbps: number | undefined,
  directions: Measurement['directions'],
): { name: string; value: number } | null {
  const hosts = new Set(directions.flatMap(({ from, to }) => [from, to]));
  if (gbps === undefined || hosts.size > 2) return null;
  const ways = new Set(directions.map(({ from, to }) => `${from} ${to}`)).size;
  return ways === 2 ? { name: 'line rate, both ways', value: 2 * gbps } : { name: 'line rate', value: gbps };
}

function hostTable({ hosts }: Measurement): Html {
  const share = (value: number | null) =>
    value === null ? numberCell(null) : { text: `${(value * 100).toFixed(2)} %`, value };
  const row = (device: DeviceMeasurement) => [
    device.name,
    device.device,
    numberCell(device.port?.txGbps),
    numberCell(device.port?.rxGbps),
    share(device.pauseRatio),
    share(device.pausedRatio),
    numberCell(
      Object.values(device.dropped).reduce((sum, value) => sum + value, 0),
      0,
    ),
  ];
  const head = ['host', 'device', 'sent, Gb/s', 'received, Gb/s', 'pauses its peer', 'is paused', 'dropped'];
  const rows = hosts.flatMap((host) => (host.devices.length === 1 ? [row(host)] : host.devices.map(row)));
  return sortable('Hosts', head, rows, [2, 3, 4, 5, 6]);
}

function counterTable({ hosts }: Measurement, most: number): Html {
  const rows = hosts
    .flatMap(({ name, counters }) =>
      Object.entries(counters).map(([counter, value]) => ({ name, counter, value })),
    )
    .filter(({ value }) => value !== 0)
    .sort((one, other) => other.value - one.value)
    .slice(0, most)
    .map(({ name, counter, value }) => [name, counter, numberCell(value, 0)]);
  return sortable('Counters', ['host', 'counter', 'increase in the measured time'], rows, [2]);
}
