import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { KelpieError } from '../../error.js';
import type { ExperimentRecord, HuntAnswer, HuntPlan } from '../../jobs/hunt/index.js';
import { VERSION } from '../../version.js';
import { makeFolder } from '../folder.js';
import type { ChosenTestbed } from '../providers.js';

/** What is kept about a hunt beside its experiments. */
export interface HuntEntry {
  id: number;
  version: string;
  subsystem: string;
  bench: ChosenTestbed;
  plan: HuntPlan;
}

/** The first had no checksums. */
const FORMAT = 'kelpie-hunts/2';
const FILE = 'hunts.mdb';
/** The exit code of the check for a database of another version. */
const OTHER_FORMAT = 8;

/** Reads everything in another process: a damaged file can end the process that maps it. */
const CHECK = `
const [library, path] = process.argv.slice(1);
const { open } = await import(library);
const database = open({ path, readOnly: true, encoding: 'json', noSubdir: true });
let entries = 0;
for (const { value } of database.getRange({})) if (value !== undefined) entries++;
const format = database.get('format');
if (entries > 0 && typeof format === 'string' && format !== '${FORMAT}') process.exit(${OTHER_FORMAT});
if (entries === 0 || format !== '${FORMAT}') process.exit(9);
`;

/**
 * The hunts of a folder, in an embedded database: every experiment is on disk before the search learns of it.
 *
 * @example
 * const database = await HuntDatabase.open('kelpie-hunts');
 * const entry = database.create({ subsystem, bench, plan });
 */
export class HuntDatabase {
  private readonly store: RootDatabase;
  private readonly folder: string;

  private constructor(store: RootDatabase, folder: string) {
    this.store = store;
    this.folder = folder;
  }

  /** Opens the database of a folder and makes both where there are none. A damaged one is refused and left as it is. */
  static async open(folder: string): Promise<HuntDatabase> {
    const { open } = await loadLmdb();
    const path = join(folder, FILE);
    // A hunt that was ended before its first record leaves an empty file.
    const existed = existsSync(path) && statSync(path).size > 0;
    if (existed) check(path);
    try {
      makeFolder(folder);
      const store = open({ path, encoding: 'json', noSubdir: true });
      if (!existed) store.putSync('format', FORMAT);
      return new HuntDatabase(store, folder);
    } catch (cause) {
      throw new KelpieError('CANNOT_RUN', 'the folder for hunts cannot be written', {
        field: '--folder',
        given: folder,
        allowed: 'a folder that exists or can be made, with room',
        cause,
      });
    }
  }

  /** Opens the database of a folder that must have one. */
  static async openExisting(folder: string): Promise<HuntDatabase> {
    if (!existsSync(join(folder, FILE)))
      throw new KelpieError('NO_HUNTS', 'there are no hunts in this folder', {
        field: '--folder',
        given: folder,
        allowed: 'a folder that kelpie hunt wrote',
      });
    return HuntDatabase.open(folder);
  }

  /** Begins a hunt under a number of its own. */
  create(given: Pick<HuntEntry, 'subsystem' | 'bench' | 'plan'>): HuntEntry {
    const entry: HuntEntry = { id: 0, version: VERSION, ...given };
    this.written(() =>
      this.store.transactionSync(() => {
        entry.id = Math.max(0, ...this.list().map(({ id }) => id)) + 1;
        this.put(['hunt', entry.id], entry);
      }),
    );
    return entry;
  }

  list(): HuntEntry[] {
    return this.values<HuntEntry>(['hunt']);
  }

  /** The hunt of this number; the last one where left out. */
  find(id: number | undefined): HuntEntry {
    const all = this.list();
    const found = id === undefined ? all[all.length - 1] : all.find((entry) => entry.id === id);
    if (found === undefined)
      throw new KelpieError('NO_HUNTS', 'there is no such hunt', {
        field: 'id',
        given: id,
        allowed: all.length === 0 ? 'none yet: run kelpie hunt' : all.map((entry) => entry.id).join(', '),
      });
    return found;
  }

