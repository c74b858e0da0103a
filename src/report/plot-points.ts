import type { ComparePoint, Comparison } from '../jobs/compare/index.js';
import type { ChartPoint } from './line-chart.js';

/** The points of a variant's line, each reading multiplied by `factor`; a gap where there is no reading. */
export function pointsOf(
  { points, values }: Comparison,
  variant: string,
  metric: string,
  factor = 1,
): ChartPoint[] {
  return values.map((value) => {
    const reading = pointAt(points, variant, value)?.readings?.[metric];
    return [value, reading === undefined || reading === null ? null : reading * factor];
  });
}

/** The values of the sweep; one that is null where nothing is swept. */
export function valuesOf({ values }: Comparison): readonly (number | string | null)[] {
  return values.length === 0 ? [null] : values;
}

/** The point of a variant at a value. */
export function pointAt(
  points: readonly ComparePoint[],
  variant: string,
  value: number | string | null,
): ComparePoint | undefined {
  return points.find((point) => point.variant === variant && point.value === value);
}
