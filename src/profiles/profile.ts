import { z } from 'zod';
import { name, number, object, text, word } from '../schema/index.js';
import type { ArchitectureSet } from './architecture/architecture-set.js';
import {
  type ArchitectureChoice,
  type ArchitectureTable,
  type NicSlot,
  nicSlots,
} from './architecture/part-table.js';
import { DEFAULT_ARCHITECTURE, shippedArchitectures } from './architecture/shipped-architectures.js';
import { type Constant, type ConstantTable, evidenceClasses } from './constant.js';
import { fabricConstants } from './fabric-constants.js';
import { hostConstants } from './host-constants.js';
import { type SettingName, type Settings, settings } from './settings.js';
import { type HostTopology, topologySchema } from './topology.js';
import type { WorldDescription } from './world/description.js';
import { worldFields } from './world/world-schema.js';

/** The kinds of profile. */
export const profileKinds = ['device', 'host', 'fabric', 'subsystem', 'world'] as const;

/** One of the kinds of profile. */
export type ProfileKind = (typeof profileKinds)[number];

/** What every profile has. */
interface ProfileHead {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  /** The profile whose values hold where this one gives none. */
  readonly extends?: string;
  /** The file that it was read from. */
  readonly file: string;
}

/** The constants of a table with the provenance of each. */
export type Constants<Table extends ConstantTable> = Readonly<Record<keyof Table, Constant>>;

/** An RNIC. */
export interface DeviceProfile extends ProfileHead {
  readonly profile: 'device';
  readonly vendor: string;
  readonly protocol: 'RoCEv2' | 'iWARP' | 'InfiniBand';
  /** How it is built; default: as `connectx`. */
  readonly architecture: ArchitectureChoice;
  /** Those of its architecture's table. */
  readonly constants: Readonly<Record<string, Constant>>;
  /** Constants of every device that its architecture has no mechanism for, with the values that say so. */
  readonly without: Readonly<Record<string, number>>;
}

/** A server: its processors, its memory and what hangs where. */
export interface HostProfile extends ProfileHead {
  readonly profile: 'host';
  readonly processor: string;
  readonly constants: Constants<typeof hostConstants>;
  readonly settings: Partial<Settings>;
  readonly topology: HostTopology;
}

/** What lies between the ports. */
export interface FabricProfile extends ProfileHead {
  readonly profile: 'fabric';
  readonly constants: Constants<typeof fabricConstants>;
}

/** A device in a host on a fabric, with its settings: what a workload runs on. */
export interface SubsystemProfile extends ProfileHead {
  readonly profile: 'subsystem';
  readonly device: string;
  readonly host: string;
  readonly fabric: string;
  /** Wins over the host's settings. */
  readonly settings: Partial<Settings>;
  readonly placement: Placement;
  /** The subsystem with its host's or device's faults repaired, where a repair is known. */
  readonly fixed?: string;
}

/** Which RNIC of the host is used and where memory lies, unless the workload says otherwise: names of the topology. */
export interface Placement {
  readonly rnic: string;
  readonly memory: string;
}

/** Hosts with their devices, the switches and cables between them, and what is wrong with any of it. */
export interface WorldProfile extends ProfileHead, Omit<WorldDescription, 'name' | 'title'> {
  readonly profile: 'world';
  readonly settings: Partial<Settings>;
}

/** The profile of a kind. */
export interface ProfileOf {
  device: DeviceProfile;
  host: HostProfile;
  fabric: FabricProfile;
  subsystem: SubsystemProfile;
  world: WorldProfile;
}

/** Any profile. */
export type Profile = ProfileOf[ProfileKind];

/** The table of constants of each kind whose profiles all have the same; that of a device is its architecture's. */
export const constantTables: Readonly<Partial<Record<ProfileKind, ConstantTable>>> = {
  host: hostConstants,
  fabric: fabricConstants,
};

/** What must be there, in the file itself or in what it extends. `constants` means all of them. */
export const completeFields: Readonly<Record<ProfileKind, readonly string[]>> = {
  device: ['vendor', 'protocol', 'constants'],
  host: ['processor', 'constants', 'topology'],
  fabric: ['constants'],
  subsystem: ['device', 'host', 'fabric', 'placement'],
  world: ['hosts'],
};

function constantsSchema(table: ConstantTable): z.ZodObject {
  const schemas = Object.entries(table).map(([constant, spec]): [string, z.ZodType] => {
    const meaning = spec.off === undefined ? spec.meaning : `${spec.meaning} ${spec.off}.`;
    return [constant, constantSchema(meaning, number(spec.unit, spec))];
  });
  return object('The constants, each with its value, evidence and source.', Object.fromEntries(schemas));
}

