import type { Plan } from '../plan.js';
import { THRESHOLDS } from '../thresholds.js';
import type { DiagnosisInput } from './diagnosis-input.js';
import { type Finding, finding } from './finding.js';
import { coreCause, jointEvidence } from './rulings.js';

const ABOUT_CORES = new Set(['numa-misbind', 'c-states', 'governor']);

/** Settings that differ from a healthy host and that no slow path showed: worth a word before they are. */
export function settingsAlone(
  { plan, admissions = [], second, baseline, thresholds = THRESHOLDS }: DiagnosisInput,
  seen: readonly Finding[],
): Finding[] {
  const groups = new Map<string, { links: Set<string>; fault: string; details: string[] }>();
  for (const { part, fault, detail } of admissions) {
    // Healthy links send a packet again now and then: that may explain a slow link, and accuses none.
    if (fault === 'pcie-silent') continue;
    const links = plan.links.filter(
      ({ name, place, ends }) =>
        name === part || ((place === 'rnic' || place === 'memory') && ends.includes(part)),
    );
    const names = links.map(({ name }) => name);
    const isSame = (each: Finding) => names.length === 0 || sharesPart(plan, each.links, names);
    if (seen.some((each) => each.cause === fault && isSame(each))) continue;
    const key = `${fault} ${part}`;
    const group = groups.get(key) ?? { links: new Set(), fault, details: [] };
    for (const name of names) group.links.add(name);
    group.details.push(detail);
    groups.set(key, group);
  }
  const secondEvidence = (fault: string): string[] => [
    ...(fault === 'memory-missing' ? jointEvidence(second) : []),
    ...(ABOUT_CORES.has(fault) ? (second?.cores ?? []) : []).flatMap(
      (each) => coreCause(each, baseline.paths[each.path].latencyNs, thresholds).evidence,
    ),
  ];
  return [...groups.values()].map(({ links, fault, details }) =>
    finding(fault, {
      links: [...links],
      alternatives: [],
      certainty: 'verified',
      evidence: [
        ...details,
        'no probe of the first stage is significantly slower for it',
        ...secondEvidence(fault),
      ],
      tellApart: [],
    }),
  );
}

/** Whether two sets of links meet in a device or a switch: ACS is a setting of all ports of one. */
function sharesPart(plan: Plan, a: readonly string[], b: readonly string[]): boolean {
  const endsOf = (names: readonly string[]) =>
    plan.links.filter(({ name }) => names.includes(name)).flatMap(({ ends }) => ends);
  const ends = new Set(endsOf(a));
  return endsOf(b).some((end) => ends.has(end));
}
