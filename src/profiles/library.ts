import { KelpieError } from '../error.js';
import { nearest } from '../schema/index.js';
import { ArchitectureSet } from './architecture/architecture-set.js';
import type { ArchitectureTable } from './architecture/part-table.js';
import { shippedTables } from './architecture/shipped.generated.js';
import { shippedArchitectures } from './architecture/shipped-architectures.js';
import { shippedFiles } from './data.generated.js';
import {
  completeProfile,
  type ProfileLookup,
  type ReadProfile,
  readProfile,
  readProfiles,
  trustProfile,
} from './load.js';
import type { Profile, ProfileKind, ProfileOf } from './profile.js';
import { profileYaml } from './profile-yaml.js';

/**
 * The profiles that are shipped, and those that a user has added. A file is parsed when it is first asked for.
 *
 * @example
 * const library = new ProfileLibrary();
 * library.add(text, 'my-nic.yaml');
 * const mine = resolveDevice(library.find('device', 'my-nic'));
 */
export class ProfileLibrary implements ProfileLookup {
  readonly architectures: ArchitectureSet<ArchitectureTable>;
  readonly #added = new Map<string, ReadProfile>();
  readonly #complete = new Map<string, Profile>();

  /** `architectures`: those that devices may have besides the shipped ones. */
  constructor({ architectures }: { readonly architectures?: readonly ArchitectureTable[] } = {}) {
    this.architectures =
      architectures === undefined
        ? shippedArchitectures
        : new ArchitectureSet([...shippedTables, ...architectures]);
  }

  /**
   * Adds a user's file of one or more profiles, whose fields are checked at once; what they extend may be added later.
   * Their names win over shipped ones.
   */
  add(content: string, file: string): readonly ReadProfile[] {
    const all = readProfiles(content, file, this.architectures);
    for (const read of all) this.#added.set(`${read.kind} ${read.name}`, read);
    this.#complete.clear();
    return all;
  }

  /** The complete profile of a name, or a KelpieError (PROFILE_NOT_FOUND, or what is wrong with it). */
  find<Kind extends ProfileKind>(kind: Kind, name: string): ProfileOf[Kind] {
    const found = this.lookUp(kind, name, new Set());
    if (found !== undefined) return found as ProfileOf[Kind];
    const names = this.list(kind);
    const meant = nearest(name, names);
    throw new KelpieError(
      'PROFILE_NOT_FOUND',
      `no such ${kind} profile${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      {
        field: kind,
        given: name,
        allowed: names.join(', '),
      },
    );
  }

  /** The names of a kind, in order. */
  list(kind: ProfileKind): readonly string[] {
    const names = [...Object.keys(shippedFiles), ...this.#added.keys()];
    return [
      ...new Set(names.filter((key) => key.startsWith(`${kind} `)).map((key) => key.slice(kind.length + 1))),
    ].sort();
  }

  /** What was added, in the order in which it came. */
  added(): readonly { readonly kind: ProfileKind; readonly name: string }[] {
    return [...this.#added.values()].map(({ kind, name }) => ({ kind, name }));
  }

  lookUp(kind: ProfileKind, name: string, asked: ReadonlySet<string>): Profile | undefined {
    const key = `${kind} ${name}`;
    const ready = this.#complete.get(key);
    if (ready !== undefined) return ready;
    const read = this.#added.get(key) ?? readShipped(key);
    if (read === undefined) return undefined;
    const profile = completeProfile(read, this, asked);
    this.#complete.set(key, profile);
    return profile;
  }
}

function readShipped(key: string): ReadProfile | undefined {
  const found = Object.hasOwn(shippedFiles, key) ? shippedFiles[key] : undefined;
  return found === undefined ? undefined : trustProfile(found.json, found.file);
}

/** The shipped profiles alone; parsed ones are kept, so that asking twice costs nothing. */
export const shipped = new ProfileLibrary();

/** A shipped profile with the provenance of each constant; PROFILE_NOT_FOUND names the nearest name. */
export function findProfile<Kind extends ProfileKind>(kind: Kind, name: string): ProfileOf[Kind] {
  return shipped.find(kind, name);
}

/** The names of the shipped profiles of a kind. */
export function listProfiles(kind: ProfileKind): readonly string[] {
  return shipped.list(kind);
}

/** A shipped profile as YAML, for those who want to start from it. */
export function profileText(kind: ProfileKind, name: string): string {
  shipped.find(kind, name);
  return profileYaml(JSON.parse(shippedFiles[`${kind} ${name}`].json));
}

/**
 * Reads one profile, YAML or JSON. Everything that is wrong with it is in one ProfileError, each fault with file,
 * line, column, field, value and range. What it extends or names comes from `library`, by default the shipped profiles.
 */
export function parseProfile(content: string, file: string, library: ProfileLookup = shipped): Profile {
  return completeProfile(readProfile(content, file, library.architectures), library);
}
