import type { PathStatus } from '../status.js';
import { THRESHOLDS } from '../thresholds.js';
import type { Admission, DiagnosisInput } from './diagnosis-input.js';
import { describePath, type Finding, finding, tellApart } from './finding.js';
import type { LateLink } from './late-link.js';
import { coreCause, type Ruling, windowCause } from './rulings.js';

/** Settings of a host that make answers late, whatever the RNIC. */
const OF_HOST = new Set(['governor', 'iommu-on']);

/** Paths that are late, and not slow or of rates that scatter, with no link that explains them. */
export function lateAnswers(input: DiagnosisInput, remaining: readonly PathStatus[]): Finding[] {
  const { plan, statuses, admissions = [] } = input;
  const late = plan.paths.flatMap((_, path) =>
    remaining[path].latencyAbnormal && ['normal', 'unjudged'].includes(remaining[path].state) ? [path] : [],
  );
  if (late.length === 0) return [];
  const ofHost = admissions.find(({ fault }) => OF_HOST.has(fault));
  if (ofHost !== undefined) return [coreFinding(input, ofHost.fault, [], late, ofHost)];
  const [{ rnic }] = late.map((path) => plan.paths[path]);
  // The host's ordering point lies before memory, and peers do not pass it.
  const admitted = admissions.find(({ part, fault }) => part === rnic && fault === 'ordering-strict');
  const toMemory = late.every(
    (path) => plan.paths[path].rnic === rnic && plan.paths[path].endpointKind === 'memory',
  );
  // Settings that were read and do not admit to it acquit the ordering.
  if (toMemory && (input.admissions === undefined || admitted !== undefined)) {
    return [
      finding('ordering-strict', {
        links: plan.links
          .filter(({ place, ends }) => place === 'rnic' && ends.includes(rnic))
          .map(({ name }) => name),
        alternatives: [],
        certainty: admitted === undefined ? 'suspected' : 'verified',
        evidence: [
          `${rnic} is late to memory alone, after long writes`,
          ...late.map((path) => describePath(plan, statuses, path)),
          ...(admitted === undefined ? [] : [admitted.detail]),
        ],
        tellApart: [`read RlxdOrd in DevCtl of ${rnic}`],
      }),
    ];
  }
  const rnics = new Set(late.map((path) => plan.paths[path].rnic));
  const misbound = admissions.find(({ part, fault }) => fault === 'numa-misbind' && part === rnic);
  const ruling =
    misbound !== undefined && rnics.size === 1 ? { cause: misbound.fault, evidence: [] } : rulingOf(input);
  if (ruling?.cause != null) {
    const own = plan.links
      .filter(({ place, ends }) => place === 'rnic' && ends.some((end) => rnics.has(end)))
      .map(({ name }) => name);
    const confirmed = admissions.find(({ part, fault }) => fault === ruling.cause && rnics.has(part));
    const links = ruling.cause === 'numa-misbind' ? own : [];
    return [coreFinding(input, ruling.cause, links, late, confirmed)];
  }
  const everywhere = plan.rnics.every((each) => late.some((path) => plan.paths[path].rnic === each));
  return [
    finding(everywhere ? 'governor' : 'link-latency', {
      links: [],
      alternatives: everywhere ? ['link-latency'] : [],
      certainty: 'suspected',
      evidence: [
        `${late.length} paths are late at full bandwidth`,
        ...late.slice(0, 4).map((path) => describePath(plan, statuses, path)),
        ...(ruling?.evidence ?? []),
      ],
      tellApart: everywhere ? ['read the clock of the cores (cpufreq)'] : [],
    }),
  ];
}

/** What is late because of cores: a slow clock, sleep, or the wrong socket. */
function coreFinding(
  input: DiagnosisInput,
  cause: string,
  links: readonly string[],
  late: readonly number[],
  admitted?: Admission,
): Finding {
  const { plan, statuses } = input;
  return finding(cause, {
    links,
    alternatives: [],
    certainty: admitted === undefined ? 'suspected' : 'verified',
    evidence: [
      `${late.length} paths are late at full bandwidth`,
      ...late.slice(0, 4).map((path) => describePath(plan, statuses, path)),
      ...(rulingOf(input)?.evidence ?? []),
      ...(admitted === undefined ? [] : [admitted.detail]),
    ],
    tellApart: [],
  });
}

/** What probes E and F say, where they were asked: the first of them that has a cause decides. */
function rulingOf({ second, baseline, thresholds = THRESHOLDS }: DiagnosisInput): Ruling | null {
  const [windows] = second?.windows ?? [];
  const [cores] = second?.cores ?? [];
  const rulings = [
    ...(windows === undefined ? [] : [windowCause(windows, thresholds)]),
    ...(cores === undefined ? [] : [coreCause(cores, baseline.paths[cores.path].latencyNs, thresholds)]),
  ];
  const cause = rulings.find((each) => each.cause !== null)?.cause ?? null;
  return rulings.length === 0 ? null : { cause, evidence: rulings.flatMap(({ evidence }) => evidence) };
}

/** What is wrong with a link that answers late. */
export function lateFinding(input: DiagnosisInput, { links, paths, addedNs }: LateLink): Finding {
  const { plan, statuses, admissions } = input;
  // Where an RNIC reaches memory alone, an ordering point before memory makes all of its paths late.
  const memoryAlone = paths.every((path) => plan.paths[path].endpointKind === 'memory');
  const rnics = new Set(paths.map((path) => plan.paths[path].rnic));
  const ofCores = admissions?.find(
    ({ part, fault }) =>
      OF_HOST.has(fault) || (fault === 'numa-misbind' && rnics.size === 1 && rnics.has(part)),
  );
  const names = links.map((link) => plan.links[link].name);
  const linksOf = (cause: string) => (OF_HOST.has(cause) ? [] : names);
  if (ofCores !== undefined) return coreFinding(input, ofCores.fault, linksOf(ofCores.fault), paths, ofCores);
  const ruling = rulingOf(input);
  if (ruling?.cause === 'numa-misbind' || ruling?.cause === 'iommu-on')
    return coreFinding(input, ruling.cause, linksOf(ruling.cause), paths);
  const admitted = admissions?.find(
    ({ part, fault }) => fault === 'ordering-strict' && memoryAlone && rnics.size === 1 && rnics.has(part),
  );
  const unread = admissions === undefined && memoryAlone && rnics.size === 1;
  return finding(admitted?.fault ?? 'link-latency', {
    links: names,
    alternatives: unread ? ['ordering-strict'] : [],
    certainty: admitted === undefined ? 'suspected' : 'verified',
    evidence: [
      `${paths.length} paths are late by up to ${addedNs.toFixed(0)} ns, all whose data or whose descriptors and completions cross it`,
      ...paths.slice(0, 4).map((path) => describePath(plan, statuses, path)),
      ...(ruling?.evidence ?? []),
      ...(admitted === undefined ? [] : [admitted.detail]),
    ],
    tellApart: [
      ...tellApart(links, plan, []),
      ...(unread ? [`read RlxdOrd in DevCtl of ${[...rnics].join()}`] : []),
    ],
  });
}
