import type { Plan } from '../plan.js';
import type { Reading } from '../reading.js';
import type { Baseline, PathStatus } from '../status.js';
import { THRESHOLDS, type Thresholds } from '../thresholds.js';
import { equivalenceClasses, type Localisation, type Suspect } from './localisation.js';

/** More slow links at once than this are not looked for: the answer would be a guess. */
const MOST_LINKS = 4;

/**
 * The smallest sets of links with one capacity each that predict every reading. A path's rate is a lower bound of what
 * each of its links carries, so a link's capacity can only be the best rate that any path through it had; a path is then
 * as fast as its baseline or as its slowest link. Sets of equal size that predict equally well are all returned: the
 * probes do not tell them apart.
 */
export function localiseCapacity(
  plan: Plan,
  statuses: readonly PathStatus[],
  readings: readonly (Reading | null)[],
  baseline: Baseline,
  thresholds: Thresholds = THRESHOLDS,
): Localisation {
  const known = plan.paths.flatMap((_, path) => {
    const { state } = statuses[path];
    return state === 'normal' || state === 'abnormal' ? [path] : [];
  });
  const abnormal = known.filter((path) => statuses[path].state === 'abnormal');
  const empty: Localisation = { localiser: 'capacity', suspects: [], gray: [], unexplained: [] };
  if (abnormal.length === 0) return empty;
  const classes = equivalenceClasses(plan, (path) => known.includes(path));
  const measured = (path: number) => readings[path]!.gbps!;
  const capacities = classes.map(([link]) =>
    Math.max(...known.filter((path) => plan.paths[path].links.includes(link)).map(measured)),
  );
  const crosses = classes.map(([link]) => plan.paths.map(({ links }) => links.includes(link)));
  // Only a class on an abnormal path whose best rate is too slow for one of them can be the cause.
  const candidates = classes.flatMap((_, index) =>
    abnormal.some((path) => crosses[index][path] && explains(capacities[index], measured(path), thresholds))
      ? [index]
      : [],
  );
  const fits = (set: readonly number[]) =>
    known.every((path) => {
      const slowest = Math.min(
        ...set.filter((index) => crosses[index][path]).map((index) => capacities[index]),
      );
      const predicted = Math.min(baseline.paths[path].gbps, slowest);
      const error = Math.abs(predicted - measured(path)) / predicted;
      // A normal path may scatter by what still counts as normal; an abnormal one must be predicted.
      return error <= (statuses[path].state === 'abnormal' ? thresholds.prediction : thresholds.abnormal);
    });
  for (let size = 1; size <= Math.min(MOST_LINKS, candidates.length); size++) {
    const sets = subsets(candidates, size).filter(fits);
    if (sets.length === 0) continue;
    return { ...empty, suspects: suspectsOf(plan, sets, classes, capacities, crosses, abnormal) };
  }
  return { ...empty, unexplained: abnormal };
}

function explains(capacityGbps: number, gbps: number, { prediction }: Thresholds): boolean {
  return Math.abs(capacityGbps - gbps) / capacityGbps <= prediction;
}

/** One suspect per position where all sets agree; where they differ, one suspect with the links of all of them. */
function suspectsOf(
  plan: Plan,
  sets: readonly (readonly number[])[],
  classes: readonly (readonly number[])[],
  capacities: readonly number[],
  crosses: readonly (readonly boolean[])[],
  abnormal: readonly number[],
): Suspect[] {
  const everywhere = sets[0].filter((index) => sets.every((set) => set.includes(index)));
  const elsewhere = [...new Set(sets.flat())].filter((index) => !everywhere.includes(index));
  const groups = [...everywhere.map((index) => [index]), ...(elsewhere.length === 0 ? [] : [elsewhere])];
  return groups
    .map((group): Suspect => {
      const paths = abnormal.filter((path) => group.some((index) => crosses[index][path]));
      return {
        links: group.flatMap((index) => classes[index]).sort((a, b) => a - b),
        accusers: [...new Set(paths.map((path) => plan.paths[path].rnic))].sort(),
        paths,
        capacityGbps: Math.max(...group.map((index) => capacities[index])),
      };
    })
    .sort((a, b) => b.paths.length - a.paths.length || a.links[0] - b.links[0]);
}

/** All subsets of a size, in order. */
function subsets(of: readonly number[], size: number): number[][] {
  if (size === 0) return [[]];
  return of.flatMap((first, place) => subsets(of.slice(place + 1), size - 1).map((rest) => [first, ...rest]));
}
