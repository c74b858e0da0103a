import { KelpieError } from '../../error.js';
import type { Budget } from './run-plan.js';

const MAX_AMOUNT = { experiments: 1e6, hours: 1e4, wall: 1e6 };

/**
 * `600` experiments, `10h` hours of hardware, `90s` or `5m` of wall time.
 *
 * @example
 * parseBudget('10h'); // { kind: 'hours', amount: 10 }
 */
export function parseBudget(text: string): Budget {
  const parts = /^(\d+(?:\.\d+)?)\s*(|experiments?|h|hours?|s|seconds?|m|minutes?)$/.exec(text.trim());
  const unit = parts?.[2][0] ?? 'e';
  const kind = unit === 'h' ? 'hours' : unit === 's' || unit === 'm' ? 'wall' : 'experiments';
  const amount = Number(parts?.[1]) * (unit === 'm' ? 60 : 1);
  const good =
    amount > 0 && amount <= MAX_AMOUNT[kind] && (kind !== 'experiments' || Number.isInteger(amount));
  if (parts === null || !good)
    throw new KelpieError('BAD_BUDGET', 'not a budget', {
      field: 'budget',
      given: text,
      allowed: '600 (experiments), 10h (hours on real machines), 90s or 5m (wall time)',
    });
  return { kind, amount };
}
