import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { KelpieError } from '../../error.js';
import type { ExperimentRecord, HuntAnswer, HuntPlan } from '../../jobs/hunt/index.js';
import { VERSION } from '../../version.js';
import type { ChosenTestbed } from '../providers.js';

/** What is kept about a hunt beside its experiments. */
export interface HuntEntry {
  id: number;
  version: string;
  subsystem: string;
  bench: ChosenTestbed;
  plan: HuntPlan;
}

const FORMAT = 'kelpie-hunts/1';
const FILE = 'hunts.mdb';

/** Reads everything in another process: a damaged file can end the process that maps it. */
const CHECK = `
const [library, path] = process.argv.slice(1);
const { open } = await import(library);
const database = open({ path, readOnly: true, encoding: 'json', noSubdir: true });
let entries = 0;
for (const { value } of database.getRange({})) if (value !== undefined) entries++;
if (entries === 0 || database.get('format') !== '${FORMAT}') process.exit(9);
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

  private constructor(store: RootDatabase) {
    this.store = store;
  }

  /** Opens the database of a folder and makes both where there are none. A damaged one is refused and left as it is. */
  static async open(folder: string): Promise<HuntDatabase> {
    const { open } = await loadLmdb();
    const path = join(folder, FILE);
    const existed = existsSync(path);
    if (existed) check(path);
    try {
      mkdirSync(folder, { recursive: true });
      const store = open({ path, encoding: 'json', noSubdir: true });
      if (!existed) store.putSync('format', FORMAT);
      return new HuntDatabase(store);
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
    this.store.transactionSync(() => {
      entry.id = Math.max(0, ...this.list().map(({ id }) => id)) + 1;
      this.store.putSync(['hunt', entry.id], entry);
    });
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
    this.store.putSync(['experiment', id, record.index], record);
  }

  kept(id: number, index: number): ExperimentRecord | undefined {
    return this.store.get(['experiment', id, index]) as ExperimentRecord | undefined;
  }

  /** Every experiment of a hunt, in order. */
  experiments(id: number): ExperimentRecord[] {
    return this.values<ExperimentRecord>(['experiment', id]);
  }

  putAnswer(id: number, answer: HuntAnswer): void {
    this.store.putSync(['answer', id], answer);
  }

  /** Undefined where the hunt has not ended. */
  answer(id: number): HuntAnswer | undefined {
    return this.store.get(['answer', id]) as HuntAnswer | undefined;
  }

  private values<Value>(prefix: (string | number)[]): Value[] {
    const range = this.store.getRange({ start: prefix, end: [...prefix, Number.MAX_SAFE_INTEGER] });
    return Array.from(range, ({ value }) => value as Value);
  }

  async close(): Promise<void> {
    await this.store.close();
  }
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
  throw new KelpieError('CANNOT_RUN', 'the database of hunts is damaged; it was left as it is', {
    field: '--folder',
    given: path,
    allowed: 'another folder, or this file moved away',
  });
}
