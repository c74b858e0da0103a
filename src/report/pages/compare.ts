import type { Comparison } from '../../jobs/compare/index.js';
import { figures } from '../figures.js';
import type { Html } from '../html.js';
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
    headline: title,
    lead: [
      `${points.length} points${parameter === null ? '' : ` over ${parameter}`}${partial ? '; interrupted: the others were not measured' : ''}.`,
      ...shown.slice(0, 1).map((metric) => spanOf(comparison, metric)),
      ...(refused.length === 0
        ? []
        : [`${refused.length} ${refused.length === 1 ? 'was' : 'were'} refused.`]),
    ].join(' '),
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

/** The least and the greatest value of a metric, and where they are. */
function spanOf({ points, parameter, variants }: Comparison, metric: string): string {
  const { title, factor } = unitOf(metric);
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
  const at = ({ variant, value, reading }: (typeof read)[number]) => {
    const where = [
      ...(variants.length > 1 ? [variant] : []),
      ...(value === null ? [] : [`${parameter} ${value}`]),
    ];
    return `${figures(reading * factor)}${where.length === 0 ? '' : ` (${where.join(', ')})`}`;
  };
  return least.reading === most.reading
    ? `${title}: ${figures(least.reading * factor)} at every point.`
    : `${title}: from ${at(least)} to ${at(most)}.`;
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
