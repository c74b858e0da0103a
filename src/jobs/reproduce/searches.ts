import type { Measurement } from '../../workload/index.js';
import {
  type Budget,
  type HuntAnswer,
  type HuntPlan,
  type HuntTask,
  hunt,
  orderHunt,
  type SearchSummary,
  searchVariants,
  summarise,
} from '../hunt/index.js';
import type { Pool } from '../pool/index.js';
import { SEARCH_SEEDS, type SearchRow } from './rows/collie-search.js';
import type { RowResult } from './task.js';

/** How searches are compared. */
export interface SearchOptions {
  /** The first of the seeds. */
  seed: number;
  /** Runs the experiments; here, one at a time, unless set. Stays open. */
  pool?: Pool<HuntTask, Measurement>;
  signal: AbortSignal;
  /** Called after each experiment of each hunt. */
  onProgress?: (progress: SearchProgress) => void;
  /** How long each hunt searches; as long as a hunt does unless set. */
  budget?: Budget;
  seeds?: number;
}

/** How far a comparison is. */
export interface SearchProgress {
  search: string;
  seed: number;
  experiments: number;
  /** Hunts that have ended, of how many. */
  ended: number;
  hunts: number;
}

/** What came of a comparison. */
export interface SearchOutcome {
  results: RowResult[];
  summaries: SearchSummary[];
}

/**
 * Runs the searches that these rows compare, each with every seed, once (Collie Figures 4 and 5). Rows whose searches did
 * not all end before the signal was raised are left out.
 */
export async function compareSearches(
  rows: readonly SearchRow[],
  options: SearchOptions,
): Promise<SearchOutcome> {
  const names = new Set(rows.flatMap(({ searches }) => searches));
  const variants = searchVariants.filter(({ name }) => names.has(name));
  const seeds = Array.from({ length: options.seeds ?? SEARCH_SEEDS }, (_, index) => options.seed + index);
  const summaries = new Map<string, SearchSummary>();
  let ended = 0;
  for (const { name, plan } of variants) {
    const answers: HuntAnswer[] = [];
    for (const seed of seeds) {
      const answer = await search(plan, seed, options, (experiments) =>
        options.onProgress?.({
          ...{ search: name, seed, experiments, ended, hunts: variants.length * seeds.length },
        }),
      );
      if (answer.partial) return { results: resultsOf(rows, summaries), summaries: [...summaries.values()] };
      answers.push(answer);
      ended++;
    }
    summaries.set(name, summarise(name, answers));
  }
  return { results: resultsOf(rows, summaries), summaries: [...summaries.values()] };
}

function search(
  variant: Pick<HuntPlan, 'strategy' | 'counters' | 'mfs'>,
  seed: number,
  { budget, pool, signal }: SearchOptions,
  onExperiment: (experiments: number) => void,
): Promise<HuntAnswer> {
  const { plan: usual, ...order } = orderHunt({ seed });
  const plan: HuntPlan = { ...usual, ...variant, advice: false, budget: budget ?? usual.budget };
  return hunt(
    { ...order, plan },
    {
      ...(pool === undefined ? {} : { pool }),
      onExperiment: (_, state) => onExperiment(state.experiments),
      signal,
    },
  );
}

function resultsOf(rows: readonly SearchRow[], summaries: ReadonlyMap<string, SearchSummary>): RowResult[] {
  return rows
    .filter(({ searches }) => searches.every((name) => summaries.has(name)))
    .map(({ id, expected, judge }) => {
      const { marks, ...finding } = judge(summaries);
      return {
        ...{ id, paper: expected, unit: 'anomalies', tolerance: 'trend' },
        ...(marks ?? { trend: finding.ok, magnitude: null }),
        ...finding,
      };
    });
}
