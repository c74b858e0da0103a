import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { KelpieError } from '../../error.js';
import { answerOf, type ExperimentRecord, type HuntAnswer, hunt as search } from '../../jobs/hunt/index.js';
import { libraryOf } from '../../testbeds/index.js';
import { VERSION } from '../../version.js';
import type { CommandSpec, Invocation } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { numberFlag } from '../flag-value.js';
import { makeFolder } from '../folder.js';
import { HuntDatabase, type HuntEntry } from '../hunt/database.js';
import { startExperiments } from '../hunt/experiments.js';
import { LiveView } from '../hunt/live-view.js';
import { huntPage } from '../hunt/page.js';
import { HUNTED_SUBSYSTEM, planOf } from '../hunt/plan.js';
import { formatAnswer, formatComparison } from '../hunt/report.js';
import { type ChosenTestbed, providerFlags } from '../providers.js';
import { formatTable } from '../terminal.js';

/** Where hunts are kept unless told. */
export const DEFAULT_FOLDER = 'kelpie-hunts';
const MAX_WORKERS = 256;
/** The copy of the user's profile that a hunt was on. */
const PROFILE_NAME = 'profile.yaml';
const ACTIONS = ['show', 'list', 'compare'];

/** `kelpie hunt`: finds the anomalies of a subsystem. `kelpie hunt show|list|compare`: looks at earlier hunts. */
export const hunt: CommandSpec = {
  options: [
    ...providerFlags.map((flag) =>
      flag.flags.startsWith('--subsystem')
        ? { ...flag, description: `a shipped subsystem profile; ${HUNTED_SUBSYSTEM} where left out` }
        : flag,
    ),
    { flags: '--fixed', description: "with the vendors' fixes applied" },
    { flags: '--space <file>', description: 'bounds of your application, YAML or JSON' },
    {
      flags: '--strategy <name>',
      description: 'how to search',
      default: 'annealing',
      choices: ['annealing', 'random', 'bayesian'],
    },
    {
      flags: '--counters <kind>',
      description: 'what guides the search; both where left out',
      choices: ['performance', 'diagnostic'],
    },
    { flags: '--without-mfs', description: 'find no minimal feature sets and skip nothing' },
    {
      flags: '--budget <amount>',
      description:
        'experiments (600), hours of real machines (10h) or wall time (90s, 5m); 10h where left out, 20h on collie-h',
    },
    { flags: '--workers <number>', description: 'threads; as many as there are processors where left out' },
    { flags: '--folder <path>', description: 'where hunts are kept', default: DEFAULT_FOLDER },
    {
      flags: '--resume [id]',
      description: 'go on with a hunt that was interrupted; the last where no id is given',
    },
    { flags: '--json', description: 'print the answer as JSON' },
  ],
  examples: [
    'kelpie hunt',
    'kelpie hunt --subsystem collie-h --budget 5h --json',
    'kelpie hunt --space my-application.yaml',
    'kelpie hunt --resume',
    'kelpie hunt show 1',
    'kelpie hunt compare 1 2',
  ],
  run,
};

async function run(invocation: Invocation): Promise<ExitCode> {
  const [action, ...ids] = invocation.arguments;
  if (action === undefined) return runHunt(invocation);
  if (!ACTIONS.includes(action))
    throw new KelpieError('BAD_ARGUMENT', 'there is no such action', {
      field: 'action',
      given: action,
      allowed: `${ACTIONS.join(', ')}, or left out to hunt`,
    });
  const database = await HuntDatabase.openExisting(folderOf(invocation));
  try {
    if (action === 'list') return list(database, invocation);
    const entries = (ids.length === 0 ? [undefined] : ids.map(idOf)).map((id) => database.find(id));
    return action === 'show' ? show(database, entries, invocation) : compare(database, entries, invocation);
  } finally {
    await database.close();
  }
}

async function runHunt(invocation: Invocation): Promise<ExitCode> {
  const { options, terminal, signal } = invocation;
  const workers =
    numberFlag(options, 'workers', '--workers', { min: 1, max: MAX_WORKERS }) ?? availableParallelism();
  const resumes = options['resume'] !== undefined;
  // What is asked for is read before anything is written.
  const asked = resumes ? null : planOf(options);
  const folder = folderOf(invocation);
  const database = resumes ? await HuntDatabase.openExisting(folder) : await HuntDatabase.open(folder);
  try {
    const entry = asked === null ? resumed(database, options['resume']) : database.create(asked);
    const { plan, bench, id } = entry;
    const runner = startExperiments(bench, workers);
    const stop = () => void runner.close();
    signal.addEventListener('abort', stop, { once: true });
    const startMs = performance.now();
    const view = new LiveView(terminal, plan.budget, startMs);
    let answer: HuntAnswer;
    let records: readonly ExperimentRecord[];
    try {
      const result = await search(plan, {
        experiment: runner.run,
        kept: (index) => database.kept(id, index),
        keep: (record) => database.keep(id, record),
        onExperiment: (record, state) => view.update(record, state, performance.now()),
        wallClock: () => performance.now() / 1000,
        signal,
      });
      records = result.records;
      answer = answerOf(entry.subsystem, plan, result, (performance.now() - startMs) / 1000);
    } finally {
      view.end();
      signal.removeEventListener('abort', stop);
      await runner.close();
    }
    if (!answer.partial) database.putAnswer(id, answer);
    print(answer, writeFiles(folder, entry, answer, records), invocation);
    if (answer.partial) terminal.err(`kelpie: interrupted; go on with kelpie hunt --resume ${id}\n`);
    return answer.anomalies.length > 0 ? ExitCode.FOUND : ExitCode.GOOD;
  } finally {
    await database.close();
  }
}

