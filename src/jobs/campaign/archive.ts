import { KelpieError } from '../../error.js';
import type { Store } from '../pool/index.js';
import type { CampaignPoint } from './axis.js';
import type { TaskReply } from './carrier.js';
import { type CampaignOrder, taskCount } from './order.js';
import type { CampaignProgress } from './progress.js';

/** A campaign as it is kept. */
export interface CampaignEntry {
  readonly id: number;
  readonly order: CampaignOrder;
  readonly beganMs: number;
}

/** How far a campaign is: what a resumed one goes on from. */
export type CampaignState = 'running' | 'done' | 'cancelled';

/** How long a moment is: what a process that is killed may lose, and its successor does again. */
const MOMENT_MS = 50;

/** One task with its outcome. */
export interface TaskRecord extends TaskReply {
  readonly index: number;
  readonly point: CampaignPoint;
}

/**
 * Campaigns in a store: every result is kept as it comes, so that a campaign that was interrupted goes on where it was.
 *
 * @example
 * const archive = new CampaignArchive(new MemoryStore());
 * const { id } = await archive.create(order, Date.now());
 */
export class CampaignArchive {
  private readonly store: Store;
  private readonly waiting: (readonly [id: number, record: TaskRecord])[] = [];
  private writing: Promise<void> | null = null;

  constructor(store: Store) {
    this.store = store;
  }

  /** Begins a campaign under a number of its own, or under one that a server gave it. */
  async create(order: CampaignOrder, beganMs: number, given?: number): Promise<CampaignEntry> {
    let entry: CampaignEntry | null = null;
    const make = (id: number) => {
      entry = { id, order, beganMs };
      return entry;
    };
    if (given === undefined) await this.store.append(['campaign'], make);
    else await this.store.put(['campaign', given], make(given));
    await this.setState(entry!.id, 'running');
    return entry!;
  }

  async list(): Promise<CampaignEntry[]> {
    return (await this.store.list(['campaign'])) as CampaignEntry[];
  }

  /** The campaign of this number; the last one unless set. */
  async find(id: number | undefined): Promise<CampaignEntry> {
    const all = await this.list();
    const found = id === undefined ? all[all.length - 1] : all.find((entry) => entry.id === id);
    if (found !== undefined) return found;
    throw new KelpieError('NO_CAMPAIGNS', 'there is no such campaign', {
      field: 'id',
      given: id,
      allowed: all.length === 0 ? 'none yet: run kelpie campaign run' : all.map((each) => each.id).join(', '),
    });
  }

  /** The finished campaign of the same name before this one; undefined where there is none. */
  async before({ id, order }: CampaignEntry): Promise<CampaignEntry | undefined> {
    const earlier = (await this.list()).filter((each) => each.id < id && each.order.name === order.name);
    for (const each of earlier.reverse()) if ((await this.state(each.id)) === 'done') return each;
    return undefined;
  }

  async state(id: number): Promise<CampaignState> {
    return ((await this.store.get(['state', id])) ?? 'running') as CampaignState;
  }

  setState(id: number, state: CampaignState): Promise<void> {
    return this.store.put(['state', id], state);
  }

  /** How far it was when that was last kept; undefined before. */
  async progress(id: number): Promise<CampaignProgress | undefined> {
    return (await this.store.get(['progress', id])) as CampaignProgress | undefined;
  }

  setProgress(progress: CampaignProgress): Promise<void> {
    return this.store.put(['progress', progress.id], progress);
  }

  /**
   * Keeps a record; those of a moment are written together, since a disk takes as long for many as for one. Resolves when it
   * is written.
   */
  keep(id: number, record: TaskRecord): Promise<void> {
    this.waiting.push([id, record]);
    this.writing ??= this.write();
    return this.writing;
  }

  /** Records that are not written yet. */
  get unwritten(): number {
    return this.waiting.length;
  }

  private async write(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
    const records = this.waiting.splice(0);
    this.writing = null;
    await this.store.putAll(records.map(([id, record]) => [['result', id, record.index], record]));
  }

  async record(id: number, index: number): Promise<TaskRecord | undefined> {
    return (await this.store.get(['result', id, index])) as TaskRecord | undefined;
  }

  /** Every record, in the order of the tasks. */
  records(id: number): AsyncIterable<TaskRecord> {
    return this.store.each(['result', id]) as AsyncIterable<TaskRecord>;
  }

  /** Forgets which tasks were given up, so that they are tried again. */
  async forgive(id: number): Promise<void> {
    const failed: number[] = [];
    for await (const { index, outcome } of this.records(id))
      if (outcome.kind === 'failed') failed.push(index);
    for (const index of failed) await this.store.remove(['result', id, index]);
  }

  /** Which tasks have a result, a byte each. */
  async done({ id, order }: CampaignEntry): Promise<Uint8Array> {
    const done = new Uint8Array(taskCount(order));
    for await (const { index } of this.records(id)) done[index] = 1;
    return done;
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
