import type { ComparePoint, Comparison } from '../../jobs/compare/index.js';
import { figures } from '../../report/figures.js';
import { pointAt, valuesOf } from '../../report/plot-points.js';
import { formatTable } from '../terminal.js';

/** Reasons of refused points that are printed. */
const SHOWN_REASONS = 10;

/**
 * A comparison as text: a row per value, a column per variant, for each of the metrics that are shown. Without values, a
 * row per variant, a column per metric.
 */
export function formatComparison(comparison: Comparison, shown: readonly string[]): string {
  const { variants, points, parameter } = comparison;
  const lines: string[] = [];
  if (parameter === null) {
    const rows = variants.map((variant) => [
      variant,
      ...shown.map((metric) => cell(pointAt(points, variant, null), metric)),
    ]);
    lines.push(
      formatTable(
        [['', ...shown], ...rows],
        [...shown.keys()].map((column) => column + 1),
      ),
    );
  }
  for (const metric of parameter === null ? [] : shown) {
    const rows = valuesOf(comparison).map((value) => [
      String(value),
      ...variants.map((variant) => cell(pointAt(points, variant, value), metric)),
    ]);
    const head = [parameter ?? '', ...variants];
    lines.push(`${metric}\n${formatTable([head, ...rows], [...head.keys()])}`);
  }
  const refused = points.flatMap(({ refused: reason, variant, value }) =>
    reason === undefined ? [] : [`refused: ${variant}${value === null ? '' : ` at ${value}`}: ${reason}\n`],
  );
  lines.push(refused.slice(0, SHOWN_REASONS).join(''));
  if (refused.length > SHOWN_REASONS) lines.push(`and ${refused.length - SHOWN_REASONS} more\n`);
  lines.push(absentCounters(points, shown));
  if (comparison.partial) lines.push('PARTIAL: interrupted\n');
  return lines.filter((each) => each !== '').join('\n');
}

/** Counters that no point has, in words: they are mistyped, or other devices count them. */
export function absentCounters(
  points: readonly Pick<ComparePoint, 'readings'>[],
  shown: readonly string[],
): string {
  const measured = points.flatMap(({ readings }) => (readings === null ? [] : [readings]));
  const absent = shown.filter(
    (metric) =>
      /(?:^|\.)counters\./.test(metric) && measured.every((readings) => (readings[metric] ?? null) === null),
  );
  if (measured.length === 0) return '';
  return absent
    .map((metric) => `no device here has ${metric}: kelpie run --json lists what each counts\n`)
    .join('');
}

/** A comparison as CSV: a line per point, a column per metric (RFC 4180). */
export function csvOf({ points, parameter, metrics }: Comparison): string {
  const rows = points.map(({ variant, value, readings, refused }) => [
    variant,
    value ?? '',
    ...metrics.map((metric) => readings?.[metric] ?? ''),
    refused ?? '',
  ]);
  const head = ['variant', parameter ?? 'value', ...metrics, 'refused'];
  return csvLines([head, ...rows]);
}

/** Rows as CSV (RFC 4180). */
export function csvLines(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

function quoted(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cell(point: ComparePoint | undefined, metric: string): string {
  if (point?.refused !== undefined) return 'refused';
  const reading = point?.readings?.[metric];
  return reading === undefined || reading === null ? '-' : figures(reading);
}

/** How far a comparison is, for people. */
export function pointProgress({ variant, value }: ComparePoint, done: number, all: number): string {
  return `${done} of ${all} points, last ${variant}${value === null ? '' : ` at ${value}`}`;
}
