import { type Plan, pathsByLink } from '../plan.js';

/** Links that the probes cannot tell apart, one of which is too slow. */
export interface Suspect {
  /** Indices into the plan's links: one link, or a set that every probe crosses together. */
  readonly links: readonly number[];
  /** RNICs whose paths accuse it. */
  readonly accusers: readonly string[];
  /** Indices of the abnormal paths that it explains. */
  readonly paths: readonly number[];
  /** What it still carries, where the localiser can say. */
  readonly capacityGbps?: number;
}

/** Where a localiser sees the fault. */
export interface Localisation {
  readonly localiser: 'binary' | 'capacity';
  /** The most accused first. */
  readonly suspects: readonly Suspect[];
  /** Links of paths that contradict each other in this run: good and bad at once. */
  readonly gray: readonly number[];
  /** Abnormal paths that no suspect explains. */
  readonly unexplained: readonly number[];
}

/**
 * Classes of links that exactly the same paths cross. No reading of these paths can tell the links of a class apart, so
 * the honest answer is the class. Links that no path crosses are in none.
 */
export function equivalenceClasses(
  plan: Plan,
  probed: (path: number) => boolean = () => true,
): readonly (readonly number[])[] {
  const classes = new Map<string, number[]>();
  pathsByLink(plan).forEach((paths, link) => {
    const key = paths.filter(probed).join(',');
    if (key === '') return;
    const members = classes.get(key);
    if (members === undefined) classes.set(key, [link]);
    else members.push(link);
  });
  return [...classes.values()];
}

/** The class of every link; a link that nothing crosses is alone. */
export function classOf(classes: readonly (readonly number[])[], link: number): readonly number[] {
  return classes.find((members) => members.includes(link)) ?? [link];
}
