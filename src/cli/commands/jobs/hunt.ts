import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { KelpieError } from '../../../error.js';
import {
  type AnomalyEvidence,
  type ExperimentRecord,
  gatherEvidence,
  type HuntAnswer,
  type HuntArchive,
  type HuntEntry,
  orderOf,
  hunt as search,
} from '../../../jobs/hunt/index.js';
import type { JobPool } from '../../../jobs/index.js';
import { makeFolder } from '../../../node/index.js';
import { huntPage } from '../../../report/pages/hunt.js';
import { noSuch } from '../../../schema/index.js';
import { libraryOf, type ProfileSource } from '../../../testbeds/index.js';
import { VERSION } from '../../../version.js';
import { assertFlag, type CheckReport, checkFlags, reportChecks } from '../../checks/check-files.js';
import { checkFigures, figureTable, parseFigureThresholds } from '../../checks/job-figures.js';
import type { Threshold } from '../../checks/threshold.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag } from '../../flag-value.js';
import { openArchive, openExistingArchive } from '../../hunt/archive-file.js';
import { huntFigureNames, huntFigures } from '../../hunt/figures.js';
import { LiveView } from '../../hunt/live-view.js';
import { orderFlags, orderFrom } from '../../hunt/order.js';
import { formatAnswer, formatComparison } from '../../hunt/report.js';
import { withPool } from '../../job-pool.js';
import type { OptionSpec } from '../../option.js';
import { ProgressLine } from '../../progress.js';
import { formatTable, shellWord } from '../../terminal.js';
import { workersFlag } from '../../workers-flag.js';

/** Where hunts are kept unless set. */
export const DEFAULT_FOLDER = 'kelpie-hunts';
/** The copy of the user's profiles that a hunt was on. */
const PROFILE_NAME = 'profile.yaml';
const ACTIONS = ['show', 'list', 'compare'];

const flags = [
  ...orderFlags,
  { flags: '--workers <number>', description: 'threads; default: number of processors' },
  { flags: '--folder <path>', description: 'where hunts are kept', default: DEFAULT_FOLDER },
  {
    flags: '--evidence <number>',
    description:
      'how many of the worst anomalies to run again for the report: over time, and with parts switched off to verify the cause',
    default: '20',
  },
  {
    flags: '--resume [id]',
    description: 'continue an interrupted hunt; default: the last one',
  },
  assertFlag(
    "what must hold, such as 'anomalies<=12' or 'severity<0.5'; decides the exit code; may be repeated",
  ),
  ...checkFlags,
  { flags: '--json', description: 'print the answer as JSON' },
] as const satisfies readonly OptionSpec[];

type HuntInvocation = InvocationOf<typeof flags>;

/** `kelpie hunt`: finds the anomalies of a subsystem. `kelpie hunt show|list|compare`: looks at earlier hunts. */
export const hunt = defineCommand({
  options: flags,
  examples: [
    'kelpie hunt',
    'kelpie hunt --subsystem collie-h --budget 5h --json',
    'kelpie hunt --space my-application.yaml',
    'kelpie hunt --resume',
    'kelpie hunt show 1',
    'kelpie hunt compare 1 2',
    "kelpie hunt --budget 5m --assert 'unknown==0' --junit hunt.xml",
  ],
  run,
});

async function run(invocation: HuntInvocation): Promise<ExitCode> {
  const [action, ...ids] = invocation.arguments;
  if (action === undefined) return runHunt(invocation);
  if (!ACTIONS.includes(action))
    throw noSuch('BAD_ARGUMENT', 'action', action, ACTIONS, {
      field: 'action',
      allowed: `${ACTIONS.join(', ')}, or left out to hunt`,
    });
  const hunts = await openExistingArchive(folderOf(invocation));
  try {
    if (action === 'list') return await list(hunts, invocation);
    const wanted = ids.length === 0 ? [undefined] : ids.map(idOf);
    const entries = await Promise.all(wanted.map((id) => hunts.find(id)));
    return await (action === 'show' ? show : compare)(hunts, entries, invocation);
  } finally {
    await hunts.close();
  }
}

