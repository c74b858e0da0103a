import type { CampaignProgress, WorkerPresence } from '../../jobs/campaign/index.js';
import { formatTable } from '../terminal.js';
import { givenUp, progressLine } from './report.js';

/** Rows that people watch; of the others their number. */
const MOST_WORKERS = 10;
const MOST_FAILURES = 3;

/** A campaign as it goes: tasks by state, rate, time left, its workers, and the last tasks that were given up. */
export function liveTable(now: CampaignProgress, present: readonly WorkerPresence[], nowMs: number): string {
  const { tasks, measured, refused, failed, found, repeated } = now;
  const left = tasks - measured - refused - failed;
  const states = `measured ${measured}, refused ${refused}, given up ${failed}, left ${left}; runs with findings ${found}, begun again ${repeated}`;
  const workers = workerRows(now, present, nowMs);
  const more = workers.length - MOST_WORKERS;
  return [
    `${progressLine(now)}\n${states}\n`,
    ...(workers.length === 0
      ? []
      : [formatTable([['worker', 'results', 'busy s', 'now'], ...workers.slice(0, MOST_WORKERS)], [1, 2])]),
    ...(more > 0 ? [`and ${more} more workers\n`] : []),
    ...now.failures.slice(-MOST_FAILURES).map(givenUp),
  ].join('');
}

/** Those that have done something and those that are there. On threads there are no heartbeats. */
function workerRows(now: CampaignProgress, present: readonly WorkerPresence[], nowMs: number): string[][] {
  const done = new Map(now.workers.map((each) => [each.name, each]));
  const there = new Map(present.map((each) => [each.name, each]));
  return [...new Set([...there.keys(), ...done.keys()])].map((name) => {
    const { done: count, busyS } = done.get(name) ?? { done: 0, busyS: 0 };
    const doing = there.size === 0 ? '' : doingOf(there.get(name), now.id, nowMs);
    return [name, String(count), busyS.toFixed(1), doing];
  });
}

function doingOf(worker: WorkerPresence | undefined, campaign: number, nowMs: number): string {
  if (worker === undefined) return 'silent';
  const { running, threads, draining } = worker;
  const own = running.filter((each) => each.campaign === campaign);
  const others = running.length > own.length ? `, ${running.length - own.length} for others` : '';
  const longestS = Math.max(0, ...own.map(({ sinceMs }) => nowMs - sinceMs)) / 1000;
  const since = own.length === 0 ? '' : `, the longest for ${longestS.toFixed(0)} s`;
  return `${own.length} of ${threads} threads${since}${others}${draining ? ', ends' : ''}`;
}