/** The two fields that every constant has beside its value: defined once in the published schemas. */
const provenance = {
  evidence: word('How well the value is known.', evidenceClasses).meta({ id: 'evidence' }),
  source: text('Where it comes from; for a calibrated value what it was fitted to.', 500).meta({
    id: 'source',
  }),
};

/** A constant with its provenance. */
function constantSchema(meaning: string, value: z.ZodType): z.ZodObject {
  return object(meaning, { value, ...provenance }, ['value', 'evidence', 'source']);
}

function settingsSchema(): z.ZodObject {
  const schemas = Object.entries(settings).map(([setting, spec]): [SettingName, z.ZodType] => [
    setting as SettingName,
    word(spec.meaning, spec.values),
  ]);
  return object(
    'How the operator has set things up, and the faults that the machine came with.',
    Object.fromEntries(schemas),
  );
}

function profileSchema(
  kind: ProfileKind,
  meaning: string,
  fields: Readonly<Record<string, z.ZodType>>,
): z.ZodObject {
  const head = {
    profile: word('The kind of profile.', [kind]),
    name: name('The name by which it is found.'),
    title: text('A name for people.', 120),
    description: text('What is particular about it.'),
    extends: name('The profile of the same kind whose values hold where this one gives none.'),
  };
  return object(meaning, { ...head, ...fields }, ['profile', 'name', 'title']);
}

/** What a device is built of, as its profile may say it. */
function architectureSchema(): z.ZodType {
  const meaning = `How it is built: an architecture of the models; default: ${DEFAULT_ARCHITECTURE}.`;
  const parts = nicSlots.map((slot) => [slot, name(`The part for its ${slot}, in place of its own.`)]);
  const mixed = object(
    'An architecture with parts that others have.',
    { base: name(meaning), ...Object.fromEntries(parts) },
    ['base'],
  );
  return z.union([name(meaning), mixed]).describe(meaning);
}

/** The architecture that a field of a profile means; left out: the default. */
export function choiceOf(given: unknown): ArchitectureChoice {
  if (typeof given !== 'object' || given === null)
    return { base: (given as string | undefined) ?? DEFAULT_ARCHITECTURE, parts: {} };
  if ('parts' in given) return given as ArchitectureChoice;
  const { base, ...parts } = given as { base: string } & Partial<Record<NicSlot, string>>;
  return { base, parts };
}

function deviceSchema(architectures: ArchitectureSet<ArchitectureTable>): z.ZodObject {
  return profileSchema('device', 'An RNIC.', {
    vendor: text('Who makes it.', 60),
    protocol: word('What it speaks on the wire.', ['RoCEv2', 'iWARP', 'InfiniBand']),
    architecture: architectureSchema(),
    constants: constantsSchema(architectures.constants()),
  });
}

const makers: Readonly<Record<Exclude<ProfileKind, 'device'>, () => z.ZodObject>> = {
  host: () =>
    profileSchema('host', 'A server: its processors, its memory and what hangs where.', {
      processor: text('The processor, as its source names it.', 120),
      constants: constantsSchema(hostConstants),
      settings: settingsSchema(),
      topology: topologySchema(constantSchema),
    }),
  fabric: () =>
    profileSchema('fabric', 'What lies between the ports.', {
      constants: constantsSchema(fabricConstants),
    }),
  subsystem: () =>
    profileSchema('subsystem', 'A device in a host on a fabric, with its settings.', {
      device: name('Name of the device profile.'),
      host: name('Name of the host profile.'),
      fabric: name('Name of the fabric profile.'),
      settings: settingsSchema(),
      placement: object(
        'What is used unless the workload says otherwise: names of nodes of the host.',
        { rnic: name('The RNIC.'), memory: name('The memory or GPU that holds the buffers.') },
        ['rnic', 'memory'],
      ),
      fixed: name('The subsystem with the faults repaired.'),
    }),
  world: () =>
    profileSchema(
      'world',
      'Hosts with their devices, and the switches and cables between them.',
      worldFields(settingsSchema()),
    ),
};

const schemas = new Map<ProfileKind, z.ZodObject>();

/**
 * What a file of a kind looks like. Made when it is first asked for: shipped profiles are read without it. That of a device
 * has the constants of all architectures, since a file need not say which one it has: it may extend another.
 */
export function schemaOf(
  kind: ProfileKind,
  architectures: ArchitectureSet<ArchitectureTable> = shippedArchitectures,
): z.ZodObject {
  if (kind === 'device' && architectures !== shippedArchitectures) return deviceSchema(architectures);
  let schema = schemas.get(kind);
  if (schema === undefined) {
    schema = kind === 'device' ? deviceSchema(architectures) : makers[kind]();
    schemas.set(kind, schema);
  }
  return schema;
}

/** The kinds whose profiles have settings. */
export const kindsWithSettings: readonly ProfileKind[] = ['host', 'subsystem', 'world'];
