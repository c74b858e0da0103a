import { join } from 'node:path';
import { KelpieError } from '../../error.js';
import {
  type CampaignArchive,
  type CampaignEntry,
  showPoint,
  type TaskRecord,
  taskCount,
} from '../../jobs/campaign/index.js';
import { makeFolder, writeTextFile } from '../../node/index.js';
import { figures } from '../../report/figures.js';
import { measurementPage } from '../../report/pages/measurement.js';
import type { Measurement } from '../../workload/index.js';
import { ExitCode } from '../exit-code.js';
import { numberFlag } from '../flag-value.js';
import { formatTable } from '../terminal.js';
import type { CampaignInvocation } from './flags.js';

/** Prints one task of a campaign, and writes all that was kept of its run. */
export async function printTask(
  entry: CampaignEntry,
  archive: CampaignArchive,
  { options, terminal }: CampaignInvocation,
): Promise<ExitCode> {
  const index = numberFlag(options, '--task', { min: 0, max: taskCount(entry.order) - 1 })!;
  const record = await archive.record(entry.id, index);
  if (record === undefined)
    throw new KelpieError('NO_CAMPAIGNS', 'this task has no result yet', {
      ...{
        field: '--task',
        given: index,
        allowed: 'a task with a result; kelpie campaign report lists them',
      },
    });
  if (options.json === true) terminal.out(`${JSON.stringify(record)}\n`);
  else terminal.out(formatRecord(entry, record));
  const place = join(options.folder, String(entry.id));
  makeFolder(place);
  for (const [name, text] of filesOf(entry, record)) {
    const file = join(place, name);
    writeTextFile(file, text, '--folder');
    if (options.json !== true) terminal.out(`written: ${file}\n`);
  }
  return record.outcome.kind === 'failed' ? ExitCode.FOUND : ExitCode.GOOD;
}

function formatRecord({ id, order }: CampaignEntry, { index, point, ...record }: TaskRecord): string {
  const { outcome, worker, tries, wallMs } = record;
  const lines = [
    `task ${index} of campaign ${id}: ${showPoint(point)}\n`,
    `${outcome.kind}: ${outcome.kind === 'measured' ? outcome.says : outcome.reason}\n`,
    `by ${worker} in ${(wallMs / 1000).toFixed(1)} s${tries > 1 ? ` after ${tries} tries` : ''}\n`,
  ];
  if (outcome.kind !== 'measured') return lines.join('');
  const rows = Object.entries(outcome.metrics).map(([name, value]) => [
    name,
    value === null ? '–' : figures(value),
  ]);
  lines.push(formatTable([['metric', 'value'], ...rows], [1]));
  if (outcome.detail === undefined)
    lines.push(`only these were kept; with keep: all the ${order.job} is kept whole\n`);
  return lines.join('');
}

/** Runs have a page of their own; of other jobs there is the data. */
function filesOf({ id, order }: CampaignEntry, { index, outcome }: TaskRecord): [string, string][] {
  if (outcome.kind !== 'measured' || outcome.detail === undefined) return [];
  const isRun = order.job === 'run' || order.job === 'sweep';
  const line = `kelpie campaign report ${id} --task ${index}`;
  return [
    ...(isRun
      ? [
          [
            `task-${index}.html`,
            measurementPage([outcome.detail as Measurement], line, 'kelpie campaign'),
          ] as [string, string],
        ]
      : []),
    [`task-${index}.json`, `${JSON.stringify(outcome.detail)}\n`],
  ];
}
