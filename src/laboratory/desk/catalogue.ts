import { attackers, victims } from '../../jobs/isolate/index.js';
import { faultKinds, placesOf, planOf } from '../../jobs/ping/index.js';
import { papers, pending, rows, type Value } from '../../jobs/reproduce/index.js';
import { type Host, resolveHost, type SettingName, settings } from '../../profiles/index.js';
import { schemes } from '../../schemes/index.js';
import { libraryOf, type ProfileSource, subsystemOf } from '../../testbeds/index.js';
import { VERSION } from '../../version.js';

/** What there is to choose from. */
export interface Catalogue {
  /** Of Kelpie. */
  readonly version: string;
  /** Tasks that run at a time: cores that a browser or a server gives. */
  readonly workers: number;
  /** The user's own first. */
  readonly subsystems: readonly SubsystemEntry[];
  /** Settings that a workload can change, with their values. */
  readonly settings: readonly SettingEntry[];
  readonly rows: readonly RowEntry[];
  /** What the rows of each paper are from, and the words in them. */
  readonly papers: Readonly<Record<string, string>>;
  /** Rows of the papers that nothing runs yet. */
  readonly pending: readonly PendingEntry[];
  /** Hosts that can be pinged. */
  readonly servers: readonly ServerEntry[];
  readonly devices: readonly string[];
  readonly schemes: readonly string[];
  readonly attackers: readonly string[];
  readonly victims: readonly string[];
}

/** A subsystem to run on. */
export interface SubsystemEntry {
  readonly name: string;
  readonly title: string;
  readonly portGbps: number;
  readonly device: string;
  /** How its hosts are built. */
  readonly nodes: readonly NodeEntry[];
  readonly links: readonly LinkEntry[];
  /** Where the RNIC is and where memory lies unless a workload says. */
  readonly rnic: string;
  readonly memory: string;
  /** Whether a switch is between the hosts. */
  readonly hasSwitch: boolean;
  /** What a workload changes with its `settings`. */
  readonly settings: Readonly<Record<string, string>>;
  /** From a user's file. */
  readonly own: boolean;
}

/** A part of a host. */
export interface NodeEntry {
  readonly name: string;
  readonly kind: Host['nodes'][number]['kind'];
  readonly title?: string;
}

/** What joins two parts of a host. */
export interface LinkEntry {
  readonly name: string;
  readonly kind: string;
  readonly between: readonly [string, string];
  readonly gbps: number;
  /** `PCIe 4.0 x16`; empty for links of other kinds. */
  readonly pcie: string;
}

/** A setting of hosts and fabrics. */
export interface SettingEntry {
  readonly name: SettingName;
  readonly values: readonly string[];
  readonly meaning: string;
}

/** A row of a paper. */
export interface RowEntry {
  readonly id: string;
  readonly paper: string;
  readonly setting: string;
  readonly metric: string;
  readonly unit: string;
  /** What the paper says. */
  readonly expected: Value;
  readonly tolerance: string;
  /** Set where a setting or a constant says the outcome and no mechanism yields it: which. */
  readonly encoded?: string;
}

/** A row that nothing runs yet, and what it waits for. */
export interface PendingEntry {
  readonly id: string;
  readonly paper: string;
  readonly setting: string;
  readonly reason: string;
}

/** A host that can be pinged, with every fault that can be put into it. */
export interface ServerEntry {
  readonly name: string;
  readonly title: string;
  readonly faults: readonly string[];
}

/**
 * The shipped subsystems, those of a user's profiles, and the rows of the papers.
 *
 * @example
 * const { subsystems, rows } = catalogueOf(navigator.hardwareConcurrency);
 */
export function catalogueOf(workers: number, profiles: readonly ProfileSource[] = []): Catalogue {
  const library = libraryOf({ profiles });
  const own = library.added().flatMap(({ kind, name }) => (kind === 'subsystem' ? [name] : []));
  const names = [...new Set([...own, ...library.list('subsystem')])];
  return {
    version: VERSION,
    workers,
    subsystems: names.map((name) => entryOf(name, profiles, own.includes(name))),
    settings: Object.entries(settings).map(([name, { values, meaning }]) => ({
      ...{ name: name as SettingName, values, meaning },
    })),
    rows: rows.map(({ id, paper, setting, metric, unit, expected, tolerance, encoded }) => ({
      ...{ id, paper, setting, metric, unit, expected, tolerance },
      ...(encoded === undefined ? {} : { encoded }),
    })),
    papers,
    pending: pending.map(({ id, paper, setting, reason }) => ({ id, paper, setting, reason })),
    servers: library.list('host').flatMap((name) => serverOf(name, profiles)),
    devices: library.list('device'),
    schemes: schemes.map(({ name }) => name),
    attackers: attackers.map(({ name }) => name),
    victims: victims.map(({ name }) => name),
  };
}

function entryOf(name: string, profiles: readonly ProfileSource[], own: boolean): SubsystemEntry {
  const {
    title,
    device,
    host,
    placement,
    fabric,
    settings: chosen,
  } = subsystemOf({
    subsystem: name,
    profiles,
  });
  return {
    ...{ name, title, own, portGbps: device.constants.portGbps, device: device.name },
    nodes: host.nodes.map((node) => ({
      ...{ name: node.name, kind: node.kind },
      ...(node.title === undefined ? {} : { title: node.title }),
    })),
    links: host.links.map(({ name: link, kind, ends: [from, to], gbps, pcie }) => ({
      ...{ name: link, kind, gbps, between: [host.nodes[from].name, host.nodes[to].name] as const },
      pcie: pcie === null ? '' : `PCIe ${pcie.generation}.0 x${pcie.lanes}`,
    })),
    ...{ rnic: placement.rnic, memory: placement.memory },
    hasSwitch: fabric.constants.switched > 0,
    settings: { ...chosen },
  };
}

function serverOf(name: string, profiles: readonly ProfileSource[]): ServerEntry[] {
  const profile = libraryOf({ profiles }).find('host', name);
  const host = resolveHost(profile);
  if (!host.nodes.some(({ kind }) => kind === 'rnic')) return [];
  const plan = planOf(host);
  const faults = faultKinds.flatMap((kind) => placesOf(kind, plan).map((place) => `${kind.id}@${place}`));
  return [{ name, title: profile.title, faults }];
}
