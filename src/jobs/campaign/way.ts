import type { Axis, CampaignPoint } from './axis.js';

/** A way between two hosts: the one that probes, and the one that is written to. */
export interface Way {
  readonly from: string;
  readonly to: string;
}

/** Stands between the two hosts of a way, so no host has it in its name. */
export const WAY_MARK = ' > ';

/** Ways that a campaign may have: all of a rack of fifty hosts, or some of more. */
export const MOST_WAYS = 2500;

/**
 * The ways between hosts, as values of an axis: all, or from each host to this many others, spread evenly over the list.
 *
 * @example
 * waysBetween(['a', 'b', 'c'], 1); // ['a > b', 'b > c', 'c > a']
 */
export function waysBetween(hosts: readonly string[], between: 'all' | number): string[] {
  const others = hosts.length - 1;
  const each = between === 'all' ? others : between;
  const steps = Array.from({ length: each }, (_, index) => 1 + Math.floor((index * others) / each));
  return hosts.flatMap((from, place) =>
    steps.map((step) => `${from}${WAY_MARK}${hosts[(place + step) % hosts.length]}`),
  );
}

/** The way that a task probes; null where it is about something else. */
export function wayOf({ host }: CampaignPoint): Way | null {
  const [from, to] = String(host).split(WAY_MARK);
  return to === undefined ? null : { from, to };
}

/** Whether some tasks of a campaign probe ways between hosts. */
export function hasWays(axes: readonly Axis[]): boolean {
  const hosts = axes.find(({ name }) => name === 'host');
  return hosts !== undefined && 'values' in hosts && hosts.values.some((host) => wayOf({ host }) !== null);
}
