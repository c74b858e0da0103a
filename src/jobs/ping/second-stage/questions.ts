import type { Diagnosis } from '../diagnosis/diagnose.js';
import type { DiagnosisInput } from '../diagnosis/diagnosis-input.js';
import type { Questions } from './second-stage.js';

/** Findings that say of an RNIC's own link no more than that it is slow. */
const OPEN = new Set(['pcie-link', 'slow-start', 'tx-window']);
/** Findings about cores, and those that cores could be behind. */
const ABOUT_CORES = new Set(['numa-misbind', 'c-states', 'governor', 'link-latency']);

/** Findings that an IOMMU could be behind. */
const ABOUT_WINDOWS = new Set(['iommu-on', 'governor', 'link-latency']);
/** Findings that name several links on purpose. */
const REDIRECTIONS = new Set(['acs', 'ats-off']);
/** Further paths per set of links. */
const MOST_APART = 4;

/** What the second stage has to ask to name the causes of a diagnosis (A to F of the notes; G, the settings, was read). */
export function questionsOf(
  { plan, readings, statuses }: DiagnosisInput,
  { findings }: Diagnosis,
): Questions {
  const affinitive = (rnic: string) =>
    plan.paths.findIndex((path, index) => path.rnic === rnic && statuses[index].affinitive);
  const rnicsAt = (links: readonly string[]) =>
    plan.rnics.filter((rnic) =>
      plan.links.some(
        ({ name, place, ends }) => place === 'rnic' && links.includes(name) && ends.includes(rnic),
      ),
    );
  const open = findings.filter(({ cause, certainty }) => OPEN.has(cause) && certainty === 'suspected');
  // Of an RNIC that accuses alone: what limits it may look like the links of its longer ways, or like nobody's fault.
  const slow = statuses.flatMap(({ state }, path) => (state === 'abnormal' ? [plan.paths[path].rnic] : []));
  const isOpen = open.length > 0 || findings.length === 0;
  const alone = isOpen && new Set(slow).size === 1 ? [slow[0]] : [];
  const slowest = (rnic: string) => {
    const own = plan.paths.flatMap((path, index) =>
      path.rnic === rnic && statuses[index].state === 'abnormal' ? [index] : [],
    );
    return own.find((path) => statuses[path].affinitive) ?? own[0] ?? -1;
  };
  const streams = [...new Set([...open.flatMap(({ links }) => rnicsAt(links)), ...alone])].flatMap((rnic) => {
    const path = slowest(rnic);
    return path < 0 ? [] : [{ rnic, path }];
  });
  const late = statuses.findIndex(({ latencyAbnormal }) => latencyAbnormal);
  const cores = findings
    .filter(({ cause }) => ABOUT_CORES.has(cause))
    .flatMap(({ links }) =>
      links.length === 0 ? [late < 0 ? affinitive(plan.rnics[0]) : late] : rnicsAt(links).map(affinitive),
    );
  // An IOMMU is before memory, whatever RNIC asks: paths of several are late.
  const lateToMemory = statuses.flatMap(({ latencyAbnormal, affinitive: isNear }, path) =>
    latencyAbnormal && isNear && plan.paths[path].endpointKind === 'memory' ? [path] : [],
  );
  const windows = findings.some(({ cause }) => ABOUT_WINDOWS.has(cause)) ? lateToMemory.slice(0, 1) : [];
  const joint = findings.filter(({ cause }) => cause === 'memory-missing').flatMap(({ links }) => links);
  const memories = plan.links
    .filter(({ name }) => joint.includes(name))
    .flatMap(({ ends }) => ends.filter((end) => plan.endpoints.includes(end)));
  // A slow link of a GPU: in which direction?
  const crossed = open.flatMap(({ links }) => {
    const path = plan.paths.findIndex(
      ({ endpointKind, links: crossing }, index) =>
        endpointKind === 'gpu' &&
        statuses[index].affinitive &&
        crossing.some((link) => plan.links[link].place === 'gpu' && links.includes(plan.links[link].name)),
    );
    const other = plan.paths.find(
      (each, index) =>
        each.rnic === plan.paths[path]?.rnic && each.endpointKind === 'memory' && statuses[index].affinitive,
    );
    return path < 0 || other === undefined ? [] : [{ path, other: other.endpoint }];
  });
  // On a busy host the first stage leaves paths out; one that parts a set of links is worth a few more probes.
  const apart = findings
    .filter(({ cause, links }) => links.length > 1 && !REDIRECTIONS.has(cause))
    .flatMap(({ links }) => {
      const parting = plan.paths.flatMap(({ links: crossing }, path) => {
        const met = crossing.filter((link) => links.includes(plan.links[link].name)).length;
        return readings[path] === null && met > 0 && met < links.length ? [path] : [];
      });
      const near = (path: number) => plan.paths[path].links.length;
      return parting.sort((a, b) => near(a) - near(b)).slice(0, MOST_APART);
    });
  return {
    ...{ streams, windows, joint: memories, crossed },
    cores: [...new Set(cores)].filter((path) => path >= 0),
    apart: [...new Set(apart)],
  };
}
