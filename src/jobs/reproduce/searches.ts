import {
  type Budget,
  type HuntAnswer,
  type HuntArchive,
  type HuntOrder,
  type HuntPlan,
  type HuntTask,
  hunt,
  type Outcome,
  orderHunt,
  type SearchSummary,
  searchVariants,
  summarise,
} from '../hunt/index.js';
import type { Pool } from '../pool/index.js';
import { SEARCH_SEEDS, type SearchRow } from './rows/collie/search.js';
import type { RowResult } from './task.js';

/** How searches are compared. */
export interface SearchOptions {
  /** The first of the seeds. */
  seed: number;
  /** Runs the experiments; here, one at a time, unless set. Stays open. */
  pool?: Pool<HuntTask, Outcome>;
  /** Keeps the hunts: those that it has of an earlier run are not made again, and one that was interrupted goes on. */
  archive?: HuntArchive;
  signal: AbortSignal;
  /** Called after each experiment of each hunt. */
  onProgress?: (progress: SearchProgress) => void;
  /** How long each hunt searches; as long as a hunt does unless set. */
  budget?: Budget;
  seeds?: number;
}

/** How far a comparison is. */
export interface SearchProgress {
  /** The hunt that made the experiment. */
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

/** Workers that one hunt keeps busy; with more of them several hunts are made at a time. */
const WORKERS_A_HUNT = 4;

/** One of the hunts of a comparison. */
interface Search {
  name: string;
  seed: number;
  order: HuntOrder;
  answer: HuntAnswer | null;
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
  const searches = variants.flatMap(({ name, plan }) =>
    seeds.map((seed): Search => ({ name, seed, order: orderOf(plan, seed, options), answer: null })),
  );
  const waiting = [...searches];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!options.signal.aborted) await makeSearch(next, searches, options);
  };
  const atATime = Math.max(1, Math.floor((options.pool?.size ?? 1) / WORKERS_A_HUNT));
  await Promise.all(Array.from({ length: atATime }, work));
  const summaries = new Map(
    variants.flatMap(({ name }) => {
      const own = searches.filter((each) => each.name === name);
      const answers = own.flatMap(({ answer }) => answer ?? []);
      return answers.length < own.length ? [] : [[name, summarise(name, answers)] as const];
    }),
  );
  return { results: resultsOf(rows, summaries), summaries: [...summaries.values()] };
}

function orderOf(
  variant: Pick<HuntPlan, 'strategy' | 'counters' | 'mfs'>,
  seed: number,
  { budget }: SearchOptions,
): HuntOrder {
  const { plan: usual, ...order } = orderHunt({ seed });
  return { ...order, plan: { ...usual, ...variant, advice: false, budget: budget ?? usual.budget } };
}

async function makeSearch(own: Search, all: readonly Search[], options: SearchOptions): Promise<void> {
  const { pool, archive: hunts, signal, onProgress } = options;
  const { name: search, seed, order } = own;
  const entry = await hunts?.continued(order);
  const kept = entry === undefined ? undefined : await hunts!.answer(entry.id);
  const answer =
    kept ??
    (await hunt(order, {
      ...(pool === undefined ? {} : { pool }),
      ...(entry === undefined ? {} : { archive: { hunts: hunts!, id: entry.id } }),
      onExperiment: (_, { experiments }) => {
        const ended = all.filter((each) => each.answer !== null).length;
        onProgress?.({ search, seed, experiments, ended, hunts: all.length });
      },
      signal,
    }));
  if (!answer.partial) own.answer = answer;
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
