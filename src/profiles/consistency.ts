import type { FaultDetail } from '../schema/index.js';
import type { ProfileFaultCode } from './fault.js';
import type { DeviceProfile, FabricProfile, HostProfile, Profile } from './profile.js';
import type { Settings } from './settings.js';
import { isPcie, linkEnds, pcieLinkGbps, type TopologyLink } from './topology.js';

/** Takes a fault at the path of a field. */
export type Report = (code: ProfileFaultCode, field: string, detail: FaultDetail) => void;

/** Checks what no single field can show: that the values of a complete profile agree with each other. */
export function checkConsistency(profile: Profile, report: Report): void {
  if (profile.profile === 'device') checkDevice(profile, report);
  else if (profile.profile === 'host') checkHost(profile, report);
  else if (profile.profile === 'fabric') checkFabric(profile, report);
}

type Numbers = Readonly<Record<string, { readonly value: number }>>;

/** Reports unless left <= right. */
function atMost(constants: Numbers, left: string, right: string, report: Report): void {
  // A device of another architecture may have only one of them, or none.
  if (constants[left] === undefined || constants[right] === undefined) return;
  if (constants[left].value <= constants[right].value) return;
  report('PROFILE_INCONSISTENT', `constants.${left}.value`, {
    problem: `more than ${right}`,
    given: constants[left].value,
    allowed: `at most ${right}, ${constants[right].value}`,
  });
}

/** Reports unless all of a mechanism's constants are zero (off) or none is. */
function togetherOff(constants: Numbers, names: readonly string[], report: Report): void {
  if (names.some((name) => constants[name] === undefined)) return;
  const off = names.filter((name) => constants[name].value === 0);
  if (off.length === 0 || off.length === names.length) return;
  report('PROFILE_INCONSISTENT', `constants.${off[0]}.value`, {
    problem: 'half a mechanism',
    given: 0,
    allowed: `${names.join(', ')} all 0, or none of them`,
  });
}

function checkDevice({ constants }: DeviceProfile, report: Report): void {
  atMost(constants, 'xonBytes', 'xoffBytes', report);
  atMost(constants, 'xoffBytes', 'receiveBufferBytes', report);
  atMost(constants, 'maxQps', 'residentContexts', report);
  atMost(constants, 'residentDeepBytes', 'residentContextBytes', report);
  togetherOff(constants, ['receivePrefetchWqes', 'receiveWindowBytes'], report);
  togetherOff(constants, ['sharedPacketProcessors', 'packetProcessorNs'], report);
  togetherOff(constants, ['fetchAddNs', 'compareSwapNs'], report);
  if (constants.visitPackets?.value === 0 && constants.visitBytes?.value === 0) {
    report('PROFILE_INCONSISTENT', 'constants.visitPackets.value', {
      problem: 'a visit would never end',
      given: 0,
      allowed: 'visitPackets or visitBytes above 0',
    });
  }
  if (constants.pcieGbps === undefined) return;
  const coded = pcieLinkGbps(constants.pcieGeneration.value, constants.pcieLanes.value);
  // Papers round the transfer rate without coding (128 Gb/s for generation 3 x16), so that much is let pass.
  const most = (coded * 130) / 128;
  if (constants.pcieGbps.value > most + 1e-9) {
    report('PROFILE_INCONSISTENT', 'constants.pcieGbps.value', {
      problem: 'faster than its generation and lanes',
      given: constants.pcieGbps.value,
      allowed: `at most ${most.toFixed(1)} Gb/s`,
    });
  }
}

function checkFabric({ constants }: FabricProfile, report: Report): void {
  if (constants.switched.value === 0) return;
  atMost(constants, 'pfcXonBytes', 'pfcXoffBytes', report);
  atMost(constants, 'pfcXoffBytes', 'bufferBytes', report);
  atMost(constants, 'pfcHeadroomBytes', 'bufferBytes', report);
  atMost(constants, 'ecnKminBytes', 'ecnKmaxBytes', report);
  atMost(constants, 'ecnKmaxBytes', 'bufferBytes', report);
}

function checkHost(host: HostProfile, report: Report): void {
  const { constants, settings, topology } = host;
  atMost(constants, 'ddioWays', 'lastLevelCacheWays', report);
  checkSettings(host, settings, report);
  if (constants.sockets.value > 1 && constants.interSocketGbps.value === 0) {
    report('PROFILE_INCONSISTENT', 'constants.interSocketGbps.value', {
      problem: 'several sockets and no rate between them',
      given: 0,
      allowed: 'above 0',
    });
  }
  checkCounts(host, report);
  checkNames(host, report);
  topology.links.forEach((link, index) => {
    checkLink(host, link, `topology.links[${index}]`, report);
  });
  checkConnected(host, report);
}

