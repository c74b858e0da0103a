import { pathToFileURL } from 'node:url';
import { KelpieError } from '../../../error.js';
import type { SearchSummary } from '../../../jobs/hunt/index.js';
import {
  type Board,
  boardHeadline,
  boardSeeds,
  boardTasks,
  ciRows,
  compareSearches,
  differing,
  findRow,
  findSearchRow,
  makeBoard,
  pending,
  type RowResult,
  rows,
  runTasks,
  type SearchOutcome,
  type SearchProgress,
  type SearchRow,
  type Task,
  type TaskResult,
  turnedRed,
} from '../../../jobs/reproduce/index.js';
import { writeTextFile } from '../../../node/index.js';
import { reproducePage } from '../../../report/pages/reproduce.js';
import { assertFlag, checkFlags, reportChecks } from '../../checks/check-files.js';
import { checkFigures, figureTable, parseFigureThresholds } from '../../checks/job-figures.js';
import type { Threshold } from '../../checks/threshold.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { seedFlag } from '../../flag-value.js';
import { openArchive } from '../../hunt/archive-file.js';
import { formatSummaries } from '../../hunt/report.js';
import { withPool } from '../../job-pool.js';
import type { OptionSpec } from '../../option.js';
import { ProgressLine } from '../../progress.js';
import { boardFolder, isPageCurrent, readBoard, writeBoard } from '../../reproduce/board-file.js';
import { isRowId, rowFigureNames, rowFigures } from '../../reproduce/figures.js';
import { formatPending, formatRows } from '../../reproduce/report.js';
import { workersFlag } from '../../workers-flag.js';

/** In a pipe, one line per this many experiments. */
const LINE_EVERY = 500;

const flags = [
  { flags: '--json', description: 'print the rows as JSON' },
  assertFlag(
    "what must hold, such as 'red==0', 'green>=140' or 'P6>=95', the number of a row; may be repeated",
  ),
  ...checkFlags,
  { flags: '--html <file>', description: 'write a report' },
  { flags: '--seed <number>', description: 'random seed', default: '1' },
  { flags: '--workers <number>', description: 'threads; default: number of processors' },
  {
    flags: '--subset <name>',
    description: 'only some rows: ci is all but the hunts of CS1, CS2 and CS3',
    choices: ['ci'],
  },
  {
    flags: '--update-board',
    description:
      'run all rows with three seeds and write docs/fidelity.json and docs/fidelity.md; with CS1 CS2 CS3: only those',
  },
  { flags: '--check-board', description: 'exit 1 if the rows differ from the committed board' },
  {
    flags: '--folder <path>',
    description:
      'keep the hunts of CS1, CS2 and CS3 here; the same command then continues where it was interrupted',
  },
  { flags: '--show-board', description: 'show the rows of the committed board; nothing is run' },
  { flags: '--board <folder>', description: 'folder of the board; default: docs of this package' },
] as const satisfies readonly OptionSpec[];

type ReproduceInvocation = InvocationOf<typeof flags>;

/** `kelpie reproduce [ids...]`: the rows of the papers, paper beside simulator. */
export const reproduce = defineCommand({
  options: flags,
  examples: [
    'kelpie reproduce C1 H9 --json',
    'kelpie reproduce CS1 CS2 CS3 --folder kelpie-searches',
    'kelpie reproduce --subset ci --check-board',
    'kelpie reproduce --update-board',
    'kelpie reproduce --show-board --html board.html',
  ],
  run,
});

