import type { Comparison } from '../../jobs/compare/index.js';
import { figures } from '../figures.js';
import { type Html, html } from '../html.js';
import { lineChart } from '../line-chart.js';
import { unitOf } from '../metric-unit.js';
import { reportPage } from '../page.js';
import { card, items, sortable } from '../parts.js';
import { pointAt, pointsOf, valuesOf } from '../plot-points.js';
import { spacingOf } from '../scale.js';

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
    ...(partial || refused.length === 0
      ? {}
      : { tag: `${refused.length} ${refused.length === 1 ? 'point was' : 'points were'} refused` }),
    headline: title,
    lead: [
      ...shown.slice(0, 1).flatMap((metric) => [answerOf(comparison, metric)]),
      `${points.length} points${parameter === null ? '' : ` over ${parameter}`}${partial ? '; interrupted: the others were not measured' : ''}.`,
    ].join(' '),
    facts: [
      { name: 'points', value: String(points.length) },
      { name: 'variants', value: String(variants.length) },
      { name: 'seed', value: String(seed) },
    ],
    command: line,
    body: [
      ...(parameter === null
        ? [card('Results', variantTable(comparison, shown))]
        : shown.map((metric) => metricCard(comparison, metric))),
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

/** A metric as a chart beside its table; the name that commands use stands with the words. */
function metricCard(comparison: Comparison, metric: string): Html {
  const { words } = unitOf(metric);
  const name = words === metric ? '' : html` <code class="xs dim">${metric}</code>`;
  const heading = html`<h2>${capital(words)}${name}</h2>`;
  return html`<section class="card">${heading}<div class="beside">${chart(comparison, metric)}${table(comparison, metric)}</div></section>`;
}

/** Without a sweep: a row per variant, a column per metric. */
function variantTable({ variants, points }: Comparison, shown: readonly string[]): Html {
  const columns = shown.map((metric) => {
    const { title, factor } = unitOf(metric);
    const readings = variants.map((variant) => pointAt(points, variant, null)?.readings?.[metric] ?? null);
    const decimals = decimalsOf(readings.flatMap((each) => (each === null ? [] : [each * factor])));
    const cells = readings.map((each) =>
      each === null ? '–' : { text: (each * factor).toFixed(decimals), value: each },
    );
    return { title, cells };
  });
  const rows = variants.map((variant, row) => [variant, ...columns.map(({ cells }) => cells[row])]);
  const head = ['variant', ...columns.map(({ title }) => title)];
  return sortable(
    'Results',
    head,
    rows,
    columns.map((_, index) => index + 1),
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** More variants than these are a list that nobody reads: the table has it. */
const MOST_SAID = 4;

/** What a comparison comes to: every variant at the end of the sweep, or how far the readings of one reach. */
function answerOf(comparison: Comparison, metric: string): string {
  const { variants, values, points, parameter } = comparison;
  const last = values[values.length - 1] ?? null;
  const { words, unit, factor } = unitOf(metric);
  const read = variants.flatMap((variant) => {
    const reading = pointAt(points, variant, last)?.readings?.[metric];
    return reading === undefined || reading === null ? [] : [{ variant, value: reading * factor }];
  });
  if (variants.length < 2 || variants.length > MOST_SAID || read.length === 0)
    return spanOf(comparison, metric);
  const [first, ...rest] = read.sort((one, other) => other.value - one.value);
  const said = [
    `${figures(first.value)}${unit === null ? '' : ` ${unit}`} (${first.variant})`,
    ...rest.map(({ variant, value }) => `${figures(value)} (${variant})`),
  ];
  const where = last === null ? '' : ` at ${parameter} ${last}`;
  return `${capital(words)}${where}: ${said.join('; ')}.`;
}

/** The least and the greatest value of a metric, and where they are. */
function spanOf({ points, parameter, variants }: Comparison, metric: string): string {
  const { words, unit, factor } = unitOf(metric);
  const read = points.flatMap((point) => {
    const reading = point.readings?.[metric];
    return reading === undefined || reading === null ? [] : [{ ...point, reading }];
  });
  if (read.length === 0) return '';
  const [least, most] = read.reduce(
    ([low, high], each) => [
      each.reading < low.reading ? each : low,
      each.reading > high.reading ? each : high,
    ],
    [read[0], read[0]],
  );
  const said = (reading: number) => `${figures(reading * factor)}${unit === null ? '' : ` ${unit}`}`;
  const at = ({ variant, value, reading }: (typeof read)[number]) => {
    const where = [
      ...(variants.length > 1 ? [variant] : []),
      ...(value === null ? [] : [`${parameter} ${value}`]),
    ];
    return `${said(reading)}${where.length === 0 ? '' : ` (${where.join(', ')})`}`;
  };
  return least.reading === most.reading
    ? `${capital(words)}: ${said(least.reading)} at every point.`
    : `${capital(words)}: from ${at(least)} to ${at(most)}.`;
}

/** The chart of a metric: one line per variant. */
function chart(comparison: Comparison, metric: string): Html {
  const { variants, parameter, values } = comparison;
  const { title, factor } = unitOf(metric);
  return lineChart({
    title,
    xTitle: parameter ?? '',
    lines: variants.map((name, index) => ({
      name,
      points: pointsOf(comparison, name, metric, factor),
      dashed: index % 2 === 1,
    })),
    spacing: spacingOf(values),
    xTicks: values,
    dots: values.length <= 40,
    numbers: false,
  });
}

function table(comparison: Comparison, metric: string): Html {
  const { variants, points, parameter } = comparison;
  const { title, factor } = unitOf(metric);
  const decimals = decimalsOf(
    points.flatMap(({ readings }) => readings?.[metric] ?? []).map((each) => each * factor),
  );
  const rows = valuesOf(comparison).map((value) => [
    typeof value === 'number' ? { text: String(value), value } : String(value ?? '–'),
    ...variants.map((variant) => {
      const reading = pointAt(points, variant, value)?.readings?.[metric];
      return reading === undefined || reading === null
        ? '–'
        : { text: (reading * factor).toFixed(decimals), value: reading };
    }),
  ]);
  return sortable(title, [parameter ?? 'value', ...variants], rows, [
    0,
    ...variants.map((_, index) => index + 1),
  ]);
}

/** Decimals of a column, so that its greatest value has four figures; none for whole numbers. */
function decimalsOf(values: readonly number[]): number {
  if (values.every(Number.isInteger)) return 0;
  const most = Math.max(...values.map(Math.abs));
  return Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(most))));
}
