import { KelpieError } from '../../error.js';
import type { Check } from './check-files.js';

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
  '==': (left, right) => left === right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
};
const PATTERN = /^\s*([A-Za-z][^<>=]*?)\s*(>=|<=|==|>|<)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;

/** A threshold that a figure must meet. */
export interface Threshold {
  readonly text: string;
  readonly metric: string;
  /** Whether a figure meets it; one that is not known does not. */
  holds(value: unknown): boolean;
}

/** Reads a threshold such as `goodputGbps>=90`; `metrics` says in words what may stand on its left. */
export function parseThreshold(text: string, metrics: string): Threshold {
  const parts = PATTERN.exec(text);
  if (parts === null)
    throw new KelpieError('BAD_FLAG', 'not a threshold', {
      field: '--assert',
      given: text,
      allowed: `METRIC OP NUMBER with OP one of >= <= == > < and METRIC one of ${metrics}`,
    });
  const [, metric, operator, bound] = parts;
  return {
    text,
    metric,
    holds: (value) => typeof value === 'number' && COMPARISONS[operator](value, Number(bound)),
  };
}

/** Broken assertions of more points are counted, not listed. */
const MOST_LISTED = 20;

/** A point of a sweep or a comparison. */
export interface MeasuredPoint {
  readonly name: string;
  readonly readings: Readonly<Record<string, number | null>> | null;
}

/** A reading with as many digits as people read. */
function shown(value: number | null | undefined): string {
  return value === null || value === undefined ? 'not known' : String(Number(value.toPrecision(6)));
}

/** A threshold holds where it holds at every point that was measured. */
export function checkPoints({ text, metric, holds }: Threshold, points: readonly MeasuredPoint[]): Check {
  const measured = points.filter(({ readings }) => readings !== null);
  const broken = measured.filter(({ readings }) => !holds(readings?.[metric]));
  const listed = broken
    .slice(0, MOST_LISTED)
    .map(({ name, readings }) => `${shown(readings?.[metric])} at ${name}`);
  const more = broken.length > MOST_LISTED ? `; and ${broken.length - MOST_LISTED} more` : '';
  const found = broken.length === 0 ? `at all of ${measured.length} points` : `${listed.join('; ')}${more}`;
  return { name: text, passed: broken.length === 0 && measured.length > 0, found };
}
