import { Statistics } from '../../../engine/index.js';
import type { HuntAnswer } from '../answer/answer.js';
import type { HuntPlan } from '../run-plan.js';

/** A way to search, by the name that Figures 4 and 5 give it. */
export interface SearchVariant {
  name: string;
  plan: Pick<HuntPlan, 'strategy' | 'counters' | 'mfs'>;
}

/** The searches of Figures 4 and 5. Sets are Collie's, and lent to Bayesian optimisation (§7.2): random input has none. */
export const searchVariants: readonly SearchVariant[] = [
  { name: 'Random', plan: { strategy: 'random', counters: ['performance'], mfs: false } },
  { name: 'BO', plan: { strategy: 'bayesian', counters: ['diagnostic'], mfs: true } },
  { name: 'SA (Perf)', plan: { strategy: 'annealing', counters: ['performance'], mfs: false } },
  { name: 'SA (Diag)', plan: { strategy: 'annealing', counters: ['diagnostic'], mfs: false } },
  { name: 'Collie (Perf)', plan: { strategy: 'annealing', counters: ['performance'], mfs: true } },
  { name: 'Collie (Diag)', plan: { strategy: 'annealing', counters: ['diagnostic'], mfs: true } },
];

/** What several seeds of a search came to. */
export interface SearchSummary {
  name: string;
  seeds: number;
  /** Distinct rows of Table 2 that were found. */
  found: { mean: number; deviation: number };
  /** Hours until the n-th row, over the seeds that found this many. */
  hoursToNth: { n: number; seeds: number; mean: number; deviation: number }[];
}

/** Several answers of one search as mean and deviation. */
export function summarise(name: string, answers: readonly HuntAnswer[]): SearchSummary {
  const found = new Statistics();
  const most = Math.max(0, ...answers.map(({ rows }) => rows.length));
  for (const { rows } of answers) found.add(rows.length);
  const hoursToNth = Array.from({ length: most }, (_, index) => {
    const statistics = new Statistics();
    for (const { rows } of answers) if (rows.length > index) statistics.add(rows[index].hours);
    return { n: index + 1, seeds: statistics.count, mean: statistics.mean, deviation: spread(statistics) };
  });
  return {
    name,
    seeds: answers.length,
    found: { mean: found.mean, deviation: spread(found) },
    hoursToNth,
  };
}

function spread({ count, deviation }: Statistics): number {
  return count < 2 ? 0 : deviation;
}