function print(answer: HuntAnswer, { place, where }: Written, { options, terminal }: Invocation): void {
  if (options['json'] === true) terminal.out(`${JSON.stringify(answer)}\n`);
  else {
    const reproducer = (index: number) =>
      `kelpie run ${shellWord(join(place, reproducerName(index)))} ${where.map(shellWord).join(' ')}`;
    terminal.out(formatAnswer(answer, reproducer));
    terminal.out(`report: ${join(place, 'report.html')}\n`);
  }
}

/** What was written for a hunt. */
interface Written {
  place: string;
  /** The flags of `kelpie run` that name what was hunted on. */
  where: string[];
}

/** The page, one file for each anomaly, and the user's own profile where the hunt was on one. */
function writeFiles(
  folder: string,
  { id, bench }: HuntEntry,
  answer: HuntAnswer,
  records: readonly ExperimentRecord[],
): Written {
  const place = join(folder, String(id));
  const own = ownProfile(bench);
  try {
    makeFolder(place);
    writeFileSync(join(place, 'report.html'), huntPage(answer, records));
    for (const [index, { workload }] of answer.anomalies.entries())
      writeFileSync(join(place, reproducerName(index)), stringify(workload));
    if (own !== null) writeFileSync(join(place, PROFILE_NAME), own);
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', `the report cannot be written: ${(cause as Error).message}`, {
      field: '--folder',
      given: place,
      allowed: 'a folder with room; the database has the answer: kelpie hunt show',
      cause,
    });
  }
  if (bench.provider === 'ideal') return { place, where: ['--provider', 'ideal'] };
  if (own !== null) return { place, where: ['--profile', join(place, PROFILE_NAME)] };
  return { place, where: ['--subsystem', answer.subsystem] };
}

/** The text of the user's profile that was hunted on, as it was then; null where that was a shipped one. */
function ownProfile(bench: ChosenTestbed): string | null {
  const [profile] = bench.profiles ?? [];
  if (profile === undefined) return null;
  const own = libraryOf(bench).added();
  return own.some(({ kind, name }) => kind === 'subsystem' && name === bench.subsystem) ? profile.text : null;
}

/** An argument as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function reproducerName(index: number): string {
  return `anomaly-${index + 1}.yaml`;
}

function resumed(database: HuntDatabase, given: unknown): HuntEntry {
  const entry = database.find(given === true ? undefined : idOf(String(given)));
  if (entry.version !== VERSION)
    throw new KelpieError('HUNT_DIVERGED', 'this hunt was begun by another version of Kelpie', {
      field: '--resume',
      given: entry.version,
      allowed: VERSION,
    });
  return entry;
}

function idOf(text: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1)
    throw new KelpieError('BAD_ARGUMENT', 'this is no number of a hunt', {
      field: 'id',
      given: text,
      allowed: 'a number that kelpie hunt list shows',
    });
  return id;
}

function folderOf({ options }: Invocation): string {
  return (options['folder'] as string | undefined) ?? DEFAULT_FOLDER;
}

function list(database: HuntDatabase, { options, terminal }: Invocation): ExitCode {
  const hunts = database.list().map((entry) => ({ entry, answer: database.answer(entry.id) }));
  if (options['json'] === true) {
    const rows = hunts.map(({ entry: { id, subsystem, plan }, answer }) => ({
      id,
      subsystem,
      seed: plan.seed,
      strategy: plan.strategy,
      finished: answer !== undefined,
      anomalies: answer?.anomalies.length ?? null,
    }));
    terminal.out(`${JSON.stringify(rows)}\n`);
    return ExitCode.GOOD;
  }
  const rows = hunts.map(({ entry, answer }) => [
    String(entry.id),
    entry.subsystem,
    `${entry.plan.strategy}, seed ${entry.plan.seed}`,
    answer === undefined
      ? 'not finished'
      : `${answer.anomalies.length} anomalies in ${answer.experiments} experiments`,
  ]);
  terminal.out(formatTable([['hunt', 'subsystem', 'search', ''], ...rows], [0]));
  return ExitCode.GOOD;
}

function finished(database: HuntDatabase, { id }: HuntEntry): HuntAnswer {
  const answer = database.answer(id);
  if (answer !== undefined) return answer;
  throw new KelpieError('HUNT_UNFINISHED', 'this hunt has not ended', {
    field: 'id',
    given: id,
    allowed: `a finished one; go on with kelpie hunt --resume ${id}`,
  });
}

function show(database: HuntDatabase, entries: readonly HuntEntry[], invocation: Invocation): ExitCode {
  for (const entry of entries) {
    const answer = finished(database, entry);
    print(
      answer,
      writeFiles(folderOf(invocation), entry, answer, database.experiments(entry.id)),
      invocation,
    );
  }
  return ExitCode.GOOD;
}

function compare(
  database: HuntDatabase,
  entries: readonly HuntEntry[],
  { options, terminal }: Invocation,
): ExitCode {
  const answers = entries.map((entry) => ({ id: entry.id, answer: finished(database, entry) }));
  if (options['json'] === true) terminal.out(`${JSON.stringify(answers)}\n`);
  else terminal.out(formatComparison(answers));
  return ExitCode.GOOD;
}