async function runHunt(invocation: HuntInvocation): Promise<ExitCode> {
  const { options, terminal, signal } = invocation;
  const workers = workersFlag(options, '--workers');
  const most = numberFlag(options, '--evidence', { min: 0, max: 1000 })!;
  const thresholds = parseFigureThresholds(options.assert, huntFigureNames);
  const resumes = options.resume !== undefined;
  // What is asked for is read before anything is written.
  const asked = resumes ? null : orderFrom(options);
  const folder = folderOf(invocation);
  const hunts = await (resumes ? openExistingArchive(folder) : openArchive(folder));
  try {
    const entry = await (asked === null ? resumed(hunts, options.resume) : hunts.create(asked));
    const { id } = entry;
    const view = new LiveView(terminal, entry.plan.budget, performance.now());
    const records: ExperimentRecord[] = [];
    const { answer, evidence } = await withPool(workers, signal, async (pool) => {
      const found = await search(orderOf(entry), {
        pool,
        archive: { hunts, id },
        onExperiment: (record, state) => {
          records.push(record);
          view.update(record, state, performance.now());
        },
        wallClock: () => performance.now() / 1000,
        signal,
      }).finally(() => view.end());
      return { answer: found, evidence: await evidenceFor(found, entry, most, pool, invocation) };
    });
    if (evidence.length > 0 && !signal.aborted) await hunts.putEvidence(id, evidence);
    print(
      { answer, evidence },
      writeFiles(folder, entry, { answer, records, evidence }, invocation.line),
      invocation,
    );
    if (answer.partial) terminal.err(`kelpie: continue with kelpie hunt --resume ${id}\n`);
    const hold = reportChecks(reportOf(answer, thresholds), options, terminal);
    // Assertions decide where there are any; else any anomaly is a finding.
    const good = thresholds.length > 0 ? hold : answer.anomalies.length === 0;
    return good ? ExitCode.GOOD : ExitCode.FOUND;
  } finally {
    await hunts.close();
  }
}

function reportOf(answer: HuntAnswer, thresholds: readonly Threshold[]): CheckReport {
  const figures = huntFigures(answer);
  return {
    title: `hunt on ${answer.subsystem}`,
    checks: checkFigures(thresholds, figures),
    outcome: `${answer.anomalies.length} anomalies in ${answer.experiments} experiments${answer.partial ? ', interrupted' : ''}.`,
    table: figureTable(huntFigureNames, figures),
  };
}

/** What the report shows of the worst anomalies; nothing of a hunt that was interrupted. */
async function evidenceFor(
  answer: HuntAnswer,
  { bench }: HuntEntry,
  most: number,
  pool: JobPool,
  { terminal, signal }: HuntInvocation,
): Promise<AnomalyEvidence[]> {
  if (answer.partial || most === 0) return [];
  const progress = new ProgressLine(terminal, performance.now()).keepGoing('evidence of the first anomalies');
  return gatherEvidence(answer, bench, {
    ...{ pool, most, signal },
    onGathered: (done, all) =>
      progress.estimate(done / all, performance.now(), () => `evidence: ${done} of ${all} anomalies`),
  }).finally(() => progress.end());
}

/** What a hunt came to. */
interface Outcome {
  answer: HuntAnswer;
  evidence: readonly AnomalyEvidence[];
}

function print(
  { answer, evidence }: Outcome,
  { place, where }: Written,
  { options, terminal }: HuntInvocation,
): void {
  // Slices are for the report; the conclusions are for everybody.
  const causes = evidence.map(({ anomaly, cause }) => ({ anomaly, cause }));
  if (options.json === true) terminal.out(`${JSON.stringify({ ...answer, causes })}\n`);
  else {
    terminal.out(
      formatAnswer(answer, (index) => reproducerOf(place, where, reproducerName(index)), evidence),
    );
    terminal.out(`report: ${join(place, 'report.html')}\n`);
  }
}

/** What was written for a hunt. */
interface Written {
  place: string;
  /** The flags of `kelpie run` that name what was hunted on. */
  where: string[];
}

/** The page, one file for each anomaly, and the user's own profiles where the hunt was on one. */
function writeFiles(
  folder: string,
  { id, bench }: HuntEntry,
  { answer, records, evidence }: Outcome & { records: readonly ExperimentRecord[] },
  again: string,
): Written {
  const place = join(folder, String(id));
  const own = bench.profiles ?? [];
  const where = whereOf(bench, answer, place);
  const cleared = new Map(
    evidence.flatMap(({ anomaly, cleared: run }) => (run === null ? [] : [[anomaly, run]])),
  );
  const commands = {
    again,
    reproducer: (index: number) => reproducerOf(place, where, reproducerName(index)),
    cleared: (index: number) => (cleared.has(index) ? reproducerOf(place, where, clearedName(index)) : null),
  };
  try {
    makeFolder(place);
    writeFileSync(join(place, 'report.html'), huntPage(answer, records, commands, evidence));
    for (const [index, { workload }] of answer.anomalies.entries())
      writeFileSync(join(place, reproducerName(index)), stringify(workload));
    for (const [index, { run }] of cleared)
      writeFileSync(join(place, clearedName(index)), stringify(run.workload));
    if (own.length > 0) writeFileSync(join(place, PROFILE_NAME), joinedText(own));
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', `the report cannot be written: ${(cause as Error).message}`, {
      field: '--folder',
      given: place,
      allowed: 'a folder on a disk with free space; the database has the answer: kelpie hunt show',
      cause,
    });
  }
  return { place, where };
}

