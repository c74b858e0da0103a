import type { Plan } from '../plan.js';
import type { DiagnosisInput } from './diagnosis-input.js';
import { describePath, type Finding, finding } from './finding.js';
import type { LateLink } from './late-link.js';

/**
 * Paths between an RNIC and a GPU below one switch that are slow *and* late: they turn in the root complex (§4.3, #7 and
 * #8). On a busy RNIC latency says nothing; there the settings must. Where few paths are probed, a link that is late may
 * explain the same; a setting that was read decides.
 */
export function redirectedPaths(
  { plan, statuses, admissions = [], busyRnics = new Set() }: DiagnosisInput,
  late: LateLink | null,
): ReadonlySet<number> {
  const turned = new Set<number>();
  plan.paths.forEach(({ rnic, endpointKind, throughRoot, links }, path) => {
    const { state, latencyAbnormal } = statuses[path];
    const admitted = admissions.some(
      ({ part, fault }) =>
        (fault === 'ats-off' && part === rnic) ||
        (fault === 'acs' && links.some((link) => plan.links[link].name === part)),
    );
    if (late?.paths.includes(path) && !admitted) return;
    const isLong = latencyAbnormal || (busyRnics.has(rnic) && admitted);
    if (endpointKind === 'gpu' && !throughRoot && state === 'abnormal' && isLong) turned.add(path);
  });
  return turned;
}

/** What sends peer traffic up to the root complex. */
export function redirections(
  { plan, statuses, admissions = [], busyRnics = new Set() }: DiagnosisInput,
  turned: ReadonlySet<number>,
): Finding[] {
  const groups = new Map<string, number[]>();
  for (const path of turned) {
    const group = switchAbove(plan, plan.paths[path].rnic);
    groups.set(group, [...(groups.get(group) ?? []), path]);
  }
  return [...groups].map(([name, paths]) => {
    const under = plan.paths.flatMap((path, index) =>
      switchAbove(plan, path.rnic) === name && path.endpointKind === 'gpu' && !path.throughRoot
        ? [index]
        : [],
    );
    const rnics = [...new Set(paths.map((path) => plan.paths[path].rnic))];
    const all = [...new Set(under.map((path) => plan.paths[path].rnic))];
    const crossed = new Set(
      paths.flatMap((path) => plan.paths[path].links.map((link) => plan.links[link].name)),
    );
    const admitted = admissions.find(
      ({ part, fault }) =>
        (crossed.has(part) && fault === 'acs') || (rnics.includes(part) && fault === 'ats-off'),
    );
    // Several RNICs below the switch: what follows one of them is its own setting, what hits all is the switch's.
    const causes = all.length > 1 ? (rnics.length < all.length ? ['ats-off'] : ['acs']) : ['acs', 'ats-off'];
    const [cause, ...alternatives] = admitted === undefined ? causes : [admitted.fault];
    // Settings that were read say which of the ports on the way are set so.
    const set = admissions.filter(({ fault }) => fault === 'acs').map(({ part }) => part);
    const links = [...crossed].filter((link) => admitted?.fault !== 'acs' || set.includes(link));
    return finding(cause, {
      links:
        cause === 'acs' ? links.filter((link) => !rnics.some((rnic) => link.startsWith(`${rnic}-`))) : links,
      alternatives,
      certainty: admitted === undefined ? 'suspected' : 'verified',
      evidence: [
        `${paths.length} of ${under.length} paths between RNICs and GPUs below ${name} are slow${rnics.some((rnic) => busyRnics.has(rnic)) ? '' : ' and late at once'}`,
        ...paths.map((path) => describePath(plan, statuses, path)),
        ...(admitted === undefined ? [] : [admitted.detail]),
      ],
      tellApart:
        alternatives.length === 0
          ? []
          : [`read ACSCtl of the ports of ${name} and ATSCtl of ${rnics.join(', ')}`],
    });
  });
}

/** The switch or socket that an RNIC hangs from. */
function switchAbove(plan: Plan, rnic: string): string {
  const link = plan.links.find(({ place, ends }) => place === 'rnic' && ends.includes(rnic));
  return link?.ends.find((end) => end !== rnic) ?? rnic;
}
