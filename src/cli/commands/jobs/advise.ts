import { KelpieError } from '../../../error.js';
import {
  type Anomaly,
  compareWorkload,
  HUNTED_SUBSYSTEM,
  type HuntAnswer,
  isSameSet,
  readSets,
  type Space,
} from '../../../jobs/hunt/index.js';
import { readTextFile } from '../../../node/index.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { openExistingArchive } from '../../hunt/archive-file.js';
import { formatNearness } from '../../hunt/report.js';
import type { OptionSpec } from '../../option.js';
import { readWorkload } from '../../run/workload-file.js';
import { DEFAULT_FOLDER } from './hunt.js';

const flags = [
  { flags: '--subsystem <name>', description: 'whose anomalies', default: HUNTED_SUBSYSTEM },
  { flags: '--folder <path>', description: 'where hunts are kept', default: DEFAULT_FOLDER },
  { flags: '--sets <file>', description: 'the answer of a hunt, as kelpie hunt --json prints it' },
  { flags: '--json', description: 'print the comparison as JSON' },
] as const satisfies readonly OptionSpec[];

const SETS_FILE = { field: '--sets', code: 'SETS_UNREADABLE', allowed: 'a readable file' };

type AdviseInvocation = InvocationOf<typeof flags>;

/** `kelpie advise WORKLOAD`: holds a workload against the anomalies that hunts have found. */
export const advise = defineCommand({
  options: flags,
  examples: ['kelpie advise my-application.yaml', 'kelpie advise rpc.yaml --sets hunt.json'],
  run,
});

async function run({ options, arguments: [file], terminal }: AdviseInvocation): Promise<ExitCode> {
  const workload = readWorkload(file);
  const known = await knownAnomalies(options);
  const near = compareWorkload(workload, known.anomalies, 'memory0');
  if (options.json === true) {
    terminal.out(
      `${JSON.stringify({ workload: workload.name, subsystem: known.subsystem, known: known.anomalies.length, near })}\n`,
    );
  } else terminal.out(formatNearness(workload.name, known.subsystem, near, known.anomalies.length));
  return near.some(({ state }) => state === 'meets') ? ExitCode.FOUND : ExitCode.GOOD;
}

/** The anomalies of a subsystem, from a file or from all finished hunts on it, one of each set. */
async function knownAnomalies(
  options: AdviseInvocation['options'],
): Promise<{ subsystem: string; anomalies: Anomaly[] }> {
  const file = options.sets;
  if (file !== undefined) return fromFile(file);
  const subsystem = options.subsystem;
  const folder = options.folder;
  const hunts = await openExistingArchive(folder);
  try {
    const answers: { answer: HuntAnswer; space: Space }[] = [];
    for (const { id, plan, subsystem: hunted } of await hunts.list()) {
      const answer = hunted === subsystem ? await hunts.answer(id) : undefined;
      if (answer !== undefined) answers.push({ answer, space: plan.space });
    }
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
    await hunts.close();
  }
}

function fromFile(file: string): { subsystem: string; anomalies: Anomaly[] } {
  let value: unknown;
  try {
    value = JSON.parse(readTextFile(file, SETS_FILE));
  } catch (error) {
    if (error instanceof KelpieError) throw error;
    throw notAnAnswer(file, '');
  }
  const sets = readSets(value);
  if ('wrongAt' in sets) throw notAnAnswer(file, sets.wrongAt);
  return sets;
}

function notAnAnswer(file: string, wrongAt: string): KelpieError {
  const where = wrongAt === '' ? '' : `: see ${wrongAt}`;
  return new KelpieError('SETS_INVALID', `this is not the answer of a hunt${where}`, {
    field: '--sets',
    given: file,
    allowed: 'what kelpie hunt --json prints',
  });
}
