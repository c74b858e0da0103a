import type { Diagnosis } from '../diagnosis/diagnose.js';
import type { DiagnosisInput } from '../diagnosis/diagnosis-input.js';
import type { Questions } from './second-stage.js';

/** Findings that say of an RNIC's own link no more than that it is slow. */
const OPEN = new Set(['pcie-link', 'slow-start', 'tx-window']);
/** Findings about cores, and those that cores could be behind. */
const ABOUT_CORES = new Set(['numa-misbind', 'c-states', 'governor', 'link-latency']);

/** What the second stage has to ask to name the causes of a diagnosis (A to F of the notes; G, the settings, was read). */
export function questionsOf({ plan, statuses }: DiagnosisInput, { findings }: Diagnosis): Questions {
  const affinitive = (rnic: string) =>
    plan.paths.findIndex((path, index) => path.rnic === rnic && statuses[index].affinitive);
  const rnicsAt = (links: readonly string[]) =>
    plan.rnics.filter((rnic) =>
      plan.links.some(
        ({ name, place, ends }) => place === 'rnic' && links.includes(name) && ends.includes(rnic),
      ),
    );
  const open = findings.filter(({ cause, certainty }) => OPEN.has(cause) && certainty === 'suspected');
  // Of an RNIC that accuses alone: what limits it may look like the links of its longer ways.
  const slow = statuses.flatMap(({ state }, path) => (state === 'abnormal' ? [plan.paths[path].rnic] : []));
  const alone = open.length > 0 && new Set(slow).size === 1 ? [slow[0]] : [];
  const slowest = (rnic: string) =>
    plan.paths.findIndex(
      (path, index) =>
        path.rnic === rnic && statuses[index].affinitive && statuses[index].state === 'abnormal',
    );
  const streams = [...new Set([...open.flatMap(({ links }) => rnicsAt(links)), ...alone])].flatMap((rnic) => {
    const path = slowest(rnic);
    return path < 0 ? [] : [{ rnic, path }];
  });
  const cores = findings
    .filter(({ cause }) => ABOUT_CORES.has(cause))
    .flatMap(({ links }) =>
      links.length === 0 ? [affinitive(plan.rnics[0])] : rnicsAt(links).map(affinitive),
    );
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
  return { streams, cores: [...new Set(cores)].filter((path) => path >= 0), joint: memories, crossed };
}
