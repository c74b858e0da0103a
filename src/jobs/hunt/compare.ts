import { Statistics } from '../../engine/index.js';
import { answerOf, type HuntAnswer } from './answer.js';
import { type Experiment, type HuntPlan, hunt } from './hunt.js';

/** A way to search, by the name that Figures 4 and 5 give it. */
export interface SearchVariant {
  name: string;
  plan: Pick<HuntPlan, 'strategy' | 'counters' | 'mfs'>;
}

/** The searches of Figures 4 and 5. */
export const searchVariants: readonly SearchVariant[] = [
  { name: 'Random', plan: { strategy: 'random', counters: ['performance'], mfs: true } },
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
  /** Hours until the n-th row, over the seeds that found so many. */
  hoursToNth: { n: number; seeds: number; mean: number; deviation: number }[];
}

/**
 * Runs each search with each seed and says how many anomalies each found, and when (Collie Figures 4 and 5).
 *
 * @example
 * const summaries = await compareSearches(searchVariants, [1, 2, 3, 4, 5], (plan) => runPlan(plan));
 */
export async function compareSearches(
  variants: readonly SearchVariant[],
  seeds: readonly number[],
  run: (plan: Pick<HuntPlan, 'strategy' | 'counters' | 'mfs' | 'seed'>) => Promise<HuntAnswer>,
): Promise<SearchSummary[]> {
  const summaries: SearchSummary[] = [];
  for (const { name, plan } of variants) {
    const answers: HuntAnswer[] = [];
    for (const seed of seeds) answers.push(await run({ ...plan, seed }));
    summaries.push(summarise(name, answers));
  }
  return summaries;
}

/** A hunt as {@link compareSearches} wants it. */
export async function huntAnswer(
  subsystem: string,
  plan: HuntPlan,
  experiment: Experiment,
): Promise<HuntAnswer> {
  return answerOf(subsystem, plan, await hunt(plan, { experiment }), 0);
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
