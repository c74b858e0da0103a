import type { Measurement } from '../workload/index.js';
import { type Html, html, NOTHING } from './html.js';
import { limitText } from './limit-text.js';
import { type Line, lineChart } from './line-chart.js';
import { doubts, hostCard, rateTable, timeCharts, workloadCard } from './measurement-cards.js';
import { card, numberCell, sortable } from './parts.js';

/** Counters per size: a page of many sizes stays short. */
const FEW_COUNTERS = 12;

/** The answer of runs over message sizes: how much the best of them reached. */
export function sizesHeadline(measurements: readonly Measurement[], as: 'rate' | 'latency'): string {
  if (as === 'rate') {
    const [best] = [...measurements].sort((one, other) => other.total.goodputGbps - one.total.goodputGbps);
    return `up to ${best.total.goodputGbps.toFixed(1)} Gb/s, at ${sizeOf(best)}`;
  }
  const [first, last] = [measurements[0], measurements[measurements.length - 1]];
  return `${medianOf(first)} at ${sizeOf(first)}, ${medianOf(last)} at ${sizeOf(last)}`;
}

/** Runs over message sizes: all of them in two charts and a table, then each behind a line. */
export function sizeCards(measurements: readonly Measurement[], as: 'rate' | 'latency'): Html[] {
  return [
    card('By message size', charts(measurements, as), sizeTable(measurements)),
    html`<section class="card"><h2>Each size</h2><details><summary>Rates, hosts and charts over time</summary>${measurements.map(eachSize)}</details></section>`,
    workloadCard(measurements[0]),
  ];
}

function eachSize(measurement: Measurement): Html {
  const { verdict, limits } = measurement;
  const outcome = verdict.anomaly ? `Anomaly (${verdict.symptom})` : 'No anomaly';
  return html`<details class="size"><summary><b>${sizeOf(measurement)}</b> <span class="muted">${outcome}. ${limitText(limits.by)}</span></summary><div class="inside">${rateTable(measurement)}${doubts(measurement)}${measurement.series.timeNs.length === 0 ? NOTHING : timeCharts(measurement)}${hostCard(measurement, FEW_COUNTERS)}</div></details>`;
}

function charts(measurements: readonly Measurement[], as: 'rate' | 'latency'): Html {
  const xs = measurements.map(bytesOf);
  const line = (name: string, value: (each: Measurement) => number | null, dashed = false): Line => ({
    name,
    dashed,
    points: measurements.map((each, index) => [xs[index], value(each)]),
  });
  const latency = (name: string, which: 'p50' | 'p99', dashed = false) =>
    line(name, ({ tenants }) => us(tenants[0].latencyNs?.[which]), dashed);
  const shared = {
    ...({ xTitle: 'message size', spacing: 'log', dots: true, numbers: false, xTicks: xs } as const),
    xLabel: (value: number | string) => bytesText(Number(value)),
  };
  const lineRate = measurements[0].verdict.bounds?.lineRateGbps;
  const ways = new Set(measurements[0].directions.map(({ from, to }) => `${from} ${to}`)).size;
  const goodput = {
    ...{ title: 'goodput, Gb/s', lines: [line('goodput', ({ total }) => total.goodputGbps)], ...shared },
    ...(lineRate === undefined
      ? {}
      : {
          reference: { name: ways === 2 ? 'line rate, both ways' : 'line rate', value: lineRate * ways },
        }),
  };
  const second =
    as === 'rate'
      ? {
          title: 'M messages/s',
          lines: [line('messages', ({ total }) => total.messagesPerSecond / 1e6)],
        }
      : {
          title: 'latency, µs, by its logarithm',
          lines: [latency('median', 'p50'), latency('p99', 'p99', true)],
          vertical: 'log' as const,
        };
  const both = [lineChart(goodput), lineChart({ ...second, ...shared })];
  return html`<div class="charts">${as === 'rate' ? both : both.reverse()}</div>`;
}

function sizeTable(measurements: readonly Measurement[]): Html {
  const rows = measurements.map((each) => {
    const { total, tenants, verdict, limits } = each;
    const { latencyNs } = tenants[0];
    return [
      { text: sizeOf(each), value: bytesOf(each) },
      numberCell(total.goodputGbps),
      numberCell(total.messagesPerSecond / 1e6, 3),
      numberCell(us(latencyNs?.p50)),
      numberCell(us(latencyNs?.p99)),
      limits.part?.name ?? limits.by,
      verdict.anomaly ? `✕ ${verdict.symptom}` : 'none',
    ];
  });
  const head = ['size', 'goodput, Gb/s', 'M messages/s', 'median, µs', 'p99, µs', 'limited by', 'anomaly'];
  return sortable('Message sizes', head, rows, [0, 1, 2, 3, 4]);
}

function us(valueNs: number | null | undefined): number | null {
  return valueNs == null ? null : valueNs / 1000;
}

function medianOf({ tenants }: Measurement): string {
  const median = us(tenants[0].latencyNs?.p50);
  return median === null ? 'no message' : `${median.toFixed(2)} µs`;
}

function bytesOf({ workload }: Measurement): number {
  return workload.tenants[0].sizes.flat().reduce((sum, size) => sum + size, 0);
}

function sizeOf(measurement: Measurement): string {
  return bytesText(bytesOf(measurement));
}

function bytesText(bytes: number): string {
  if (bytes >= 2 ** 20 && bytes % 2 ** 20 === 0) return `${bytes / 2 ** 20} MB`;
  return bytes >= 1024 && bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} B`;
}
