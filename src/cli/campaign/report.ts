import {
  type CampaignProgress,
  type CampaignSummary,
  type MetricChange,
  showPoint,
  type WorkerPresence,
  worsened,
} from '../../jobs/campaign/index.js';
import { figures, reading } from '../../report/figures.js';
import { formatTable } from '../terminal.js';
import { formatRack } from './rack-text.js';

/** Lines of failures and examples that people read. */
const MOST_SHOWN = 10;

/** A campaign's progress as a line. */
export function progressLine(now: CampaignProgress): string {
  const done = now.measured + now.refused + now.failed;
  const rate = now.perSecond === null ? '' : `, ${showRate(now.perSecond)} per second`;
  const left = now.leftS === null || now.state !== 'running' ? '' : `, about ${showSeconds(now.leftS)} left`;
  const failed = now.failed === 0 ? '' : `, ${now.failed} given up`;
  return `campaign ${now.id} (${now.name}): ${done} of ${now.tasks}${failed}${rate}${left}`;
}

/** A campaign's progress as a table. */
export function formatProgress(now: CampaignProgress, nowMs: number): string {
  const done = now.measured + now.refused + now.failed;
  const rows = [
    ['state', stateOf(now, nowMs)],
    [
      'tasks',
      `${now.tasks}: ${now.measured} measured, ${now.refused} refused, ${now.failed} given up, ${now.tasks - done} left`,
    ],
    ['found', `${now.found} runs with findings`],
    ['begun again', String(now.repeated)],
    ['rate', now.perSecond === null ? 'not known' : `${showRate(now.perSecond)} per second`],
    ...(now.leftS === null || now.state !== 'running' ? [] : [['left', `about ${showSeconds(now.leftS)}`]]),
  ];
  const workers = now.workers.map(({ name, done: each, busyS }) => [name, String(each), busyS.toFixed(1)]);
  const failures = now.failures.slice(-MOST_SHOWN);
  return [
    `campaign ${now.id}: ${now.name}, ${now.job}, version ${now.version}\n`,
    formatTable([['', ''], ...rows]).replace(/^\s*\n/, ''),
    ...(workers.length === 0 ? [] : ['\n', formatTable([['worker', 'tasks', 'busy s'], ...workers], [1, 2])]),
    ...failures.map(givenUp),
  ].join('');
}

/** Campaigns as a table. */
export function formatList(all: readonly CampaignProgress[]): string {
  const rows = all.map((now) => [
    String(now.id),
    now.name,
    now.job,
    now.state,
    `${now.measured + now.refused + now.failed} of ${now.tasks}`,
    now.failed === 0 ? '' : `${now.failed} given up`,
  ]);
  return formatTable([['campaign', 'name', 'job', 'state', 'results', ''], ...rows], [0]);
}

/** Workers as a table. */
export function formatWorkers(present: readonly WorkerPresence[]): string {
  if (present.length === 0) return 'no worker has reported recently\n';
  const rows = present.map(
    ({ name, version, threads, memoryGb, providers, labels, running, done, failed, draining }) => [
      name,
      version,
      String(threads),
      `${memoryGb} GB`,
      [...providers, ...labels].join(' '),
      `${running.length} running, ${done} done, ${failed} failed${draining ? ', ends' : ''}`,
    ],
  );
  return formatTable([['worker', 'version', 'threads', 'memory', 'has', ''], ...rows], [2]);
}

/** A controller tells how far it is every second; one that is silent for this long is gone. */
const SILENT_MS = 15_000;

function stateOf({ state, updatedMs, id }: CampaignProgress, nowMs: number): string {
  if (state !== 'running' || nowMs - updatedMs < SILENT_MS) return state;
  const silentS = Math.round((nowMs - updatedMs) / 1000);
  return `it has not run for ${showSeconds(silentS)}; continue with kelpie campaign resume ${id}`;
}

/** What came of a campaign, for people. */
export function formatSummary(summary: CampaignSummary, digest: string): string {
  const { id, name, job, tasks, measured, refused, failed, left, found, last, lastIsOther } = summary;
  const lines = [
    `campaign ${id}: ${name}, ${job}: ${tasks} tasks, ${measured} measured, ${refused} refused, ${failed} given up${left === 0 ? '' : `, ${left} left`}\n`,
    `${found} runs with findings\n`,
  ];
  for (const failure of summary.failures.slice(0, MOST_SHOWN)) lines.push(givenUp(failure));
  if (summary.rack !== undefined) lines.push(formatRack(summary.rack));
  for (const { text, checked, broken, without, examples } of summary.assertions) {
    const nothing = without === 0 ? '' : `, ${without} with nothing to compare with`;
    lines.push(
      `${broken === 0 ? 'holds' : 'BROKEN'}: ${text}: ${broken} of ${checked} runs break it${nothing}\n`,
    );
    for (const { point, value, last: before } of examples.slice(0, MOST_SHOWN))
      lines.push(
        `  ${showPoint(point)}: ${reading(value)}${before === undefined ? '' : `, was ${reading(before)}`}\n`,
      );
  }
  if (last !== null) {
    const moved = summary.changes.filter(({ rose, fell }) => rose + fell > 0);
    const other = lastIsOther ? ', which ran something else' : '';
    lines.push(`against campaign ${last}${other}:${moved.length === 0 ? ' nothing moved' : ''}\n`);
    for (const change of moved) lines.push(`  ${showChange(change)}\n`);
  }
  lines.push(`digest: ${digest}\n`);
  return lines.join('');
}

/** How a metric moved; where one way is worse, with the run that got worst. */
function showChange(change: MetricChange): string {
  const { metric, runs, rose, fell, most } = change;
  const worse = worsened(change);
  if (worse === null) return `${metric}: rose in ${rose} and fell in ${fell} of ${runs} runs`;
  const [{ point, from, to }] = most;
  const such = worse === 0 ? '' : `, such as ${showPoint(point)}: ${figures(from)} to ${figures(to)}`;
  return `${metric}: worse in ${worse} and better in ${rose + fell - worse} of ${runs} runs${such}`;
}

/** One that nobody could begin has no tries. */
export function givenUp({ point, reason, tries }: CampaignProgress['failures'][number]): string {
  const after = tries === 0 ? '' : tries === 1 ? ' after one try' : ` after ${tries} tries`;
  return `given up${after}: ${showPoint(point)}: ${reason}\n`;
}

function showRate(perSecond: number): string {
  return perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toPrecision(2);
}

function showSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
