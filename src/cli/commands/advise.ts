import { readFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';
import { type Anomaly, compareWorkload, type HuntAnswer, isSameSet } from '../../jobs/hunt/index.js';
import { parseWorkload } from '../../workload/index.js';
import type { CommandSpec, Invocation } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { HuntDatabase } from '../hunt/database.js';
import { HUNTED_SUBSYSTEM } from '../hunt/plan.js';
import { formatNearness } from '../hunt/report.js';
import { DEFAULT_FOLDER } from './hunt.js';

/** `kelpie advise WORKLOAD`: holds a workload against the anomalies that hunts have found. */
export const advise: CommandSpec = {
  options: [
    { flags: '--subsystem <name>', description: 'whose anomalies', default: HUNTED_SUBSYSTEM },
    { flags: '--folder <path>', description: 'where hunts are kept', default: DEFAULT_FOLDER },
    { flags: '--sets <file>', description: 'the answer of a hunt, as kelpie hunt --json prints it' },
    { flags: '--json', description: 'print the comparison as JSON' },
  ],
  examples: ['kelpie advise my-application.yaml', 'kelpie advise rpc.yaml --sets hunt.json'],
  run,
};

async function run({ options, arguments: [file], terminal }: Invocation): Promise<ExitCode> {
  const workload = parseWorkload(readText(file, 'workload', 'WORKLOAD_UNREADABLE'), file);
  const known = await knownAnomalies(options);
  const near = compareWorkload(workload, known.anomalies, 'memory0');
  if (options['json'] === true) {
    terminal.out(`${JSON.stringify({ workload: workload.name, subsystem: known.subsystem, near })}\n`);
  } else terminal.out(formatNearness(workload.name, known.subsystem, near));
  return near.some(({ state }) => state === 'meets') ? ExitCode.FOUND : ExitCode.GOOD;
}

/** The anomalies of a subsystem, from a file or from all finished hunts on it, one of each set. */
async function knownAnomalies(
  options: Readonly<Record<string, unknown>>,
): Promise<{ subsystem: string; anomalies: Anomaly[] }> {
  const file = options['sets'] as string | undefined;
  if (file !== undefined) return fromFile(file);
  const subsystem = options['subsystem'] as string;
  const folder = options['folder'] as string;
  const database = await HuntDatabase.openExisting(folder);
  try {
    const entries = database.list().filter((entry) => entry.subsystem === subsystem);
    const answers = entries.flatMap((entry) => {
      const answer = database.answer(entry.id);
      return answer === undefined ? [] : [{ answer, space: entry.plan.space }];
    });
    if (answers.length === 0)
      throw new KelpieError('NO_HUNTS', 'no hunt on this subsystem has ended', {
        field: '--subsystem',
        given: subsystem,
        allowed: `run kelpie hunt --subsystem ${subsystem} first`,
      });
    const anomalies: Anomaly[] = [];
    for (const { answer, space } of answers) {
      for (const anomaly of answer.anomalies) {
        const isKnown = anomalies.some(
          (other) => other.symptom === anomaly.symptom && isSameSet(other.set, anomaly.set, space),
        );
        if (anomaly.complete && !isKnown) anomalies.push(anomaly);
      }
    }
    return { subsystem, anomalies };
  } finally {
    await database.close();
  }
}

function fromFile(file: string): { subsystem: string; anomalies: Anomaly[] } {
  let value: unknown;
  try {
    value = JSON.parse(readText(file, '--sets', 'SETS_UNREADABLE'));
  } catch (error) {
    if (error instanceof KelpieError) throw error;
    throw notAnAnswer(file);
  }
  const answer = value as Partial<HuntAnswer> | null;
  if (answer === null || answer.format !== 'kelpie-hunt/1' || !Array.isArray(answer.anomalies))
    throw notAnAnswer(file);
  return {
    subsystem: String(answer.subsystem),
    anomalies: answer.anomalies.filter(({ complete }) => complete),
  };
}

function notAnAnswer(file: string): KelpieError {
  return new KelpieError('SETS_INVALID', 'this is not the answer of a hunt', {
    field: '--sets',
    given: file,
    allowed: 'what kelpie hunt --json prints',
  });
}

function readText(file: string, field: string, code: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const allowed = 'a readable file';
    throw new KelpieError(code, 'the file cannot be read', { field, given: file, allowed, cause });
  }
}
