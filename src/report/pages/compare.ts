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
  const { title, factor } = unitOf(metric);
  return lineChart({
    title,
    xTitle: parameter ?? '',
    lines: variants.map((name, index) => ({
      name,
      points: pointsOf(comparison, name, metric, factor),
      dashed: index >= 6,
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
