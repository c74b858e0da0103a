import type { ComparePoint, Comparison } from '../jobs/compare/index.js';

/** The points of a variant's line. */
export function pointsOf(
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

/** Where each value stands on the axis: even steps for words, else by size or its logarithm. */
export function placesOf(values: readonly (number | string)[]): number[] {
  const numbers = values.map(Number);
  if (values.some((value) => typeof value !== 'number') || numbers.length < 2) return [...values.keys()];
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  if (least > 0 && most / least >= 10) return numbers.map((value) => Math.log2(value / least));
  return numbers.map((value) => value - least);
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
