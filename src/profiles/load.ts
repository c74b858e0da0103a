import {
  DescriptionError,
  type Fault,
  type FaultDetail,
  nearest,
  rangeInWords,
  readWith,
  requireMapping,
  SourceDocument,
} from '../schema/index.js';
import type { ArchitectureSet } from './architecture/architecture-set.js';
import type { ArchitectureChoice, ArchitectureTable, NicSlot } from './architecture/part-table.js';
import { checkConsistency, checkSettings } from './consistency.js';
import type { Constant, ConstantTable } from './constant.js';
import { PROFILE } from './fault.js';
import {
  choiceOf,
  completeFields,
  constantTables,
  kindsWithSettings,
  type Profile,
  type ProfileKind,
  profileKinds,
  schemaOf,
} from './profile.js';
import { profileYaml } from './profile-yaml.js';
import { buildWorld } from './world/build-world.js';

/** Where a profile finds those that it names. */
export interface ProfileLookup {
  /** The complete profile, or undefined if there is none of that name; `asked` are the names on the way here. */
  lookUp(kind: ProfileKind, name: string, asked: ReadonlySet<string>): Profile | undefined;
  /** The names of a kind. */
  list(kind: ProfileKind): readonly string[];
  /** How devices may be built. */
  readonly architectures: ArchitectureSet<ArchitectureTable>;
}

/** A file of which each field by itself is right. What it extends has not been looked at. */
export interface ReadProfile {
  readonly kind: ProfileKind;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly source: SourceDocument;
}

/** Reads a file and checks each field by itself; throws a ProfileError that lists everything that is wrong. */
export function readProfile(
  content: string,
  file: string,
  architectures?: ArchitectureSet<ArchitectureTable>,
): ReadProfile {
  return readSource(SourceDocument.ofText(content, file, PROFILE), architectures);
}

