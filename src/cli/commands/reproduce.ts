import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { KelpieError } from '../../error.js';
import type { SearchSummary } from '../../jobs/hunt/index.js';
import {
  type Board,
  boardTasks,
  ciRows,
  differing,
  findRow,
  findSearchRow,
  makeBoard,
  pending,
  type RowResult,
  rows,
  type SearchRow,
  type Task,
  type TaskResult,
  turnedRed,
} from '../../jobs/reproduce/index.js';
import type { CommandSpec, Invocation } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { numberFlag, seedFlag } from '../flag-value.js';
import { formatSummaries } from '../hunt/report.js';
import { boardFolder, isPageCurrent, readBoard, writeBoard } from '../reproduce/board-file.js';
import { runTasks } from '../reproduce/pool.js';
import { formatPending, formatRows } from '../reproduce/report.js';
import { compareSearches, type SearchOutcome, type SearchProgress } from '../reproduce/searches.js';

const MAX_JOBS = 256;

/** `kelpie reproduce [ids...]`: the rows of the papers, paper beside simulator. */
export const reproduce: CommandSpec = {
  options: [
    { flags: '--json', description: 'print the rows as JSON' },
    { flags: '--seed <number>', description: 'seed of everything random', default: '1' },
    { flags: '--jobs <number>', description: 'threads; as many as there are processors where left out' },
    { flags: '--subset <name>', description: 'only some rows: ci takes under two minutes', choices: ['ci'] },
    {
      flags: '--update-board',
      description: 'run everything and write docs/fidelity.json and docs/fidelity.md',
    },
    { flags: '--check-board', description: 'exit 1 unless the committed board is what the rows give' },
    { flags: '--board <folder>', description: 'where the board lies; docs of this package where left out' },
  ],
  examples: [
    'kelpie reproduce C1 H9 --json',
    'kelpie reproduce CS1 CS2 CS3',
    'kelpie reproduce --subset ci --check-board',
    'kelpie reproduce --update-board',
  ],
  run,
};

async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, terminal, signal } = invocation;
  const plan = planOf(invocation);
  const finished = await runPlan(plan, invocation);
  const searched = await runSearches(plan, invocation);
  const results = [
    ...finished.flatMap((each) => (each.kind === 'row' ? [each.result] : [])),
    ...searched.results,
  ];
  const partial = finished.length < plan.tasks.length || searched.results.length < plan.searches.length;
  print(results, searched.summaries, plan, partial, invocation);
  if (plan.updates) {
    if (partial) terminal.err('kelpie: interrupted: the board was not written\n');
    else await writeBoard(plan.folder, makeBoard(finished, plan.seed));
    return ExitCode.GOOD;
  }
  const board = await readBoard(plan.folder);
  if (board === null) {
    terminal.err('kelpie: there is no committed board to compare with\n');
    return options['checkBoard'] === true ? ExitCode.FOUND : ExitCode.GOOD;
  }
  const complaints = await compare(board, results, plan, options['checkBoard'] === true);
  for (const complaint of complaints) terminal.err(`kelpie: ${complaint}\n`);
  return complaints.length > 0 && !signal.aborted ? ExitCode.FOUND : ExitCode.GOOD;
}

/** What a command line asks for. */
interface Plan {
  tasks: readonly Task[];
  /** Rows about the search. */
  searches: readonly SearchRow[];
  seed: number;
  jobs: number;
  updates: boolean;
  folder: URL;
}

