import { WHOLE_HOST } from '../../models/index.js';
import type { FaultKind } from './faults/fault-kind.js';
import { classOf, equivalenceClasses } from './localise/localisation.js';
import type { Plan } from './plan.js';

/** The links that may be named for a fault: the class of its link, or those at its switch or device; none of a host. */
export function targetOf(plan: Plan, kind: FaultKind, place: string): string[] {
  if (place === WHOLE_HOST) return [];
  const link = plan.links.findIndex(
    ({ name, place: where, ends }) =>
      name === place || ((where === 'rnic' || where === 'gpu' || where === 'memory') && ends.includes(place)),
  );
  if (kind.id === 'acs') return plan.links.filter(({ ends }) => ends.includes(place)).map(({ name }) => name);
  if (kind.id === 'ats-off') {
    const peers = plan.paths.filter(({ rnic, throughRoot }) => rnic === place && !throughRoot);
    const crossed = peers.flatMap(({ links }) => links.map((each) => plan.links[each].name));
    return [plan.links[link].name, ...crossed];
  }
  return classOf(equivalenceClasses(plan), link).map((each) => plan.links[each].name);
}

/** Whether a finding names what it may, and nothing else. */
export function isTarget(
  links: readonly string[],
  target: readonly string[],
  fault: string,
  rnic: string,
): boolean {
  if (target.length === 0) return links.length === 0;
  if (links.length === 0 || !links.every((each) => target.includes(each))) return false;
  // What follows one RNIC must name it.
  return fault !== 'ats-off' || links.some((each) => each === target[0] || each.startsWith(`${rnic}-`));
}