/** The flags of `kelpie run` that name what was hunted on. */
function whereOf(bench: HuntEntry['bench'], answer: HuntAnswer, place: string): string[] {
  const seed = answer.seed === 1 ? [] : ['--seed', String(answer.seed)];
  if (bench.provider === 'ideal') return ['--provider', 'ideal', ...seed];
  if ((bench.profiles ?? []).length > 0)
    return ['--profile', join(place, PROFILE_NAME), ...choice(bench), ...seed];
  return ['--subsystem', answer.subsystem, ...seed];
}

/** The command that runs a workload of the hunt's folder as the hunt did. */
function reproducerOf(place: string, where: readonly string[], file: string): string {
  return `kelpie run ${shellWord(join(place, file))} ${where.map(shellWord).join(' ')}`;
}

/** The user's profiles as one file of several documents, as they were when the hunt began. */
function joinedText(profiles: readonly ProfileSource[]): string {
  return profiles.map(({ text }) => text).join('\n...\n');
}

/** The flag that chooses among the user's profiles; none where there is no choice. */
function choice(bench: HuntEntry['bench']): string[] {
  const whole = libraryOf(bench)
    .added()
    .filter(({ kind }) => kind === 'subsystem' || kind === 'world');
  const only = whole.length === 1 && whole[0].name === bench.subsystem;
  return only || bench.subsystem === undefined ? [] : ['--subsystem', bench.subsystem];
}

function reproducerName(index: number): string {
  return `anomaly-${index + 1}.yaml`;
}

function clearedName(index: number): string {
  return `anomaly-${index + 1}-cleared.yaml`;
}

async function resumed(hunts: HuntArchive, given: unknown): Promise<HuntEntry> {
  const entry = await hunts.find(given === true ? undefined : idOf(String(given)));
  // Earlier versions kept the path of a profile, not its text.
  if (entry.version !== VERSION || 'profile' in entry.bench)
    throw new KelpieError('HUNT_DIVERGED', 'this hunt was started by another version of Kelpie', {
      field: '--resume',
      given: entry.version,
      allowed: VERSION,
    });
  return entry;
}

function idOf(text: string): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1)
    throw new KelpieError('BAD_ARGUMENT', 'not a hunt number', {
      field: 'id',
      given: text,
      allowed: 'a number that kelpie hunt list shows',
    });
  return id;
}

function folderOf({ options }: HuntInvocation): string {
  return options.folder;
}

async function list(archive: HuntArchive, { options, terminal }: HuntInvocation): Promise<ExitCode> {
  const hunts = await Promise.all(
    (await archive.list()).map(async (entry) => ({ entry, answer: await archive.answer(entry.id) })),
  );
  if (options.json === true) {
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

async function finished(hunts: HuntArchive, { id }: HuntEntry): Promise<HuntAnswer> {
  const answer = await hunts.answer(id);
  if (answer !== undefined) return answer;
  throw new KelpieError('HUNT_UNFINISHED', 'this hunt has not ended', {
    field: 'id',
    given: id,
    allowed: `a finished one; continue with kelpie hunt --resume ${id}`,
  });
}

async function show(
  hunts: HuntArchive,
  entries: readonly HuntEntry[],
  invocation: HuntInvocation,
): Promise<ExitCode> {
  for (const entry of entries) {
    const answer = await finished(hunts, entry);
    const records = await hunts.experiments(entry.id);
    const evidence = (await hunts.evidence(entry.id)) ?? [];
    const whole = { answer, records, evidence };
    print(whole, writeFiles(folderOf(invocation), entry, whole, invocation.line), invocation);
  }
  return ExitCode.GOOD;
}

async function compare(
  hunts: HuntArchive,
  entries: readonly HuntEntry[],
  { options, terminal }: HuntInvocation,
): Promise<ExitCode> {
  const answers = await Promise.all(
    entries.map(async (entry) => ({ id: entry.id, answer: await finished(hunts, entry) })),
  );
  if (options.json === true) terminal.out(`${JSON.stringify(answers)}\n`);
  else terminal.out(formatComparison(answers));
  return ExitCode.GOOD;
}
