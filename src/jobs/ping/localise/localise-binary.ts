import type { Plan } from '../plan.js';
import type { PathStatus } from '../status.js';
import { classOf, equivalenceClasses, type Localisation, type Suspect } from './localisation.js';

/**
 * Hostping's Algorithm 1: normal affinitive paths acquit their links, abnormal paths accuse what is left of theirs, and
 * the count of accusing RNICs ranks them. Three things are fixed here that the listing leaves open: paths are tested
 * against what the normal paths acquitted, so that the order of paths does not matter; an RNIC whose affinitive paths are
 * all abnormal has a bad link of its own, which is asked first, for otherwise everything behind it is accused as well
 * (§4.3); and links that no path tells apart are one suspect.
 */
export function localiseBinary(plan: Plan, statuses: readonly PathStatus[]): Localisation {
  const judged = (path: number) => statuses[path].state === 'normal' || statuses[path].state === 'abnormal';
  const classes = equivalenceClasses(plan, judged);
  const acquitted = new Set<number>();
  plan.paths.forEach(({ links }, path) => {
    const { state, affinitive } = statuses[path];
    if (state === 'normal' && affinitive) for (const link of links) acquitted.add(link);
  });
  const ownLinks = badRnics(plan, statuses, acquitted);
  const accused = new Map<number, { accusers: Set<string>; paths: Set<number> }>();
  const gray = new Set<number>();
  const unexplained: number[] = [];
  plan.paths.forEach(({ rnic, links }, path) => {
    if (statuses[path].state !== 'abnormal') return;
    const own = ownLinks.get(rnic);
    const suspects = own !== undefined ? own : links.filter((link) => !acquitted.has(link));
    if (suspects.length === 0) {
      for (const link of links) gray.add(link);
      unexplained.push(path);
    }
    for (const link of suspects) {
      const entry = accused.get(link) ?? { accusers: new Set(), paths: new Set() };
      entry.accusers.add(rnic);
      entry.paths.add(path);
      accused.set(link, entry);
    }
  });
  return {
    localiser: 'binary',
    suspects: merged(classes, accused),
    gray: [...gray].sort(ascending),
    unexplained,
  };
}

/**
 * RNICs all of whose affinitive paths are abnormal, two at least, with the links that these paths have in common and that
 * nobody acquitted: the RNIC's own link, and with it whatever no other RNIC looks through.
 */
function badRnics(
  plan: Plan,
  statuses: readonly PathStatus[],
  acquitted: ReadonlySet<number>,
): Map<string, readonly number[]> {
  const bad = new Map<string, readonly number[]>();
  for (const rnic of plan.rnics) {
    const own = plan.paths.filter((path, index) => {
      const { affinitive, state } = statuses[index];
      return path.rnic === rnic && affinitive && (state === 'normal' || state === 'abnormal');
    });
    const allAbnormal = own.every((path) => statuses[plan.paths.indexOf(path)].state === 'abnormal');
    if (own.length < 2 || !allAbnormal) continue;
    const common = own[0].links.filter(
      (link) => !acquitted.has(link) && own.every(({ links }) => links.includes(link)),
    );
    if (common.length > 0) bad.set(rnic, common);
  }
  return bad;
}

function merged(
  classes: readonly (readonly number[])[],
  accused: ReadonlyMap<number, { accusers: ReadonlySet<string>; paths: ReadonlySet<number> }>,
): Suspect[] {
  const suspects = new Map<string, Suspect>();
  for (const [link, { accusers, paths }] of accused) {
    const links = classOf(classes, link);
    suspects.set(links.join(','), {
      links,
      accusers: [...accusers].sort(),
      paths: [...paths].sort(ascending),
    });
  }
  return [...suspects.values()].sort(
    (a, b) =>
      b.accusers.length - a.accusers.length || b.paths.length - a.paths.length || a.links[0] - b.links[0],
  );
}

const ascending = (a: number, b: number) => a - b;
