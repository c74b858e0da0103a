import { KelpieError } from '../../error.js';
import { type Plan, pathsByLink, type RunHistory, type RunRecord } from '../../jobs/ping/index.js';
import { formatTable, type Terminal } from '../terminal.js';

/** One run as one link saw it. */
export interface LinkRun {
  readonly atMs: number;
  readonly trigger: RunRecord['trigger'];
  readonly state: RunRecord['links'][number] | 'flapping';
  /** Of the fastest path over the link; null where none was read. */
  readonly gbps: number | null;
  readonly latencyNs: number | null;
  readonly accusers: number;
}

/** The index of a link by its name, or by the name of its lower end: `gpu5` is the link up from there. */
export function linkNamed(plan: Plan, given: string): number {
  const index = plan.links.findIndex(({ name }) => name === given || name === `${given}-up`);
  if (index >= 0) return index;
  throw new KelpieError('BAD_FLAG', 'the host of these runs has no such link', {
    field: '--history',
    given,
    allowed: plan.links.map(({ name }) => name).join(', '),
  });
}

/** What a run says about a link. */
export function linkRun(plan: Plan, link: number, record: RunRecord): LinkRun {
  const paths = pathsByLink(plan)[link].flatMap((path) => record.paths[path] ?? []);
  const numbers = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const [rates, times] = [numbers(paths.map(({ gbps }) => gbps)), numbers(paths.map((p) => p.latencyNs))];
  return {
    atMs: record.atMs,
    trigger: record.trigger,
    state: record.flapping.includes(plan.links[link].name) ? 'flapping' : record.links[link],
    gbps: rates.length === 0 ? null : Math.max(...rates),
    latencyNs: times.length === 0 ? null : Math.min(...times),
    accusers: record.accusers[link],
  };
}

/** Prints what the last runs say about a link. */
export async function printHistory(
  history: RunHistory,
  given: string,
  { runs, json, terminal }: { runs: number; json: boolean; terminal: Terminal },
): Promise<void> {
  const { plan } = history;
  const link = linkNamed(plan, given);
  const seen = (await history.last(runs)).map((record) => linkRun(plan, link, record));
  const { name } = plan.links[link];
  if (json) {
    terminal.out(`${JSON.stringify({ host: plan.host, link: name, runs: seen }, null, 2)}\n`);
    return;
  }
  const rows = seen.map(({ atMs, trigger, state, gbps, latencyNs, accusers }) => [
    new Date(atMs).toISOString().slice(0, 19),
    trigger,
    state,
    gbps === null ? '-' : gbps.toFixed(0),
    latencyNs === null ? '-' : (latencyNs / 1000).toFixed(2),
    String(accusers),
  ]);
  const heading = ['time (UTC)', 'run', 'link', 'Gb/s', 'us', 'accused by'];
  terminal.out(`${plan.host}: ${name}, best path over it\n`);
  terminal.out(formatTable([heading, ...rows], [3, 4, 5]));
}