  keep(id: number, record: ExperimentRecord): void {
    this.written(() => this.put(['experiment', id, record.index], record), id);
  }

  kept(id: number, index: number): ExperimentRecord | undefined {
    return this.get<ExperimentRecord>(['experiment', id, index]);
  }

  /** Every experiment of a hunt, in order. */
  experiments(id: number): ExperimentRecord[] {
    return this.values<ExperimentRecord>(['experiment', id]);
  }

  putAnswer(id: number, answer: HuntAnswer): void {
    this.written(() => this.put(['answer', id], answer), id);
  }

  /** Undefined where the hunt has not ended. */
  answer(id: number): HuntAnswer | undefined {
    return this.get<HuntAnswer>(['answer', id]);
  }

  private values<Value>(prefix: Key): Value[] {
    const range = this.store.getRange({ start: prefix, end: [...prefix, Number.MAX_SAFE_INTEGER] });
    return Array.from(range, ({ key, value }) => this.verified<Value>(key as Key, value));
  }

  private get<Value>(key: Key): Value | undefined {
    const found: unknown = this.store.get(key);
    return found === undefined ? undefined : this.verified<Value>(key, found);
  }

  private put(key: Key, value: unknown): void {
    const kept: Kept = { value, sha256: checksum(key, value) };
    this.store.putSync(key, kept);
  }

  /** What was put, unless it was changed or damaged since: a search must not go on from what it never measured. */
  private verified<Value>(key: Key, kept: unknown): Value {
    const { value, sha256 } = (kept ?? {}) as Partial<Kept>;
    if (value !== undefined && sha256 === checksum(key, value)) return value as Value;
    throw new KelpieError(
      'CANNOT_RUN',
      'a record of this hunt was changed or is damaged; it was left as it is',
      {
        field: '--folder',
        given: `${this.folder}, record ${key.join(' ')}`,
        allowed: 'records as kelpie hunt wrote them; hunt again in another folder',
      },
    );
  }

  private written(write: () => void, id?: number): void {
    try {
      write();
    } catch (cause) {
      if (cause instanceof KelpieError) throw cause;
      const goOn = id === undefined ? '' : `; then go on with kelpie hunt --resume ${id}`;
      throw new KelpieError('CANNOT_RUN', `the hunt cannot be kept: ${(cause as Error).message}`, {
        field: '--folder',
        given: this.folder,
        allowed: `a disk with room${goOn}`,
        cause,
      });
    }
  }

  async close(): Promise<void> {
    await this.store.close();
  }
}

type Key = (string | number)[];

/** A record, and what shows that it is the one that was written. */
interface Kept {
  value: unknown;
  sha256: string;
}

/** Of a record under its key, so that one in the place of another is noticed too. */
function checksum(key: Key, value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([key, value]))
    .digest('hex');
}

/** lmdb is an optional package: only hunts that are kept need it. */
async function loadLmdb(): Promise<typeof import('lmdb')> {
  try {
    return await import('lmdb');
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', 'hunts are kept with the package lmdb, which does not load here', {
      field: 'lmdb',
      allowed: 'installed: npm install lmdb',
      cause,
    });
  }
}

function check(path: string): void {
  const outcome = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', CHECK, import.meta.resolve('lmdb'), path],
    { stdio: 'ignore', timeout: 60_000 },
  );
  if (outcome.status === 0) return;
  if (outcome.status === OTHER_FORMAT)
    throw new KelpieError('CANNOT_RUN', 'the hunts in this folder were kept by another version of Kelpie', {
      field: '--folder',
      given: path,
      allowed: `another folder, or hunts of the format ${FORMAT}`,
    });
  throw new KelpieError('CANNOT_RUN', 'the database of hunts is damaged; it was left as it is', {
    field: '--folder',
    given: path,
    allowed: 'another folder, or this file moved away',
  });
}
