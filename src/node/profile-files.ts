import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { KelpieError } from '../error.js';
import { type Profile, type ProfileKind, ProfileLibrary } from '../profiles/index.js';
import { DescriptionError, type Fault, parseDocuments } from '../schema/index.js';
import type { ProfileSource } from '../testbeds/index.js';
import { readTextFile } from './text-file.js';

/** How the files of profiles end. */
const ENDINGS = ['.yaml', '.yml', '.json'];
/** More files in a folder are not looked at. */
const MAX_FILES = 1000;
/** All files together: what a hunt keeps of them is one file again, which has this limit. */
const MAX_CHARACTERS = 1_000_000;
/** A file without a field of this name is no profile, such as a workload in the same folder. */
const PROFILE_FIELD = /(?:^|[{,])[ \t]*["']?profile["']?[ \t]*:/m;

/** A profile by what it is and what it is called. */
export interface ProfileName {
  readonly kind: ProfileKind;
  readonly name: string;
}

/** Profiles of a user's own. */
export interface ProfileFiles {
  /** The files that were given, and those beside them that they name. */
  readonly profiles: readonly ProfileSource[];
  /** What the given files have in them, in their order. */
  readonly given: readonly ProfileName[];
}

/**
 * Reads profiles from files and folders. A file may have several documents; of a folder every file with a field `profile`
 * is taken. A name that is neither given nor shipped is looked for in the files beside those that were given.
 *
 * @example
 * const { profiles } = readProfileFiles(['my-subsystem.yaml']); // and my-nic.yaml beside it, which it names
 * const testbed = await openTestbed({ profiles, subsystem: 'my-subsystem' });
 */
export function readProfileFiles(paths: readonly string[]): ProfileFiles {
  const sources = paths.flatMap((path) => (isFolder(path) ? folderSources(path) : [sourceOf(path)]));
  const library = new NeighbourLibrary(sources);
  const given = library.addAll(sources);
  library.completeAll(given);
  const profiles = [...sources, ...library.found];
  const characters = profiles.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > MAX_CHARACTERS)
    throw unreadable('these profiles are too large', paths.join(', '), `${MAX_CHARACTERS} characters in all`);
  return { profiles, given };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function folderSources(folder: string): ProfileSource[] {
  const sources = profileFilesIn(folder)
    .map(sourceOf)
    .filter(({ text }) => PROFILE_FIELD.test(text));
  if (sources.length > 0) return sources;
  throw unreadable(
    'this folder has no profiles',
    folder,
    `files with a field profile: *${ENDINGS.join(', *')}`,
  );
}

function profileFilesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && ENDINGS.includes(extname(entry.name)))
    .map(({ name }) => join(folder, name))
    .sort()
    .slice(0, MAX_FILES);
}

function sourceOf(file: string): ProfileSource {
  const names = { field: 'path', code: 'PROFILE_UNREADABLE', allowed: 'a file or a folder with profiles' };
  return { text: readTextFile(file, names), file };
}

function unreadable(summary: string, given: string, allowed: string): KelpieError {
  return new KelpieError('PROFILE_UNREADABLE', summary, { field: 'path', given, allowed });
}

/** A library that looks for names which it does not have in the files beside those that it was given. */
class NeighbourLibrary extends ProfileLibrary {
  /** The files beside the given ones that something named. */
  readonly found: ProfileSource[] = [];
  readonly #given: ReadonlySet<string>;
  #beside: Neighbour[] | null = null;

  constructor(given: readonly ProfileSource[]) {
    super();
    this.#given = new Set(given.map(({ file }) => resolve(file)));
  }

  /** Reads every file; what is wrong with any of them is thrown together. */
  addAll(sources: readonly ProfileSource[]): ProfileName[] {
    return collect(sources, ({ text, file }) => this.add(text, file)).flat();
  }

  /** Looks up what every profile names, so that it is found. */
  completeAll(names: readonly ProfileName[]): void {
    collect(names, ({ kind, name }) => this.find(kind, name));
  }

  override lookUp(kind: ProfileKind, name: string, asked: ReadonlySet<string>): Profile | undefined {
    const known = super.lookUp(kind, name, asked);
    if (known !== undefined) return known;
    const place = this.#neighbours().find(
      ({ source, names }) =>
        !this.found.includes(source) &&
        (names?.some((each) => each.kind === kind && each.name === name) ?? isCalled(source.file, name)),
    );
    if (place === undefined) return undefined;
    this.found.push(place.source);
    this.add(place.source.text, place.source.file);
    return super.lookUp(kind, name, asked);
  }

  override list(kind: ProfileKind): readonly string[] {
    const beside = this.#neighbours().flatMap(({ names }) => names ?? []);
    const names = beside.flatMap((each) => (each.kind === kind ? [each.name] : []));
    return [...new Set([...super.list(kind), ...names])].sort();
  }

  #neighbours(): readonly Neighbour[] {
    if (this.#beside === null) {
      const folders = new Set([...this.#given].map((file) => dirname(file)));
      const files = [...folders].flatMap(profileFilesIn).filter((file) => !this.#given.has(file));
      this.#beside = files.map(sourceOf).flatMap((source) => {
        return PROFILE_FIELD.test(source.text) ? [{ source, names: namesIn(source.text) }] : [];
      });
    }
    return this.#beside;
  }
}

/** A file beside the given ones; it has no names where it is not well formed. */
interface Neighbour {
  readonly source: ProfileSource;
  readonly names: readonly ProfileName[] | null;
}

/** Whether a file is called after a profile: where that is asked for, what is wrong with the file is worth knowing. */
function isCalled(file: string, name: string): boolean {
  return basename(file, extname(file)) === name;
}

function namesIn(text: string): ProfileName[] | null {
  const documents = parseDocuments(text);
  return (
    documents?.map((value) => {
      const { profile, name } = (value ?? {}) as { profile?: ProfileKind; name?: string };
      return { kind: profile as ProfileKind, name: String(name) };
    }) ?? null
  );
}

/** Does something with each; the faults of all are thrown together. */
function collect<Item, Result>(items: readonly Item[], each: (item: Item) => Result): Result[] {
  const results: Result[] = [];
  const faults: Fault[] = [];
  for (const item of items) {
    try {
      results.push(each(item));
    } catch (error) {
      if (!(error instanceof DescriptionError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new DescriptionError(faults);
  return results;
}
