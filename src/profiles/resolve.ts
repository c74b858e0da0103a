import { KelpieError } from '../error.js';
import type { DeviceConstants } from './architecture/device-constants.js';
import type { ArchitectureChoice } from './architecture/part-table.js';
import { checkSettings } from './consistency.js';
import type { ConstantTable, Values } from './constant.js';
import type { FabricConstants } from './fabric-constants.js';
import type { HostConstants } from './host-constants.js';
import { linkNames } from './link-names.js';
import type { Constants, DeviceProfile, FabricProfile, HostProfile, Placement } from './profile.js';
import { defaultSettings, type Settings } from './settings.js';
import { isPcie, type PcieTraining, pcieLinkGbps, type TopologyLink, type TopologyNode } from './topology.js';

/** A link of a host with the numbers that its kind, or the profile, gives it. */
export interface HostLink {
  readonly name: string;
  readonly kind: TopologyLink['kind'];
  /** Indices of its two ends in `nodes`. */
  readonly ends: readonly [number, number];
  /** Each direction; for memory reads and writes together. */
  readonly gbps: number;
  /** One way. */
  readonly latencyNs: number;
  /** Channels of a memory; 0 for another link. */
  readonly channels: number;
  /** What both ends of a PCIe link can do (LnkCap); null for another link. */
  readonly pcie: PcieTraining | null;
  /** ACS of the port of a PCIe switch on this link; null: the host's setting. */
  readonly acs: Settings['acs'] | null;
}

/** A host as the models read it: plain numbers and a graph. */
export interface Host {
  readonly name: string;
  readonly constants: HostConstants;
  readonly settings: Settings;
  readonly nodes: readonly TopologyNode[];
  readonly links: readonly HostLink[];
}

/** The numbers of a device: those that every one has, and those of its own parts. */
export type DeviceNumbers = DeviceConstants & Readonly<Record<string, number>>;

/** A subsystem as the models read it. */
export interface Subsystem {
  readonly name: string;
  readonly title: string;
  readonly device: {
    readonly name: string;
    readonly protocol: DeviceProfile['protocol'];
    /** How it is built. */
    readonly architecture: ArchitectureChoice;
    readonly constants: DeviceNumbers;
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
export function resolveDevice({ constants, without }: DeviceProfile): DeviceNumbers {
  return { ...without, ...flatten(constants) } as DeviceNumbers;
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
  const names = linkNames(nodes, links);
  return {
    name: profile.name,
    constants,
    settings: { ...defaultSettings(), ...profile.settings, ...overrides },
    nodes,
    links: links.map((link, position) => ({
      name: names[position],
      kind: link.kind,
      ends: [index.get(link.between[0])!, index.get(link.between[1])!],
      gbps: link.gbps?.value ?? linkGbps(link, constants),
      latencyNs: link.latencyNs?.value ?? linkLatencyNs(link, constants),
      channels: link.kind === 'memory' ? channelsOf(constants) : 0,
      pcie: isPcie(link.kind) ? { generation: link.generation!, lanes: link.lanes! } : null,
      acs: link.acs ?? null,
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

/** Memory channels of a NUMA node. */
function channelsOf({ memoryChannelsPerSocket, numaNodesPerSocket }: HostConstants): number {
  return Math.max(1, Math.round(memoryChannelsPerSocket / numaNodesPerSocket));
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
