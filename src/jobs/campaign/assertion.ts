import { KelpieError } from '../../error.js';

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
  '==': (left, right) => left === right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
};
const PATTERN =
  /^\s*([A-Za-z][^<>=*]*?)\s*(>=|<=|==|>|<)\s*(?:(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\*\s*last)?|(last))\s*$/i;

/** What must hold for every run, or against the same run of the last campaign. */
export interface CampaignAssertion {
  readonly text: string;
  readonly metric: string;
  /** Whether it needs the last campaign. */
  readonly relative: boolean;
  /** Whether it holds; null where there is nothing to hold it against. */
  holds(value: number | null, last: number | null | undefined): boolean | null;
}

/**
 * Reads `goodputGbps >= 90`, or `goodputGbps >= 0.95 * last`.
 *
 * @example
 * parseCampaignAssertion('goodputGbps >= 0.95 * last').holds(94, 100); // false
 */
export function parseCampaignAssertion(text: string): CampaignAssertion {
  const [, metric, operator, number, times, bare] = PATTERN.exec(text) ?? [];
  if (metric === undefined)
    throw new KelpieError('CAMPAIGN_BAD_ASSERTION', 'not an assertion', {
      field: 'assert',
      given: text,
      allowed: 'METRIC OP NUMBER, METRIC OP NUMBER * last or METRIC OP last, with OP one of >= <= == > <',
    });
  const relative = times !== undefined || bare !== undefined;
  const factor = number === undefined ? 1 : Number(number);
  return {
    text,
    metric,
    relative,
    holds: (value, last) => {
      if (relative && (last === undefined || last === null)) return null;
      // What must hold of a number does not hold where there is none.
      return value !== null && COMPARISONS[operator](value, relative ? factor * last! : factor);
    },
  };
}