async function run(invocation: ReproduceInvocation): Promise<ExitCode> {
  const { options, terminal } = invocation;
  const plan = planOf(invocation);
  // Refused before anything runs.
  thresholdsOf(invocation);
  if (options.showBoard === true) return showBoard(plan, invocation);
  const finished = await runPlan(plan, invocation);
  const searched = await runSearches(plan, invocation);
  const results = [
    ...finished.flatMap((each) => (each.kind === 'row' && each.seed === plan.seed ? [each.result] : [])),
    ...searched.results,
  ];
  const partial = finished.length < plan.tasks.length || searched.results.length < plan.searches.length;
  if (options.html !== undefined) writePage(options.html, results, { seed: plan.seed, partial }, invocation);
  const headline = headlineOf(
    { ...makeBoard(finished, plan.seed), searches: [...searched.results] },
    invocation,
  );
  print(results, searched.summaries, plan, partial, invocation, headline);
  const hold = checked(results, partial, invocation, headline);
  if (plan.updates) {
    if (partial) terminal.err('kelpie: interrupted: the board was not written\n');
    else await writeBoard(plan.folder, await newBoard(plan, finished, searched.results));
    return ExitCode.GOOD;
  }
  const board = await readBoard(plan.folder);
  if (board === null) {
    terminal.err('kelpie: there is no committed board to compare with\n');
    return options.checkBoard === true || !hold ? ExitCode.FOUND : ExitCode.GOOD;
  }
  const complaints = await compare(board, results, plan, options.checkBoard === true);
  for (const complaint of complaints) terminal.err(`kelpie: ${complaint}\n`);
  return complaints.length > 0 || !hold ? ExitCode.FOUND : ExitCode.GOOD;
}

function thresholdsOf({ options }: ReproduceInvocation): Threshold[] {
  return parseFigureThresholds(options.assert, rowFigureNames, isRowId);
}

/** Whether what the flags assert of the rows holds. */
function checked(
  results: readonly RowResult[],
  partial: boolean,
  invocation: ReproduceInvocation,
  headline: string | undefined,
): boolean {
  const { options, terminal } = invocation;
  const figures = rowFigures(results);
  const red = results.filter(({ ok }) => !ok);
  return reportChecks(
    {
      title: 'rows of papers',
      checks: checkFigures(thresholdsOf(invocation), figures),
      outcome: `${headline ?? `${figures['green']} of ${results.length} rows are green`}${partial ? ', interrupted' : ''}${red.length === 0 ? '' : `; red: ${red.map(({ id }) => id).join(', ')}`}.`,
      table: figureTable(rowFigureNames, figures),
    },
    options,
    terminal,
  );
}

/** What there is to say of all rows; undefined where only some were asked for. */
function headlineOf(board: Board, { arguments: ids, options }: ReproduceInvocation): string | undefined {
  return ids.length === 0 && options.subset === undefined ? boardHeadline(board) : undefined;
}

/** The committed board, as it would be printed after a run. */
async function showBoard(plan: Plan, invocation: ReproduceInvocation): Promise<ExitCode> {
  const board = await readBoard(plan.folder);
  if (board === null)
    throw new KelpieError('CANNOT_RUN', 'there is no committed board', {
      field: '--board',
      given: plan.folder.pathname,
      allowed: 'a folder with fidelity.json, as --update-board writes it',
    });
  const wanted = new Set([...plan.tasks, ...plan.searches].map(({ id }) => id));
  const results = [...board.rows, ...(board.searches ?? [])].filter(({ id }) => wanted.has(id));
  const { options } = invocation;
  if (options.html !== undefined)
    writePage(options.html, results, { seed: board.seed, partial: false }, invocation);
  const headline = headlineOf(board, invocation);
  print(results, [], plan, false, invocation, headline);
  return checked(results, false, invocation, headline) ? ExitCode.GOOD : ExitCode.FOUND;
}

function writePage(
  file: string,
  results: readonly RowResult[],
  run: { seed: number; partial: boolean },
  { line, arguments: ids, options }: ReproduceInvocation,
): void {
  const whole = ids.length === 0 && options.subset === undefined;
  const page = reproducePage(results, { ...run, command: line, ...(whole ? { pending } : {}) });
  writeTextFile(file, page, '--html');
}

/** The board after a run of everything, or with the rows about the search renewed; either keeps what was not run. */
async function newBoard(
  { folder, seed, tasks }: Plan,
  finished: readonly TaskResult[],
  searched: readonly RowResult[],
): Promise<Board> {
  const committed = await readBoard(folder);
  const kept = committed?.searches?.filter(({ id }) => searched.every((each) => each.id !== id)) ?? [];
  const searches = [...kept, ...searched].sort((one, other) => one.id.localeCompare(other.id));
  if (tasks.length > 0) return makeBoard(finished, seed, searches);
  return { ...(committed ?? makeBoard([], seed)), searches };
}

/** What a command line asks for. */
interface Plan {
  tasks: readonly Task[];
  /** Rows about the search. */
  searches: readonly SearchRow[];
  seed: number;
  workers: number;
  updates: boolean;
  folder: URL;
}

