import type { Diagnosis } from '../diagnosis/diagnose.js';
import { type Plan, pathsByLink } from '../plan.js';
import type { PathStatus } from '../status.js';

/**
 * How a link came out of a run. `abnormal`: a finding names it. `overloaded`: it is full. `gray`: paths over it contradict
 * each other. `unknown`: no path over it was judged.
 */
export type LinkState = 'normal' | 'abnormal' | 'overloaded' | 'gray' | 'unknown';

/** The state of every link of the plan after one run. */
export function linkStatesOf(
  plan: Plan,
  statuses: readonly PathStatus[],
  { findings, binary }: Pick<Diagnosis, 'findings' | 'binary'>,
): readonly LinkState[] {
  const crossing = pathsByLink(plan);
  const gray = new Set(binary.gray);
  return plan.links.map(({ name }, link) => {
    const accusing = findings.filter(({ links }) => links.includes(name));
    if (accusing.some(({ causeClass }) => causeClass !== 'contention')) return 'abnormal';
    if (accusing.length > 0) return 'overloaded';
    if (gray.has(link)) return 'gray';
    return crossing[link].some((path) => statuses[path].state === 'normal') ? 'normal' : 'unknown';
  });
}