/** As {@link readProfile}, for a file that may have several documents. Everything that is wrong in any is reported. */
export function readProfiles(
  content: string,
  file: string,
  architectures?: ArchitectureSet<ArchitectureTable>,
): ReadProfile[] {
  const sources = SourceDocument.allOfText(content, file, PROFILE);
  const read: ReadProfile[] = [];
  const faults: Fault[] = [];
  for (const source of sources) {
    try {
      read.push(readSource(source, architectures));
    } catch (error) {
      if (!(error instanceof DescriptionError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new DescriptionError(faults);
  return read;
}

function readSource(source: SourceDocument, architectures?: ArchitectureSet<ArchitectureTable>): ReadProfile {
  const kind = kindOf(source);
  const fields = readWith(source, schemaOf(kind, architectures)) as Readonly<Record<string, unknown>>;
  return { kind, name: fields['name'] as string, fields, source };
}

/** As {@link readProfile}, for a value that a program made; its faults name fields and no lines. */
export function readValue(value: unknown, file: string): ReadProfile {
  return readSource(SourceDocument.ofValue(withoutUndefined(value), file, PROFILE));
}

/** Fields that are set to undefined were left out. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, withoutUndefined(inner)]),
  );
}

/** Takes a shipped file as it was embedded: its fields need no check, and it becomes text only to name a line. */
export function trustProfile(json: string, file: string): ReadProfile {
  const fields = JSON.parse(json) as { profile: ProfileKind; name: string };
  const source = SourceDocument.ofText(() => profileYaml(fields), file, PROFILE);
  return { kind: fields.profile, name: fields.name, fields, source };
}

function kindOf(source: SourceDocument): ProfileKind {
  const { profile: given } = requireMapping(source);
  const found = profileKinds.find((kind) => kind === given);
  if (found !== undefined) return found;
  const allowed = profileKinds.join(', ');
  if (given === undefined)
    source.report('PROFILE_MISSING_FIELD', 'profile', { problem: 'the field is missing', allowed });
  else {
    const meant = typeof given === 'string' ? nearest(given, profileKinds) : undefined;
    source.report('PROFILE_OUT_OF_RANGE', 'profile', {
      problem: 'no such kind of profile',
      given,
      allowed,
      meant,
    });
  }
  source.throwFaults();
  throw new Error('unreachable: a fault was recorded');
}

/** Adds what a file inherits, then checks that it is complete and that its values agree. */
export function completeProfile(
  read: ReadProfile,
  lookup: ProfileLookup,
  asked: ReadonlySet<string> = new Set(),
): Profile {
  const { source, kind } = read;
  let merged = merge(inherited(read, lookup, asked), read.fields);
  let table = constantTables[kind];
  if (kind === 'device') {
    const choice = choiceOf(merged['architecture']);
    table = tableOf(source, choice, lookup.architectures);
    merged = { ...merged, ...ofArchitecture(read, merged, choice, table, lookup.architectures) };
  }
  const defaults = kindsWithSettings.includes(kind) ? { settings: {} } : {};
  const profile = { ...defaults, ...merged, file: source.file } as unknown as Profile;
  checkComplete(source, kind, merged, table ?? {});
  source.throwFaults();
  checkConsistency(profile, (code, field, detail) => source.report(code, field, detail));
  if (profile.profile === 'subsystem') checkReferences(source, profile, lookup);
  if (profile.profile === 'world')
    buildWorld(profile, lookup, (code, field, detail) => source.report(code, field, detail));
  source.throwFaults();
  return profile;
}

function inherited(
  read: ReadProfile,
  lookup: ProfileLookup,
  asked: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const { source, kind, name } = read;
  const base = read.fields['extends'] as string | undefined;
  if (base === undefined) return {};
  const path = new Set([...asked, `${kind} ${name}`]);
  if (path.has(`${kind} ${base}`)) {
    const way = [...path].map((step) => step.slice(kind.length + 1)).join(' > ');
    source.report('PROFILE_CYCLE', 'extends', {
      problem: `it extends itself: ${way} > ${base}`,
      given: base,
    });
    source.throwFaults();
  }
  const found = lookup.lookUp(kind, base, path);
  if (found === undefined) {
    source.report('PROFILE_UNKNOWN_BASE', 'extends', missing(kind, base, lookup));
    source.throwFaults();
  }
  return found as unknown as Readonly<Record<string, unknown>>;
}

/** What a profile says of itself alone; the rest is inherited. */
const ownFields = ['name', 'title', 'description', 'extends', 'fixed', 'file'];
/** Fields that are merged entry by entry; the others are replaced as a whole. */
const mergedFields = ['constants', 'settings', 'placement'];

type Fields = Readonly<Record<string, unknown>>;

function merge(base: Fields, fields: Fields): Fields {
  const kept = Object.fromEntries(Object.entries(base).filter(([key]) => !ownFields.includes(key)));
  const result: Record<string, unknown> = { ...kept, ...fields };
  for (const key of mergedFields) {
    if (result[key] !== undefined) result[key] = { ...(kept[key] as object), ...(fields[key] as object) };
  }
  return result;
}

/** The constants of an architecture; what the profile names and is not there is reported. */
function tableOf(
  source: SourceDocument,
  choice: ArchitectureChoice,
  architectures: ArchitectureSet<ArchitectureTable>,
): ConstantTable {
  const report = (field: string, given: string, names: readonly string[]) => {
    if (names.includes(given)) return;
    const detail = { problem: 'no NIC of the models has it', given, allowed: names.join(', ') };
    source.report('PROFILE_UNKNOWN_REFERENCE', field, { ...detail, meant: nearest(given, names) });
  };
  const parts = Object.entries(choice.parts) as [NicSlot, string][];
  report('architecture', choice.base, architectures.names);
  for (const [slot, name] of parts) report(`architecture.${slot}`, name, architectures.partNames(slot));
  source.throwFaults();
  return architectures.tableOf(choice);
}

/** What an architecture makes of a device's fields: constants that only others have are not inherited, nor allowed. */
function ofArchitecture(
  { source, fields }: ReadProfile,
  merged: Fields,
  choice: ArchitectureChoice,
  table: ConstantTable,
  architectures: ArchitectureSet<ArchitectureTable>,
): Fields {
  const { without } = architectures.compose(choice);
  for (const name of Object.keys((fields['constants'] ?? {}) as object)) {
    if (Object.hasOwn(table, name)) continue;
    source.report('PROFILE_UNKNOWN_FIELD', `constants.${name}`, {
      problem: `its architecture, ${choice.base}, has no such constant`,
      allowed: 'see docs/profiles.md',
    });
  }
  const given = merged['constants'] as Readonly<Record<string, Constant>> | undefined;
  const kept = Object.entries(given ?? {}).filter(([name]) => Object.hasOwn(table, name));
  return {
    architecture: choice,
    without,
    ...(given === undefined ? {} : { constants: Object.fromEntries(kept) }),
  };
}

function checkComplete(
  source: SourceDocument,
  kind: ProfileKind,
  merged: Fields,
  table: ConstantTable,
): void {
  for (const field of completeFields[kind]) {
    if (merged[field] !== undefined) continue;
    source.report('PROFILE_MISSING_FIELD', field, {
      problem: 'the field is missing, and nothing is extended that has it',
      allowed: schemaOf(kind).shape[field].description,
    });
  }
  const constants = merged['constants'];
  if (constants === undefined) return;
  for (const [name, spec] of Object.entries(table)) {
    if (Object.hasOwn(constants as object, name)) continue;
    source.report('PROFILE_MISSING_FIELD', `constants.${name}`, {
      problem: 'the constant is missing, and nothing is extended that has it',
      allowed: rangeInWords(spec),
    });
  }
}

function checkReferences(
  source: SourceDocument,
  profile: Profile & { profile: 'subsystem' },
  lookup: ProfileLookup,
): void {
  for (const kind of ['device', 'host', 'fabric'] as const) {
    if (lookup.lookUp(kind, profile[kind], new Set()) === undefined) {
      source.report('PROFILE_UNKNOWN_REFERENCE', kind, missing(kind, profile[kind], lookup));
    }
  }
  if (profile.fixed !== undefined && !lookup.list('subsystem').includes(profile.fixed)) {
    source.report('PROFILE_UNKNOWN_REFERENCE', 'fixed', missing('subsystem', profile.fixed, lookup));
  }
  const host = lookup.lookUp('host', profile.host, new Set());
  if (host?.profile !== 'host') return;
  checkSettings(host, profile.settings, (code, field, detail) => source.report(code, field, detail));
  const places = { rnic: ['rnic'], memory: ['memory', 'gpu'] };
  for (const [field, kinds] of Object.entries(places)) {
    const given = profile.placement[field as keyof typeof places];
    const nodes = host.topology.nodes.filter((node) => kinds.includes(node.kind)).map((node) => node.name);
    if (nodes.includes(given)) continue;
    const allowed = nodes.join(', ');
    source.report('PROFILE_UNKNOWN_REFERENCE', `placement.${field}`, {
      problem: `no such node in host ${host.name}`,
      given,
      allowed,
    });
  }
}

function missing(kind: ProfileKind, given: string, lookup: ProfileLookup): FaultDetail {
  const names = lookup.list(kind);
  return {
    problem: `no such ${kind} profile`,
    given,
    allowed: names.join(', '),
    meant: nearest(given, names),
  };
}
