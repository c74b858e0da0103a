import type { CauseClass } from './catalogue.js';
import { findFault } from './catalogue.js';
import { type LateLink, lateLink } from './late-link.js';
import type { Localisation } from './localisation.js';
import { localiseBinary } from './localise-binary.js';
import { localiseCapacity } from './localise-capacity.js';
import { type LinkPlace, type Plan, pathName } from './plan.js';
import type { Reading } from './reading.js';
import type { Baseline, PathStatus } from './status.js';
import { THRESHOLDS, type Thresholds } from './thresholds.js';

/** What the host says about itself, where it can be asked: an answer that is confirmed outranks one that is inferred. */
export interface Admission {
  /** A link, an RNIC or a PCIe switch by its name. */
  readonly part: string;
  /** The id of a fault kind. */
  readonly fault: string;
  readonly detail: string;
}

/** Something that is wrong with a host. */
export interface Finding {
  /** Links by name; several where nothing that was measured tells them apart. */
  readonly links: readonly string[];
  /** The id of a fault kind; `pcie-link` for a slow PCIe link that nothing tells more about. */
  readonly cause: string;
  readonly causeClass: CauseClass;
  /** Other causes that the same readings fit. */
  readonly alternatives: readonly string[];
  /** `verified`: the host admits to it. `suspected`: the readings fit. */
  readonly certainty: 'verified' | 'suspected';
  readonly evidence: readonly string[];
  readonly advice: string;
  /** What would tell the alternatives, or the links, apart. */
  readonly tellApart: readonly string[];
}

/** A diagnosis of one sweep. */
export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly binary: Localisation;
  readonly capacity: Localisation;
  /** What could not be judged, and why. */
  readonly unjudged: readonly string[];
}

/** What a diagnosis is made from. */
export interface DiagnosisInput {
  readonly plan: Plan;
  readonly readings: readonly (Reading | null)[];
  readonly statuses: readonly PathStatus[];
  readonly baseline: Baseline;
  /** What the host admits to; an empty list from one that was asked and is clean, undefined if nobody asked. */
  readonly admissions?: readonly Admission[];
  /** Use of each link of the plan, 0 to 1, where it is known. */
  readonly utilisation?: ReadonlyMap<number, number>;
  readonly thresholds?: Thresholds;
}

const PLACE_TITLES: Readonly<Record<LinkPlace, string>> = {
  rnic: 'PCIe link of the RNIC',
  gpu: 'PCIe link of the GPU',
  'root-port': 'root port of the processor',
  switch: 'link between PCIe switches',
  memory: 'memory channel',
  'inter-socket': 'link between the sockets',
};

const PLACE_FAULTS: Readonly<Record<LinkPlace, readonly string[]>> = {
  // Not `mps-small`: smaller payloads cost less than what counts as abnormal.
  rnic: ['pcie-width', 'pcie-speed', 'pcie-silent', 'mrrs-small'],
  gpu: ['pcie-width', 'pcie-speed', 'pcie-silent'],
  'root-port': ['pcie-width', 'pcie-speed', 'pcie-silent'],
  switch: ['pcie-width', 'pcie-speed', 'pcie-silent'],
  memory: ['memory-channel'],
  'inter-socket': ['upi-degraded'],
};

/** Says what is wrong with a host, where and why, out of one sweep (Hostping §4.3, with what its rules leave open). */
export function diagnose(input: DiagnosisInput): Diagnosis {
  const { plan, readings, statuses, baseline, thresholds = THRESHOLDS } = input;
  const late = lateLink(plan, readings, statuses, baseline);
  const turned = redirectedPaths(plan, statuses, late);
  // Peer traffic that goes the long way is slow by its way, not by a link: its paths accuse nobody.
  const remaining = statuses.map(
    (status, path): PathStatus =>
      turned.has(path)
        ? { ...status, state: 'unjudged', why: 'peer traffic takes the way through the root complex' }
        : late?.paths.includes(path)
          ? { ...status, state: 'unjudged', why: 'late by a link that is late' }
          : status,
  );
  const binary = localiseBinary(plan, remaining);
  const capacity = localiseCapacity(plan, remaining, readings, baseline, thresholds);
  const seen = [
    ...deadEndpoints(plan, statuses),
    ...redirections(input, turned),
    ...(late === null ? [] : [lateFinding(input, late)]),
    ...slowLinks(input, remaining, binary, capacity),
    ...lateAnswers(input, remaining),
  ];
  const findings = [...seen, ...settingsAlone(input, seen)];
  const unjudged = plan.paths.flatMap((path, index) => {
    const { state, why } = statuses[index];
    return state === 'unjudged' && why !== 'not probed in this run' ? [`${pathName(path)}: ${why}`] : [];
  });
  return { findings, binary, capacity, unjudged };
}

