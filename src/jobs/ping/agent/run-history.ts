import { KelpieError } from '../../../error.js';
import type { Store, StoreKey } from '../../pool/index.js';
import type { Plan } from '../plan.js';
import type { RunRecord } from './run-record.js';

/** What is kept: nothing older, and no more than this. */
export interface Retention {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** A quarter of a year, which is some 150 MB of the eight-GPU server. */
export const RETENTION: Retention = { maxAgeMs: 92 * 86_400_000, maxBytes: 256 * 2 ** 20 };

/** Which runs there are: those from `first` to before `next`, with the bytes of their text. */
interface Extent {
  first: number;
  next: number;
  bytes: number;
}

const PLAN: StoreKey = ['plan'];
const EXTENT: StoreKey = ['runs'];
const runKey = (number: number): StoreKey => ['run', number];

/**
 * The runs of one host in a store, by number from 1 on; old ones go. A run is written before the extent that counts it and
 * forgotten after, so that a process which ends at any moment leaves runs that can be read, and loses none that was added.
 *
 * @example
 * const history = await RunHistory.open(new MemoryStore(), plan);
 * await history.append(record);
 * const [last] = await history.last(1);
 */
export class RunHistory {
  readonly plan: Plan;
  private readonly store: Store;
  private readonly retention: Retention;
  private extent: Extent;

  private constructor(store: Store, plan: Plan, extent: Extent, retention: Retention) {
    this.store = store;
    this.plan = plan;
    this.extent = extent;
    this.retention = retention;
  }

  /** Opens the runs of a host. A store with those of a host that has other links is refused. */
  static async open(store: Store, plan: Plan, retention: Retention = RETENTION): Promise<RunHistory> {
    const known = await store.get(PLAN);
    if (known === undefined) await store.put(PLAN, plan);
    else if (JSON.stringify(known) !== JSON.stringify(plan))
      throw new KelpieError('OTHER_HOST', 'these are the runs of another host', {
        field: 'host',
        given: plan.host,
        allowed: `${(known as Plan).host} with the links that it had; or another folder`,
      });
    const history = new RunHistory(store, plan, await extentOf(store), retention);
    await history.forgetBefore(history.extent.first);
    return history;
  }

  /** Opens runs to read them; null where there are none. */
  static async read(store: Store): Promise<RunHistory | null> {
    const plan = (await store.get(PLAN)) as Plan | undefined;
    return plan === undefined ? null : new RunHistory(store, plan, await extentOf(store), RETENTION);
  }

  /** Numbers of the first run that is kept and of the next one. */
  get first(): number {
    return this.extent.first;
  }
  get next(): number {
    return this.extent.next;
  }

  /** Keeps a run and lets old ones go. Its number. */
  async append(record: RunRecord): Promise<number> {
    const number = this.extent.next;
    await this.store.put(runKey(number), record);
    this.extent = { ...this.extent, next: number + 1, bytes: this.extent.bytes + sizeOf(record) };
    let { first, bytes } = this.extent;
    const oldestMs = record.atMs - this.retention.maxAgeMs;
    for (; first < number; first++) {
      const old = await this.run(first);
      if (old !== undefined && bytes <= this.retention.maxBytes && old.atMs >= oldestMs) break;
      bytes -= old === undefined ? 0 : sizeOf(old);
    }
    const forgotten = first > this.extent.first;
    this.extent = { ...this.extent, first, bytes };
    await this.store.put(EXTENT, this.extent);
    if (forgotten) await this.forgetBefore(first);
    return number;
  }

  /** A run by its number; undefined where it is not kept. */
  async run(number: number): Promise<RunRecord | undefined> {
    return (await this.store.get(runKey(number))) as RunRecord | undefined;
  }

  /** The last runs, the oldest first. */
  async last(count: number): Promise<RunRecord[]> {
    const records: RunRecord[] = [];
    for (let number = Math.max(this.first, this.next - count); number < this.next; number++) {
      const record = await this.run(number);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** The oldest goes first, so that what is left by a process that ends here still reaches up to `first`. */
  private async forgetBefore(first: number): Promise<void> {
    let oldest = first;
    while ((await this.run(oldest - 1)) !== undefined) oldest--;
    for (let number = oldest; number < first; number++) await this.store.remove(runKey(number));
  }
}

/** The extent, with a run that was written when the process ended before it was counted. */
async function extentOf(store: Store): Promise<Extent> {
  const extent = { first: 1, next: 1, bytes: 0, ...((await store.get(EXTENT)) as Extent | undefined) };
  for (;;) {
    const uncounted = await store.get(runKey(extent.next));
    if (uncounted === undefined) return extent;
    extent.next++;
    extent.bytes += sizeOf(uncounted as RunRecord);
  }
}

function sizeOf(record: RunRecord): number {
  return JSON.stringify(record).length;
}
