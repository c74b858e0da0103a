import {
  answerOf,
  type Budget,
  type HuntAnswer,
  type HuntPlan,
  hunt,
  type SearchSummary,
  searchVariants,
  summarise,
} from '../../jobs/hunt/index.js';
import { type RowResult, SEARCH_SEEDS, type SearchRow } from '../../jobs/reproduce/index.js';
import { type ExperimentRunner, startExperiments } from '../hunt/experiments.js';
import { planOf } from '../hunt/plan.js';

/** How searches are compared. */
export interface SearchOptions {
  /** The first of the seeds. */
  seed: number;
  threads: number;
  signal: AbortSignal;
  /** Called after each experiment of each hunt. */
  onProgress?: (progress: SearchProgress) => void;
  /** How long each hunt searches; as long as `kelpie hunt` does where left out. */
  budget?: Budget;
  seeds?: number;
  workerUrl?: URL;
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

async function search(
  variant: Pick<HuntPlan, 'strategy' | 'counters' | 'mfs'>,
  seed: number,
  { budget, threads, signal, workerUrl }: SearchOptions,
  onExperiment: (experiments: number) => void,
): Promise<HuntAnswer> {
  const { subsystem, bench, plan: usual } = planOf({ seed: String(seed) });
  const plan: HuntPlan = { ...usual, ...variant, advice: false, budget: budget ?? usual.budget };
  const runner: ExperimentRunner = startExperiments(bench, threads, workerUrl);
  const stop = () => void runner.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const result = await hunt(plan, {
      experiment: runner.run,
      onExperiment: (_, state) => onExperiment(state.experiments),
      signal,
    });
    return answerOf(subsystem, plan, result, 0);
  } finally {
    signal.removeEventListener('abort', stop);
    await runner.close();
  }
}

function resultsOf(rows: readonly SearchRow[], summaries: ReadonlyMap<string, SearchSummary>): RowResult[] {
  return rows
    .filter(({ searches }) => searches.every((name) => summaries.has(name)))
    .map(({ id, expected, judge }) => ({
      ...{ id, paper: expected, unit: 'anomalies', tolerance: 'trend' },
      ...judge(summaries),
    }));
}