function planOf({ options, arguments: ids }: ReproduceInvocation): Plan {
  const updates = options.updateBoard === true;
  const subset = options.subset !== undefined;
  if (subset && ids.length > 0) throw oneOfTwo('--subset', options.subset, 'ids or --subset');
  if (updates && (subset || ids.some((id) => findSearchRow(id) === undefined)))
    throw oneOfTwo(
      '--update-board',
      true,
      'alone, since a board is the outcome of one run of everything, or with rows about the search',
    );
  if (updates && options.checkBoard === true)
    throw oneOfTwo('--check-board', true, '--update-board or --check-board');
  const wanted = ids.length > 0 ? ids : subset ? ciRows : rows.map(({ id }) => id);
  const searches = wanted.flatMap((id) => findSearchRow(id) ?? []);
  const others = wanted.filter((id) => findSearchRow(id) === undefined);
  for (const id of others) findRow(id);
  const folder = options.board;
  const seed = seedFlag(options);
  return {
    tasks:
      updates && ids.length === 0
        ? boardTasks(boardSeeds(seed))
        : [...new Set(others)].map((id): Task => ({ kind: 'row', id })),
    searches: [...new Set(searches)],
    seed,
    workers: workersFlag(options, '--workers'),
    updates,
    folder: folder === undefined ? boardFolder : pathToFileURL(`${folder}/`),
  };
}

function oneOfTwo(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('BAD_FLAG', 'these flags exclude each other', { field, given, allowed });
}

async function runPlan(plan: Plan, { terminal, signal }: ReproduceInvocation): Promise<TaskResult[]> {
  const { tasks, seed, workers } = plan;
  const progress = new ProgressLine(terminal, performance.now()).keepGoing('the first rows');
  const onDone = (task: Task, done: number) =>
    progress.estimate(
      done / tasks.length,
      performance.now(),
      () => `${done} of ${tasks.length} rows, last ${task.id}`,
    );
  try {
    const results = await withPool(Math.min(workers, tasks.length), signal, (pool) =>
      runTasks(tasks, { seed, pool, signal, onDone }),
    );
    return results.filter((each) => each !== undefined);
  } finally {
    progress.end();
  }
}

/** Whole hunts, as many at a time as the threads have room for. */
async function runSearches(
  plan: Plan,
  { terminal, signal, options }: ReproduceInvocation,
): Promise<SearchOutcome> {
  if (plan.searches.length === 0) return { results: [], summaries: [] };
  const archive = options.folder === undefined ? undefined : await openArchive(options.folder);
  let told = 0;
  let made = 0;
  const onProgress = ({ search, seed, experiments, ended, hunts }: SearchProgress) => {
    made++;
    const line = `${ended} of ${hunts} hunts, ${made} experiments; ${search}, seed ${seed}: ${experiments}`;
    if (terminal.interactive) terminal.draw(line);
    else if (made >= told + LINE_EVERY) {
      told = made;
      terminal.err(`${line}\n`);
    }
  };
  try {
    return await withPool(plan.workers, signal, (pool) =>
      compareSearches(plan.searches, {
        ...{ seed: plan.seed, pool, signal, onProgress },
        ...(archive === undefined ? {} : { archive }),
      }),
    );
  } finally {
    terminal.draw('');
    await archive?.close();
  }
}

function print(
  results: readonly RowResult[],
  summaries: readonly SearchSummary[],
  plan: Plan,
  partial: boolean,
  { options, terminal, arguments: ids }: ReproduceInvocation,
  headline: string | undefined,
): void {
  if (options.json === true) {
    const green = results.filter(({ ok }) => ok).length;
    const held = (mark: 'trend' | 'magnitude') => ({
      given: results.filter((each) => each[mark] !== null).length,
      held: results.filter((each) => each[mark] === true).length,
    });
    const summary = {
      ...{ rows: results.length, green, red: results.length - green },
      ...{ trend: held('trend'), magnitude: held('magnitude') },
      ...(headline === undefined ? {} : { headline }),
    };
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
  if (results.length > 0) terminal.out(formatRows(results, headline));
  if (summaries.length > 0) terminal.out(`\n${formatSummaries(summaries)}`);
  if (partial) terminal.out('PARTIAL: interrupted\n');
  if (ids.length === 0 && options.subset === undefined) terminal.out(formatPending(pending));
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