function planOf({ options, arguments: ids }: Invocation): Plan {
  const updates = options['updateBoard'] === true;
  const subset = options['subset'] !== undefined;
  if (subset && ids.length > 0) throw oneOfTwo('--subset', options['subset'], 'ids or --subset');
  if (updates && (subset || ids.length > 0))
    throw oneOfTwo('--update-board', true, 'alone: a board is the outcome of one run of everything');
  if (updates && options['checkBoard'] === true)
    throw oneOfTwo('--check-board', true, '--update-board or --check-board');
  const wanted = ids.length > 0 ? ids : subset ? ciRows : rows.map(({ id }) => id);
  const searches = wanted.flatMap((id) => findSearchRow(id) ?? []);
  const others = wanted.filter((id) => findSearchRow(id) === undefined);
  for (const id of others) findRow(id);
  const folder = options['board'] as string | undefined;
  return {
    tasks: updates ? boardTasks() : [...new Set(others)].map((id): Task => ({ kind: 'row', id })),
    searches: [...new Set(searches)],
    seed: seedFlag(options),
    jobs: numberFlag(options, 'jobs', '--jobs', { min: 1, max: MAX_JOBS }) ?? availableParallelism(),
    updates,
    folder: folder === undefined ? boardFolder : pathToFileURL(`${folder}/`),
  };
}

function oneOfTwo(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('BAD_FLAG', 'one of the two', { field, given, allowed });
}

async function runPlan(plan: Plan, { terminal, signal }: Invocation): Promise<TaskResult[]> {
  const { tasks, seed, jobs } = plan;
  const onDone = (task: Task, done: number) => terminal.draw(`${done} of ${tasks.length}, last ${task.id}`);
  try {
    const results = await runTasks(tasks, { seed, jobs, signal, onDone });
    return results.filter((each) => each !== undefined);
  } finally {
    terminal.draw('');
  }
}

/** Whole hunts, one after the other, each on all threads. */
async function runSearches(plan: Plan, { terminal, signal }: Invocation): Promise<SearchOutcome> {
  if (plan.searches.length === 0) return { results: [], summaries: [] };
  let told = -1;
  const onProgress = ({ search, seed, experiments, ended, hunts }: SearchProgress) => {
    const line = `hunt ${ended + 1} of ${hunts}: ${search}, seed ${seed}`;
    if (terminal.interactive) terminal.draw(`${line}, ${experiments} experiments`);
    else if (ended > told) terminal.err(`${line}\n`);
    told = ended;
  };
  try {
    return await compareSearches(plan.searches, {
      ...{ seed: plan.seed, threads: plan.jobs, signal, onProgress },
    });
  } finally {
    terminal.draw('');
  }
}

function print(
  results: readonly RowResult[],
  summaries: readonly SearchSummary[],
  plan: Plan,
  partial: boolean,
  { options, terminal, arguments: ids }: Invocation,
): void {
  if (options['json'] === true) {
    const green = results.filter(({ ok }) => ok).length;
    const summary = { rows: results.length, green, red: results.length - green };
    terminal.out(
      `${JSON.stringify(
        {
          ...{ seed: plan.seed, partial, summary, rows: results },
          ...(summaries.length === 0 ? {} : { searches: summaries }),
          pending,
        },
        null,
        1,
      )}\n`,
    );
    return;
  }
  if (results.length > 0) terminal.out(formatRows(results));
  if (summaries.length > 0) terminal.out(`\n${formatSummaries(summaries)}`);
  if (partial) terminal.out('PARTIAL: interrupted\n');
  if (ids.length === 0 && options['subset'] === undefined) terminal.out(formatPending(pending));
}

async function compare(
  board: Board,
  results: readonly RowResult[],
  plan: Plan,
  exactly: boolean,
): Promise<string[]> {
  const complaints = turnedRed(board, results).map(
    (id) => `${id} is green on the committed board and has turned red`,
  );
  if (!exactly) return complaints;
  if (board.seed !== plan.seed)
    throw new KelpieError('BAD_FLAG', 'the board was made with another seed', {
      field: '--seed',
      given: plan.seed,
      allowed: String(board.seed),
    });
  complaints.push(...differing(board, results).map((id) => `${id} is not what the committed board says`));
  if (!(await isPageCurrent(plan.folder, board)))
    complaints.push('fidelity.md is not what fidelity.json gives; run kelpie reproduce --update-board');
  return complaints;
}
