import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { KelpieError } from '../error.js';
import type { Store, StoreKey } from '../jobs/index.js';
import { makeFolder } from './folder.js';

/** The exit code of the check for a file of another format. */
const OTHER_FORMAT = 8;

/** Reads everything in another process: a damaged file can end the process that maps it. */
const CHECK = `
const [library, path, wanted] = process.argv.slice(1);
const { open } = await import(library);
const database = open({ path, readOnly: true, encoding: 'json', noSubdir: true });
let entries = 0;
for (const { value } of database.getRange({})) if (value !== undefined) entries++;
const format = database.get('format');
if (entries > 0 && typeof format === 'string' && format !== wanted) process.exit(${OTHER_FORMAT});
if (entries === 0 || format !== wanted) process.exit(9);
`;

/** Which file a store is, what it holds, and how messages speak of it. */
export interface LmdbStoreOptions {
  /** The file; it is made, with its folder, where there is none. */
  path: string;
  /** What the values are, with a version: a file of another format is refused. */
  format: string;
  /** What a message about the path calls it; `path` unless set. */
  field?: string;
  /** What a message calls the values; `values` unless set. */
  noun?: string;
  /** For the message about a value that could not be kept: how to go on once there is room. */
  goOn?: (key: StoreKey) => string | null;
}

/**
 * A store in an embedded database: a value is on disk when it was put, and one that was changed since is refused.
 *
 * @example
 * const hunts = new HuntArchive(await LmdbStore.open({ path: 'hunts.mdb', format: 'my-hunts/1' }));
 */
export class LmdbStore implements Store {
  private readonly database: RootDatabase;
  private readonly names: Names;

  private constructor(database: RootDatabase, names: Names) {
    this.database = database;
    this.names = names;
  }

  /** Opens a file and makes it where there is none. A damaged one is refused and left as it is. */
  static async open(options: LmdbStoreOptions): Promise<LmdbStore> {
    const names: Names = { field: 'path', noun: 'values', goOn: () => null, ...options };
    const { path, format, field, noun } = names;
    const { open } = await loadLmdb(noun);
    // A process that was ended before its first record leaves an empty file.
    const existed = existsSync(path) && statSync(path).size > 0;
    if (existed) check(names);
    try {
      makeFolder(dirname(path));
      const database = open({ path, encoding: 'json', noSubdir: true });
      if (!existed) database.putSync('format', format);
      return new LmdbStore(database, names);
    } catch (cause) {
      throw new KelpieError('CANNOT_RUN', `the folder for ${noun} cannot be written`, {
        field,
        given: dirname(path),
        allowed: 'a folder that exists or can be created, on a disk with free space',
        cause,
      });
    }
  }

  async get(key: StoreKey): Promise<unknown> {
    const found: unknown = this.database.get([...key]);
    return found === undefined ? undefined : this.verified(key, found);
  }

  async put(key: StoreKey, value: unknown): Promise<void> {
    this.written(key, () => this.putSync(key, value));
  }

  async putAll(entries: readonly (readonly [StoreKey, unknown])[]): Promise<void> {
    if (entries.length === 0) return;
    this.written(entries[0][0], () =>
      this.database.transactionSync(() => {
        for (const [key, value] of entries) this.putSync(key, value);
      }),
    );
  }

  async change(key: StoreKey, make: (now: unknown) => unknown): Promise<void> {
    this.written(key, () =>
      this.database.transactionSync(() => {
        const found: unknown = this.database.get([...key]);
        this.putSync(key, make(found === undefined ? undefined : this.verified(key, found)));
      }),
    );
  }

  async remove(key: StoreKey): Promise<void> {
    this.written(key, () => void this.database.removeSync([...key]));
  }

  async append(key: StoreKey, make: (number: number) => unknown): Promise<number> {
    let number = 0;
    // Another process may append at the same time.
    this.written(key, () =>
      this.database.transactionSync(() => {
        const numbers = this.below(key).map((entry) => entry.key[entry.key.length - 1] as number);
        number = Math.max(0, ...numbers) + 1;
        this.putSync([...key, number], make(number));
      }),
    );
    return number;
  }

  async list(key: StoreKey): Promise<unknown[]> {
    return this.below(key).map((entry) => this.verified(entry.key, entry.value));
  }

  async *each(key: StoreKey): AsyncIterable<unknown> {
    for (const entry of this.range(key)) {
      const place = entry.key as unknown as StoreKey;
      if (place.length === key.length + 1) yield this.verified(place, entry.value);
    }
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  private below(key: StoreKey): { key: StoreKey; value: unknown }[] {
    const entries = Array.from(this.range(key), (entry) => ({
      key: entry.key as unknown as StoreKey,
      value: entry.value as unknown,
    }));
    return entries.filter((entry) => entry.key.length === key.length + 1);
  }

  private range(key: StoreKey) {
    return this.database.getRange({ start: [...key], end: [...key, Number.MAX_SAFE_INTEGER] });
  }

  private putSync(key: StoreKey, value: unknown): void {
    const kept: Kept = { value, sha256: checksum(key, value) };
    this.database.putSync([...key], kept);
  }

  /** What was put, unless it was changed or damaged since: a job must not go on from what it never measured. */
  private verified(key: StoreKey, kept: unknown): unknown {
    const { value, sha256 } = (kept ?? {}) as Partial<Kept>;
    if (value !== undefined && sha256 === checksum(key, value)) return value;
    const { field, noun, path } = this.names;
    throw new KelpieError(
      'CANNOT_RUN',
      `a record of these ${noun} was changed or is damaged; it was left as it is`,
      {
        field,
        given: `${path}, record ${key.join(' ')}`,
        allowed: 'unchanged records; start again in another folder',
      },
    );
  }

  private written(key: StoreKey, write: () => void): void {
    try {
      write();
    } catch (cause) {
      if (cause instanceof KelpieError) throw cause;
      const { field, noun, path, goOn } = this.names;
      const next = goOn(key);
      throw new KelpieError('CANNOT_RUN', `the ${noun} cannot be kept: ${(cause as Error).message}`, {
        field,
        given: path,
        allowed: next === null ? 'a disk with room' : `a disk with free space; then ${next}`,
        cause,
      });
    }
  }
}

type Names = Required<LmdbStoreOptions>;

/** A record, and what shows that it is the one that was written. */
interface Kept {
  value: unknown;
  sha256: string;
}

/** Of a record under its key, so that one in the place of another is noticed too. */
function checksum(key: StoreKey, value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([key, value]))
    .digest('hex');
}

/** lmdb is an optional package: only what is kept on disk needs it. */
async function loadLmdb(noun: string): Promise<typeof import('lmdb')> {
  try {
    return await import('lmdb');
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', `${noun} are kept with the package lmdb, which does not load here`, {
      field: 'lmdb',
      allowed: 'installed: npm install lmdb',
      cause,
    });
  }
}

function check({ path, format, field, noun }: Names): void {
  const { status } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', CHECK, import.meta.resolve('lmdb'), path, format],
    { stdio: 'ignore', timeout: 60_000 },
  );
  if (status === 0) return;
  if (status === OTHER_FORMAT)
    throw new KelpieError('CANNOT_RUN', `the ${noun} in this folder were kept by another version of Kelpie`, {
      field,
      given: path,
      allowed: `another folder, or ${noun} of the format ${format}`,
    });
  throw new KelpieError('CANNOT_RUN', `the database of ${noun} is damaged; it was left as it is`, {
    field,
    given: path,
    allowed: 'another folder, or this file moved away',
  });
}
