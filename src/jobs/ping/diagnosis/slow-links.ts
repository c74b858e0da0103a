import { findFault } from '../faults/catalogue.js';
import type { Localisation, Suspect } from '../localise/localisation.js';
import type { LinkPlace } from '../plan.js';
import type { PathStatus } from '../status.js';
import { THRESHOLDS } from '../thresholds.js';
import type { DiagnosisInput } from './diagnosis-input.js';
import { describePath, type Finding, finding, tellApart } from './finding.js';
import { parted } from './parted.js';
import { crossEvidence, STREAMED, streamCause } from './rulings.js';

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
  rnic: ['pcie-width', 'pcie-speed', 'pcie-silent', 'mrrs-small', 'slow-start', 'tx-window'],
  gpu: ['pcie-width', 'pcie-speed', 'pcie-silent'],
  'root-port': ['pcie-width', 'pcie-speed', 'pcie-silent', 'root-port'],
  switch: ['pcie-width', 'pcie-speed', 'pcie-silent'],
  memory: ['memory-channel', 'memory-missing'],
  'inter-socket': ['upi-degraded'],
};

/** Settings of an RNIC that slow some of its ways more than others. */
const OF_ONE_RNIC = new Set(['mrrs-small', 'ordering-strict']);

/** Places whose links are PCIe. */
const PCIE: ReadonlySet<LinkPlace> = new Set(['rnic', 'gpu', 'root-port', 'switch']);

/** What a link that traffic of others fills is called. */
const PLACE_LOADS: Readonly<Record<LinkPlace, string>> = {
  rnic: 'load-loopback',
  gpu: 'load-pcie',
  'root-port': 'load-pcie',
  switch: 'load-pcie',
  memory: 'load-memory',
  'inter-socket': 'load-upi',
};

/** What is wrong with the links that localisers point at. */
export function slowLinks(
  input: DiagnosisInput,
  remaining: readonly PathStatus[],
  binary: Localisation,
  capacity: Localisation,
): Finding[] {
  const { plan, admissions, utilisation = new Map(), second, thresholds = THRESHOLDS } = input;
  // Capacity explains every reading or nothing; where it cannot, the paper's list is what there is.
  const suspects = (capacity.suspects.length > 0 ? capacity.suspects : needed(binary.suspects)).map((each) =>
    parted(input, each),
  );
  const findings = suspects.map((suspect) => {
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
      // Of links that probes do not tell apart, use does.
      const full = suspect.links.filter((link) => (utilisation.get(link) ?? 0) > thresholds.overloaded);
      return finding(PLACE_LOADS[plan.links[full[0]].place], {
        links: full.map((link) => plan.links[link].name),
        alternatives: [],
        certainty: 'verified',
        evidence: [...evidence, `${(100 * used).toFixed(0)} % of it is in use`],
        tellApart: [],
      });
    }
    const parts = [...accused, ...suspect.links.flatMap((link) => plan.links[link].ends)];
    const possible = [...new Set(places.flatMap((place) => PLACE_FAULTS[place]))];
    const admitted =
      admissions?.find(({ part, fault }) => parts.includes(part) && possible.includes(fault)) ??
      admissions?.find(
        ({ part, fault }) => OF_ONE_RNIC.has(fault) && suspect.accusers.every((each) => each === part),
      );
    // Streams of the one RNIC that accuses: what limits it may show on its longer ways alone.
    const streamed = second?.streams.find(({ rnic }) => suspect.accusers.every((each) => each === rnic));
    const ruling = streamed === undefined ? null : streamCause(streamed, thresholds);
    const fits = possible.filter(
      // A host whose settings were read and are usual has only what no setting shows; streams decide about the RNIC's own.
      (id) =>
        (admissions === undefined || findFault(id)?.setting === null) &&
        (ruling === null || !STREAMED.includes(id)),
    );
    const [cause, ...alternatives] =
      admitted !== undefined
        ? [admitted.fault]
        : ruling?.cause != null
          ? [ruling.cause]
          : fits.length === 1 || !places.some((place) => PCIE.has(place))
            ? fits
            : ['pcie-link', ...fits];
    // Where probes do not tell links apart, the state of one of them may.
    const names =
      admitted !== undefined && accused.includes(admitted.part)
        ? [admitted.part]
        : admitted !== undefined && plan.rnics.includes(admitted.part)
          ? plan.links
              .filter(({ place, ends }) => place === 'rnic' && ends.includes(admitted.part))
              .map(({ name }) => name)
          : ruling?.cause != null && streamed !== undefined
            ? plan.links
                .filter(({ place, ends }) => place === 'rnic' && ends.includes(streamed.rnic))
                .map(({ name }) => name)
            : accused;
    return finding(cause, {
      links: names,
      alternatives,
      certainty: admitted === undefined ? 'suspected' : 'verified',
      evidence: [
        ...evidence,
        ...(ruling === null ? [] : ruling.evidence),
        ...crossEvidence(second, parts),
        ...(admitted === undefined ? [] : [admitted.detail]),
      ],
      tellApart: names.length < accused.length ? [] : tellApart(suspect.links, plan, alternatives),
      title: places.map((place) => PLACE_TITLES[place]).join(' or '),
    });
  });
  if (suspects.length === 0) findings.push(...windowsAlone(input, remaining));
  // Several suspects may turn out to be one RNIC.
  return findings.filter(
    ({ cause, links }, place) =>
      findings.findIndex((each) => each.cause === cause && each.links.join() === links.join()) === place,
  );
}

/**
 * RNICs with slow paths whose links others acquit, and which several queue pairs mend: a transmit window so wide that
 * only the longest ways show it.
 */
function windowsAlone(
  { plan, second, thresholds = THRESHOLDS }: DiagnosisInput,
  remaining: readonly PathStatus[],
): Finding[] {
  return (second?.streams ?? []).flatMap((streamed) => {
    const ruling = streamCause(streamed, thresholds);
    const slow = plan.paths.flatMap(({ rnic }, path) =>
      rnic === streamed.rnic && remaining[path].state === 'abnormal' ? [path] : [],
    );
    if (ruling.cause !== 'tx-window' || slow.length === 0) return [];
    return [
      finding(ruling.cause, {
        links: plan.links
          .filter(({ place, ends }) => place === 'rnic' && ends.includes(streamed.rnic))
          .map(({ name }) => name),
        alternatives: [],
        certainty: 'suspected',
        evidence: [
          ...slow.slice(0, 4).map((path) => describePath(plan, remaining, path)),
          'other paths acquit every link of these',
          ...ruling.evidence,
        ],
        tellApart: [],
      }),
    ];
  });
}

/**
 * Suspects without those that explain nothing beyond what more RNICs accuse somebody else of: links with the highest count
 * come first (Hostping §4.3).
 */
function needed(suspects: readonly Suspect[]): readonly Suspect[] {
  return suspects.filter(({ accusers, paths }) => {
    const stronger = suspects.filter((each) => each.accusers.length > accusers.length);
    return !paths.every((path) => stronger.some((each) => each.paths.includes(path)));
  });
}