/**
 * Paths between an RNIC and a GPU below one switch that are slow *and* late: they turn in the root complex (§4.3, #7 and
 * #8).
 */
function redirectedPaths(
  plan: Plan,
  statuses: readonly PathStatus[],
  late: LateLink | null,
): ReadonlySet<number> {
  const turned = new Set<number>();
  plan.paths.forEach(({ endpointKind, throughRoot }, path) => {
    const { state, latencyAbnormal } = statuses[path];
    if (late?.paths.includes(path)) return;
    if (endpointKind === 'gpu' && !throughRoot && state === 'abnormal' && latencyAbnormal) turned.add(path);
  });
  return turned;
}

function redirections(
  { plan, statuses, admissions = [] }: DiagnosisInput,
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
        `${paths.length} of ${under.length} paths between RNICs and GPUs below ${name} are slow and late at once`,
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

function slowLinks(
  { plan, admissions, utilisation = new Map(), thresholds = THRESHOLDS }: DiagnosisInput,
  remaining: readonly PathStatus[],
  binary: Localisation,
  capacity: Localisation,
): Finding[] {
  // Capacity explains every reading or nothing; where it cannot, the paper's list is what there is.
  const suspects = capacity.suspects.length > 0 ? capacity.suspects : binary.suspects;
  return suspects.map((suspect) => {
    const accused = suspect.links.map((link) => plan.links[link].name);
    const places = [...new Set(suspect.links.map((link) => plan.links[link].place))];
    const used = Math.max(0, ...suspect.links.map((link) => utilisation.get(link) ?? 0));
    const evidence = [
      `${suspect.paths.length} paths of ${suspect.accusers.join(', ')} are slow; what they have in common is ${accused.join(' or ')}`,
      ...(suspect.capacityGbps === undefined
        ? []
        : [`it still carries ${suspect.capacityGbps.toFixed(1)} Gb/s`]),
      ...suspect.paths.slice(0, 4).map((path) => describePath(plan, remaining, path)),
    ];
    if (used > thresholds.overloaded) {
      return {
        links: accused,
        cause: 'overloaded',
        causeClass: 'contention',
        alternatives: [],
        certainty: 'verified',
        evidence: [...evidence, `${(100 * used).toFixed(0)} % of it is in use`],
        advice:
          'Find the traffic that fills it and move it: pin memory and threads to the socket of the device, or spread the load.',
        tellApart: [],
      } satisfies Finding;
    }
    const parts = [...accused, ...suspect.links.flatMap((link) => plan.links[link].ends)];
    const possible = [...new Set(places.flatMap((place) => PLACE_FAULTS[place]))];
    const admitted = admissions?.find(({ part, fault }) => parts.includes(part) && possible.includes(fault));
    const fits = possible.filter(
      // A host whose settings were read and are usual has only what no setting shows.
      (id) => admissions === undefined || findFault(id)?.setting === null,
    );
    const [cause, ...alternatives] =
      admitted !== undefined ? [admitted.fault] : fits.length === 1 ? fits : ['pcie-link', ...fits];
    // Where probes do not tell links apart, the state of one of them may.
    const names = admitted !== undefined && accused.includes(admitted.part) ? [admitted.part] : accused;
    return finding(cause, {
      links: names,
      alternatives,
      certainty: admitted === undefined ? 'suspected' : 'verified',
      evidence: [...evidence, ...(admitted === undefined ? [] : [admitted.detail])],
      tellApart: names.length < accused.length ? [] : tellApart(suspect.links, plan, alternatives),
      title: places.map((place) => PLACE_TITLES[place]).join(' or '),
    });
  });
}

/** Paths that are late and not slow, with no link that explains them. */
function lateAnswers(
  { plan, statuses, admissions = [] }: DiagnosisInput,
  remaining: readonly PathStatus[],
): Finding[] {
  const late = plan.paths.flatMap((_, path) =>
    remaining[path].latencyAbnormal && remaining[path].state === 'normal' ? [path] : [],
  );
  if (late.length === 0) return [];
  const [{ rnic }] = late.map((path) => plan.paths[path]);
  // The host's ordering point lies before memory, and peers do not pass it.
  if (late.every((path) => plan.paths[path].rnic === rnic && plan.paths[path].endpointKind === 'memory')) {
    const admitted = admissions.find(({ part, fault }) => part === rnic && fault === 'ordering-strict');
    return [
      finding('ordering-strict', {
        links: plan.links
          .filter(({ place, ends }) => place === 'rnic' && ends.includes(rnic))
          .map(({ name }) => name),
        alternatives: [],
        certainty: admitted === undefined ? 'suspected' : 'verified',
        evidence: [
          `${rnic} is late to memory alone, after long writes, at full bandwidth`,
          ...late.map((path) => describePath(plan, statuses, path)),
          ...(admitted === undefined ? [] : [admitted.detail]),
        ],
        tellApart: [`read RlxdOrd in DevCtl of ${rnic}`],
      }),
    ];
  }
  return [
    finding('link-latency', {
      links: [],
      alternatives: ['c-states', 'numa-misbind', 'iommu-on'],
      certainty: 'suspected',
      evidence: [
        `${late.length} paths are late at full bandwidth`,
        ...late.slice(0, 4).map((path) => describePath(plan, statuses, path)),
      ],
      tellApart: [
        'probe from cores of each NUMA node, spaced 0 and 5 ms',
        'a sweep over windows of 64 KB to 64 MB',
      ],
    }),
  ];
}

function lateFinding(
  { plan, statuses, admissions }: DiagnosisInput,
  { links, paths, addedNs }: LateLink,
): Finding {
  // Where an RNIC reaches memory alone, an ordering point before memory makes all of its paths late.
  const memoryAlone = paths.every((path) => plan.paths[path].endpointKind === 'memory');
  const rnics = new Set(paths.map((path) => plan.paths[path].rnic));
  const admitted = admissions?.find(
    ({ part, fault }) => fault === 'ordering-strict' && memoryAlone && rnics.size === 1 && rnics.has(part),
  );
  const unread = admissions === undefined && memoryAlone && rnics.size === 1;
  return finding(admitted?.fault ?? 'link-latency', {
    links: links.map((link) => plan.links[link].name),
    alternatives: unread ? ['ordering-strict'] : [],
    certainty: admitted === undefined ? 'suspected' : 'verified',
    evidence: [
      `${paths.length} paths are late by up to ${addedNs.toFixed(0)} ns, all whose data or whose descriptors and completions cross it`,
      ...paths.slice(0, 4).map((path) => describePath(plan, statuses, path)),
      ...(admitted === undefined ? [] : [admitted.detail]),
    ],
    tellApart: [
      ...tellApart(links, plan, []),
      ...(unread ? [`read RlxdOrd in DevCtl of ${[...rnics].join()}`] : []),
    ],
  });
}

/** Settings that differ from a healthy host and that no slow path showed: worth a word before they are. */
function settingsAlone({ plan, admissions = [] }: DiagnosisInput, seen: readonly Finding[]): Finding[] {
  const groups = new Map<string, { links: Set<string>; fault: string; details: string[] }>();
  for (const { part, fault, detail } of admissions) {
    // Healthy links send a packet again now and then: that may explain a slow link, and accuses none.
    if (fault === 'pcie-silent') continue;
    const links = plan.links.filter(
      ({ name, place, ends }) => name === part || (place === 'rnic' && ends.includes(part)),
    );
    const names = links.map(({ name }) => name);
    if (seen.some((each) => each.cause === fault && sharesPart(plan, each.links, names))) continue;
    const key = `${fault} ${part}`;
    const group = groups.get(key) ?? { links: new Set(), fault, details: [] };
    for (const name of names) group.links.add(name);
    group.details.push(detail);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ links, fault, details }) =>
    finding(fault, {
      links: [...links],
      alternatives: [],
      certainty: 'verified',
      evidence: [...details, 'no probe is slower for it by as much as counts'],
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

/** Endpoints that no RNIC reaches, and hosts on which no GPU can be registered. */
function deadEndpoints(plan: Plan, statuses: readonly PathStatus[]): Finding[] {
  const dead = plan.endpoints.filter((endpoint) => {
    const own = statuses.filter((_, path) => plan.paths[path].endpoint === endpoint);
    return (
      own.some(({ state }) => state === 'failed') &&
      own.every(({ state }) => state === 'failed' || state === 'unjudged')
    );
  });
  const gpus = [
    ...new Set(
      plan.paths.filter(({ endpointKind }) => endpointKind === 'gpu').map(({ endpoint }) => endpoint),
    ),
  ];
  const why = (endpoint: string) =>
    statuses.find((status, path) => plan.paths[path].endpoint === endpoint && status.state === 'failed')
      ?.why ?? '';
  if (gpus.length > 1 && gpus.every((gpu) => dead.includes(gpu))) {
    return [
      {
        links: [],
        cause: 'gdr-dead',
        causeClass: 'software',
        alternatives: [],
        certainty: 'suspected',
        evidence: [`the memory of none of ${gpus.length} GPUs can be registered`, why(gpus[0])],
        advice: 'Load the peer-memory module (nvidia-peermem), or use a driver with dma-buf.',
        tellApart: [],
      },
    ];
  }
  return dead.map((endpoint) => ({
    links: plan.links.filter(({ ends }) => ends.includes(endpoint)).map(({ name }) => name),
    cause: 'gpu-off-bus',
    causeClass: 'failure',
    alternatives: [],
    certainty: 'suspected',
    evidence: [why(endpoint)],
    advice: `Look for ${endpoint} in lspci and nvidia-smi; reset it, or power the host off and on.`,
    tellApart: [],
  }));
}

function finding(
  cause: string,
  rest: Omit<Finding, 'cause' | 'causeClass' | 'advice'> & { title?: string },
): Finding {
  const kind = findFault(cause);
  const { title, ...fields } = rest;
  return {
    ...fields,
    evidence: title === undefined ? fields.evidence : [title, ...fields.evidence],
    cause,
    causeClass: kind?.causeClass ?? 'failure',
    advice:
      kind?.advice ??
      'Read LnkSta, LnkCap and DevCtl of both ends and the AER counters; reseat or replace what differs from a healthy host.',
  };
}

function tellApart(links: readonly number[], plan: Plan, alternatives: readonly string[]): string[] {
  const said: string[] = [];
  if (links.length > 1)
    said.push(
      `a probe that crosses ${plan.links[links[0]].name} and not ${plan.links[links[1]].name}: an RNIC or endpoint between them`,
    );
  if (alternatives.includes('pcie-silent'))
    said.push('read LnkSta, DevCtl and the AER counters of both ends');
  return said;
}

function describePath(plan: Plan, statuses: readonly PathStatus[], path: number): string {
  const { gbpsRatio, latencyRatio } = statuses[path];
  const percent = (ratio: number | null) => (ratio === null ? 'nothing' : `${(100 * ratio).toFixed(0)} %`);
  return `${pathName(plan.paths[path])}: bandwidth ${percent(gbpsRatio)} and latency ${percent(latencyRatio)} of the baseline`;
}

/** The switch or socket that an RNIC hangs from. */
function switchAbove(plan: Plan, rnic: string): string {
  const link = plan.links.find(({ place, ends }) => place === 'rnic' && ends.includes(rnic));
  return link?.ends.find((end) => end !== rnic) ?? rnic;
}
