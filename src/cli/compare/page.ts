import type { Comparison } from '../../jobs/compare/index.js';
import { htmlPage } from '../html-page.js';
import { escapeHtml, type Series, svgChart } from '../hunt/chart.js';
import { figures, pointAt, valuesOf } from './report.js';

const COLOURS = ['#0b62a3', '#b3372f', '#3c7d3c', '#8a5a00', '#6b3fa0', '#00707a', '#a3195b', '#555555'];

/** A comparison on one page that needs no other file: a plot and a table for each metric. */
export function comparePage(title: string, comparison: Comparison, shown: readonly string[]): string {
  const { seed, partial, points } = comparison;
  const refused = points.filter((point) => point.refused !== undefined);
  return htmlPage(title, [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>Seed ${seed}${partial ? ', interrupted' : ''}: ${points.length} points.</p>`,
    ...shown.flatMap((metric) => [
      `<h2>${escapeHtml(metric)}</h2>`,
      ...(comparison.parameter === null ? [] : [plot(comparison, metric)]),
      table(comparison, metric),
    ]),
    ...(refused.length === 0
      ? []
      : [
          '<h2>Refused</h2><ul>',
          ...refused.map(
            ({ variant, value, refused: reason }) =>
              `<li>${escapeHtml(`${variant} at ${value ?? '-'}: ${reason}`)}</li>`,
          ),
          '</ul>',
        ]),
  ]);
}

/** The plot of a metric: one line per variant, over the logarithm of the value where values span a decade. */
export function plot(comparison: Comparison, metric: string): string {
  const { variants, points, parameter, values } = comparison;
  const place = placesOf(values);
  const series = variants.map((name, index): Series => {
    const own = values.flatMap((value, at): [number, number][] => {
      const reading = pointAt(points, name, value)?.readings?.[metric];
      return reading === undefined || reading === null ? [] : [[place[at], reading]];
    });
    return { name, colour: COLOURS[index % COLOURS.length], points: own };
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

function table(comparison: Comparison, metric: string): string {
  const { variants, points, parameter } = comparison;
  const head = [parameter ?? '', ...variants].map((name) => `<th>${escapeHtml(name)}</th>`).join('');
  const rows = valuesOf(comparison).map((value) => {
    const cells = variants.map((variant) => {
      const reading = pointAt(points, variant, value)?.readings?.[metric];
      return `<td class="n">${reading === undefined || reading === null ? '-' : figures(reading)}</td>`;
    });
    return `<tr><td>${value === null ? '' : escapeHtml(String(value))}</td>${cells.join('')}</tr>`;
  });
  return `<table><tr>${head}</tr>${rows.join('\n')}</table>`;
}
