import type { Plan } from '../plan.js';
import type { Reading } from '../reading.js';
import type { Baseline, PathStatus } from '../status.js';

/** Links one of which answers late, that nothing tells apart. */
export interface LateLink {
  readonly links: readonly number[];
  /** The late paths, all of which it explains. */
  readonly paths: readonly number[];
  /** The most that it adds to a probe. */
  readonly addedNs: number;
}

/** A path counts as late with the others from this share of the most that any path is late. */
const SHARE_OF_MOST = 0.15;

/**
 * The link that explains all late paths: each path that crosses it is late, and no other. A probe crosses a link with its
 * data, or with its descriptors and completions, which go between the RNIC and the memory of its socket. Null if no path
 * is late, or no single link explains them: peer traffic that turns in the root complex is such a case.
 */
export function lateLink(
  plan: Plan,
  readings: readonly (Reading | null)[],
  statuses: readonly PathStatus[],
  baseline: Baseline,
): LateLink | null {
  if (!statuses.some(({ latencyAbnormal }) => latencyAbnormal)) return null;
  const known = plan.paths.flatMap((_, path) => (readings[path]?.latencyNs == null ? [] : [path]));
  const addedNs = new Map(
    known.map((path) => [path, readings[path]!.latencyNs! - baseline.paths[path].latencyNs]),
  );
  const most = Math.max(...addedNs.values());
  const late = known.filter((path) => addedNs.get(path)! > SHARE_OF_MOST * most);
  const own = new Map(plan.rnics.map((rnic) => [rnic, ownLinks(plan, rnic)]));
  const links = plan.links.flatMap(({ place }, link) => {
    // Channels answer late when they are slow or full; that is a rate, not a way.
    if (place === 'memory') return [];
    const crossing = known.filter(
      (path) => plan.paths[path].links.includes(link) || own.get(plan.paths[path].rnic)!.includes(link),
    );
    return crossing.length === late.length && crossing.every((path) => late.includes(path)) ? [link] : [];
  });
  return links.length === 0 ? null : { links, paths: late, addedNs: most };
}

/** The links between an RNIC and its socket: what all its ways to memories have in common. */
function ownLinks(plan: Plan, rnic: string): readonly number[] {
  const ways = plan.paths.filter((path) => path.rnic === rnic && path.endpointKind === 'memory');
  const [first, ...others] = ways.map(({ links }) => links);
  const common = first?.filter((link) => others.every((links) => links.includes(link))) ?? [];
  return common.filter((link) => plan.links[link].place !== 'memory');
}