/**
 * Checks that settings, the host's own or those of a subsystem over them, ask for nothing that the host has no constants
 * for.
 */
export function checkSettings({ constants }: HostProfile, settings: Partial<Settings>, report: Report): void {
  if (settings.interSocket !== 'weak' || constants.interSocketSharedGbps.value > 0) return;
  report('PROFILE_INCONSISTENT', 'settings.interSocket', {
    problem: 'the host has no interSocketSharedGbps to be weak with',
    given: 'weak',
    allowed: 'healthy, or interSocketSharedGbps above 0',
  });
}

function checkCounts({ constants, topology }: HostProfile, report: Report): void {
  const count = (kind: string) => topology.nodes.filter((node) => node.kind === kind).length;
  const sockets = constants.sockets.value;
  const expected: readonly (readonly [string, number])[] = [
    ['socket', sockets],
    ['memory', sockets * constants.numaNodesPerSocket.value],
  ];
  for (const [kind, wanted] of expected) {
    if (count(kind) === wanted) continue;
    report('PROFILE_INCONSISTENT', 'topology.nodes', {
      problem: `the number of ${kind} nodes does not follow from sockets and numaNodesPerSocket`,
      given: count(kind),
      allowed: String(wanted),
    });
  }
  if (count('rnic') === 0)
    report('PROFILE_INCONSISTENT', 'topology.nodes', {
      problem: 'no RNIC',
      given: 0,
      allowed: 'at least one',
    });
}

function checkNames({ topology }: HostProfile, report: Report): void {
  const seen = new Set<string>();
  topology.nodes.forEach(({ name }, index) => {
    if (seen.has(name)) {
      report('PROFILE_INCONSISTENT', `topology.nodes[${index}].name`, {
        problem: 'two nodes of one name',
        given: name,
      });
    }
    seen.add(name);
  });
}

function checkLink({ topology }: HostProfile, link: TopologyLink, field: string, report: Report): void {
  const ends = link.between.map((name) => topology.nodes.find((node) => node.name === name));
  const unknown = ends.indexOf(undefined);
  if (unknown >= 0) {
    report('PROFILE_UNKNOWN_REFERENCE', `${field}.between[${unknown}]`, {
      problem: 'no such node',
      given: link.between[unknown],
      allowed: topology.nodes.map((node) => node.name).join(', '),
    });
    return;
  }
  const kinds = ends.map((end) => end!.kind);
  const allowed = linkEnds[link.kind];
  const fits = allowed.some(
    ([a, b]) => (a === kinds[0] && b === kinds[1]) || (a === kinds[1] && b === kinds[0]),
  );
  if (link.between.length !== 2 || link.between[0] === link.between[1] || !fits) {
    report('PROFILE_INCONSISTENT', `${field}.between`, {
      problem: `a link of kind ${link.kind} does not join these`,
      given: kinds.join(' and '),
      allowed: `two nodes: ${allowed.map((pair) => pair.join(' and ')).join(', ')}`,
    });
  }
  const hasWidth = link.generation !== undefined && link.lanes !== undefined;
  const hasNone = link.generation === undefined && link.lanes === undefined;
  if (isPcie(link.kind) ? !hasWidth : !hasNone) {
    report('PROFILE_INCONSISTENT', field, {
      problem: isPcie(link.kind)
        ? 'a PCIe link needs generation and lanes'
        : 'only a PCIe link has generation and lanes',
      given: link.kind,
    });
  }
}

/** Every node must be reached from the first, or a path would not exist. */
function checkConnected({ topology }: HostProfile, report: Report): void {
  const reached = new Set(topology.nodes.slice(0, 1).map((node) => node.name));
  for (let grew = true; grew; ) {
    grew = false;
    for (const { between } of topology.links) {
      if (between.some((end) => reached.has(end)) && !between.every((end) => reached.has(end))) {
        for (const end of between) reached.add(end);
        grew = true;
      }
    }
  }
  const lost = topology.nodes.findIndex((node) => !reached.has(node.name));
  if (lost >= 0) {
    report('PROFILE_INCONSISTENT', `topology.nodes[${lost}]`, {
      problem: 'no link leads there',
      given: topology.nodes[lost].name,
    });
  }
}
