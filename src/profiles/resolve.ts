import { KelpieError } from '../error.js';
import { checkSettings } from './consistency.js';
import type { ConstantTable, Values } from './constant.js';
import type { DeviceConstants } from './device-constants.js';
import type { FabricConstants } from './fabric-constants.js';
import type { HostConstants } from './host-constants.js';
import { type ProfileLibrary, shipped } from './library.js';
import type {
  Constants,
  DeviceProfile,
  FabricProfile,
  HostProfile,
  Placement,
  SubsystemProfile,
} from './profile.js';
import { defaultSettings, type Settings } from './settings.js';
import { pcieLinkGbps, type TopologyLink, type TopologyNode } from './topology.js';

/** A link of a host with the numbers that its kind, or the profile, gives it. */
export interface HostLink {
  readonly kind: TopologyLink['kind'];
  /** Indices of its two ends in `nodes`. */
  readonly ends: readonly [number, number];
  /** Each direction; for memory reads and writes together. */
  readonly gbps: number;
  /** One way. */
  readonly latencyNs: number;
}

/** A host as the models read it: plain numbers and a graph. */
export interface Host {
  readonly name: string;
  readonly constants: HostConstants;
  readonly settings: Settings;
  readonly nodes: readonly TopologyNode[];
  readonly links: readonly HostLink[];
}

/** A subsystem as the models read it. */
export interface Subsystem {
  readonly name: string;
  readonly title: string;
  readonly device: {
    readonly name: string;
    readonly protocol: DeviceProfile['protocol'];
    readonly constants: DeviceConstants;
  };
  readonly host: Host;
  readonly fabric: { readonly name: string; readonly constants: FabricConstants };
  /** The host's settings with the subsystem's over them. */
  readonly settings: Settings;
  readonly placement: Placement;
  /** Name of the repaired subsystem, where there is one. */
  readonly fixed?: string;
}

function flatten<Table extends ConstantTable>(constants: Constants<Table>): Values<Table> {
  const entries = Object.entries(constants).map(([name, constant]) => [name, constant.value]);
  return Object.fromEntries(entries) as Values<Table>;
}

/** The plain numbers of a device. */
export function resolveDevice(profile: DeviceProfile): DeviceConstants {
  return flatten(profile.constants);
}

/** The plain numbers of a fabric. */
export function resolveFabric(profile: FabricProfile): FabricConstants {
  return flatten(profile.constants);
}

/** The plain numbers of a host and its graph; `overrides` win over the settings in the profile. */
export function resolveHost(profile: HostProfile, overrides: Partial<Settings> = {}): Host {
  checkSettings(profile, overrides, (code, field, { problem, ...detail }) => {
    throw new KelpieError(code, problem, { field, ...detail });
  });
  const constants = flatten(profile.constants);
  const { nodes, links } = profile.topology;
  const index = new Map(nodes.map((node, position) => [node.name, position]));
  return {
    name: profile.name,
    constants,
    settings: { ...defaultSettings(), ...profile.settings, ...overrides },
    nodes,
    links: links.map((link) => ({
      kind: link.kind,
      ends: [index.get(link.between[0])!, index.get(link.between[1])!],
      gbps: link.gbps?.value ?? linkGbps(link, constants),
      latencyNs: link.latencyNs?.value ?? linkLatencyNs(link, constants),
    })),
  };
}

function linkGbps(link: TopologyLink, constants: HostConstants): number {
  if (link.kind === 'memory') {
    return (constants.memoryChannelsPerSocket * constants.memoryChannelGbps) / constants.numaNodesPerSocket;
  }
  if (link.kind === 'inter-socket') return constants.interSocketGbps;
  return pcieLinkGbps(link.generation!, link.lanes!);
}

function linkLatencyNs(link: TopologyLink, constants: HostConstants): number {
  const latencies: Readonly<Record<TopologyLink['kind'], number>> = {
    memory: constants.memoryLatencyNs,
    'inter-socket': constants.interSocketLatencyNs,
    slot: constants.slotLatencyNs,
    switch: constants.switchLinkLatencyNs,
    gpu: constants.gpuLatencyNs,
  };
  return latencies[link.kind];
}

/** How to resolve a subsystem. */
export interface ResolveOptions {
  /** Where the device, the host and the fabric come from; by default the shipped profiles. */
  readonly library?: ProfileLibrary;
  /** Settings of a run, which win over those of the subsystem and the host. */
  readonly settings?: Partial<Settings>;
}

/** Everything that a simulation of a subsystem needs, as plain numbers. */
export function resolveSubsystem(profile: SubsystemProfile, options: ResolveOptions = {}): Subsystem {
  const library = options.library ?? shipped;
  const device = library.find('device', profile.device);
  const fabric = library.find('fabric', profile.fabric);
  const host = resolveHost(library.find('host', profile.host), { ...profile.settings, ...options.settings });
  return {
    name: profile.name,
    title: profile.title,
    device: { name: device.name, protocol: device.protocol, constants: resolveDevice(device) },
    host,
    fabric: { name: fabric.name, constants: resolveFabric(fabric) },
    settings: host.settings,
    placement: profile.placement,
    ...(profile.fixed === undefined ? {} : { fixed: profile.fixed }),
  };
}
