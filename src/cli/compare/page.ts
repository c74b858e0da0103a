import type { Comparison } from '../../jobs/compare/index.js';
import { type Series, svgChart } from '../hunt/chart.js';
import type { Html } from '../report/html.js';
import { lineChart } from '../report/line-chart.js';
import { reportPage } from '../report/page.js';
import { card, items, sortable } from '../report/parts.js';
import { unitOf } from './metric-unit.js';
import { figures, pointAt, valuesOf } from './report.js';

const COLOURS = ['#0b62a3', '#b3372f', '#3c7d3c', '#8a5a00', '#6b3fa0', '#00707a', '#a3195b', '#555555'];

/** A comparison as a report: a chart and a table for each metric. */
export function comparePage(
  title: string,
  comparison: Comparison,
  shown: readonly string[],
  { job, line }: { job: string; line: string },
): string {
  const { seed, partial, points, variants, parameter } = comparison;
  const refused = points.filter((point) => point.refused !== undefined);
  return reportPage({
    title,
    job,
    mood: partial || refused.length > 0 ? 'warn' : 'ok',
    headline: title,
    lead: `${points.length} points${parameter === null ? '' : ` over ${parameter}`}${partial ? '; interrupted: the others were not measured' : ''}.${refused.length === 0 ? '' : ` ${refused.length} were refused.`}`,
    facts: [
      { name: 'points', value: String(points.length) },
      { name: 'variants', value: String(variants.length) },
      { name: 'seed', value: String(seed) },
    ],
    command: line,
    body: [
      ...shown.map((metric) =>
        card(metric, ...(parameter === null ? [] : [chart(comparison, metric)]), table(comparison, metric)),
      ),
      ...(refused.length === 0
        ? []
        : [
            card(
              'Refused',
              items(
                refused.map(
                  ({ variant, value, refused: reason }) => `${variant} at ${value ?? '–'}: ${reason}`,
                ),
              ),
            ),
          ]),
    ],
  });
}

/** The chart of a metric: one line per variant. */
function chart(comparison: Comparison, metric: string): Html {
  const { variants, parameter, values } = comparison;
  const place = placesOf(values);
  const { title, factor } = unitOf(metric);
  return lineChart({
    title,
    xTitle: parameter ?? '',
    lines: variants.map((name, index) => ({
      name,
      points: pointsOf(comparison, name, metric, place).map(([x, y]) => [x, y * factor] as const),
      dashed: index >= 6,
    })),
    xTicks: values.map((value, at): [number, string] => [place[at], String(value)]),
    dots: values.length <= 40,
  });
}

function pointsOf(
  { points, values }: Comparison,
  variant: string,
  metric: string,
  place: readonly number[],
): [number, number][] {
  return values.flatMap((value, at): [number, number][] => {
    const reading = pointAt(points, variant, value)?.readings?.[metric];
    return reading === undefined || reading === null ? [] : [[place[at], reading]];
  });
}

/** The plot of a metric: one line per variant, over the logarithm of the value where values span a decade. */
export function plot(comparison: Comparison, metric: string): string {
  const { variants, parameter, values } = comparison;
  const place = placesOf(values);
  const series = variants.map((name, index): Series => {
    return {
      name,
      colour: COLOURS[index % COLOURS.length],
      points: pointsOf(comparison, name, metric, place),
    };
  });
  const ticks = values.map((value, at): [number, string] => [place[at], String(value)]);
  return svgChart(parameter ?? '', metric, series, ticks);
}

/** Where each value stands on the axis: even steps for words, else by size or its logarithm. */
function placesOf(values: readonly (number | string)[]): number[] {
  const numbers = values.map(Number);
  if (values.some((value) => typeof value !== 'number') || numbers.length < 2) return [...values.keys()];
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  if (least > 0 && most / least >= 10) return numbers.map((value) => Math.log2(value / least));
  return numbers.map((value) => value - least);
}

function table(comparison: Comparison, metric: string): Html {
  const { variants, points, parameter } = comparison;
  const { title, factor } = unitOf(metric);
  const rows = valuesOf(comparison).map((value) => [
    typeof value === 'number' ? { text: String(value), value } : String(value ?? '–'),
    ...variants.map((variant) => {
      const reading = pointAt(points, variant, value)?.readings?.[metric];
      return reading === undefined || reading === null
        ? '–'
        : { text: figures(reading * factor), value: reading };
    }),
  ]);
  return sortable(title, [parameter ?? 'value', ...variants], rows, [
    0,
    ...variants.map((_, index) => index + 1),
  ]);
}
