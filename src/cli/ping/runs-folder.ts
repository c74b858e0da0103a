import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KelpieError } from '../../error.js';
import type { Store } from '../../jobs/index.js';
import { type Plan, type Retention, RunHistory } from '../../jobs/ping/index.js';
import { LmdbStore, leaveStore, takeStore } from '../../node/index.js';

const FORMAT = 'kelpie-runs/1';
const FILE = 'runs.mdb';

/** The folder of runs unless one is given. */
export const RUNS_FOLDER = 'kelpie-runs';

/** Errors that an agent does not go on from: it would mix its runs with those of another. */
export const NOT_MY_FOLDER = ['FOLDER_TAKEN', 'OTHER_HOST'];

/** The runs of a folder for the one agent that writes there. */
export class RunsFolder {
  private readonly folder: string;
  private store: Store | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Opens and takes it; refused by name if another agent has it. */
  async open(plan: Plan, retention: Retention): Promise<RunHistory> {
    const store = await openStore(this.folder);
    try {
      await takeStore(store, Date.now(), { field: '--folder', given: this.folder, noun: 'agent' });
      const history = await RunHistory.open(store, plan, retention);
      this.store = store;
      return history;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Says that this agent lives, for those who would take the folder from another machine. */
  async stay(): Promise<void> {
    if (this.store === null) return;
    try {
      await takeStore(this.store, Date.now(), { field: '--folder', given: this.folder, noun: 'agent' });
    } catch (error) {
      // Whoever writes runs reports a disk that cannot be written.
      if (NOT_MY_FOLDER.includes((error as { code?: string }).code ?? '')) throw error;
    }
  }

  /** Gives it back; the store is closed by whoever has the history. */
  async leave(): Promise<void> {
    if (this.store !== null) await leaveStore(this.store).catch(() => {});
  }
}

/** The runs of a folder to read; another process may write there. */
export async function readRuns(folder: string): Promise<RunHistory> {
  const history = existsSync(join(folder, FILE)) ? await RunHistory.read(await openStore(folder)) : null;
  if (history !== null) return history;
  throw new KelpieError('NO_RUNS', 'there are no runs in this folder', {
    field: '--folder',
    given: folder,
    allowed: 'a folder that kelpie ping --agent wrote',
  });
}

function openStore(folder: string): Promise<Store> {
  return LmdbStore.open({ path: join(folder, FILE), format: FORMAT, field: '--folder', noun: 'runs' });
}
