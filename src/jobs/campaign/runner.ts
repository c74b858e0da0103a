import type { KnownSet } from '../hunt/index.js';
import type { CampaignArchive, CampaignEntry, TaskRecord } from './archive.js';
import { pointAt } from './axis.js';
import type { TaskCarrier } from './carrier.js';
import { knownTo, machinesAt, roundCount, roundOf, taskAt, taskCount } from './order.js';
import { Turns } from './turns.js';

/** Who carries the tasks of a campaign, keeps their results and watches. */
export interface CampaignOptions {
  readonly carrier: TaskCarrier;
  readonly archive: CampaignArchive;
  /** Called for every task that has a result, those of an earlier run first. */
  readonly onRecord?: (record: TaskRecord) => void;
  /** Ends it: what is under way is given up and what was kept stays. */
  readonly signal?: AbortSignal;
}

/**
 * Runs what a campaign has left to do, some tasks at a time. Results depend on the order of the campaign alone, not on who
 * carries them. True where every task has one.
 *
 * @example
 * const entry = await archive.create(order, Date.now());
 * const whole = await runCampaign(entry, { archive, carrier });
 */
export async function runCampaign(entry: CampaignEntry, options: CampaignOptions): Promise<boolean> {
  const { archive, onRecord } = options;
  const { id, order } = entry;
  const done = await archive.done(entry);
  if (onRecord !== undefined) for await (const record of archive.records(id)) onRecord(record);
  for (let round = 0; round < roundCount(order); round++)
    if (!(await runRound(entry, round, done, options))) return false;
  await archive.setState(id, 'done');
  return true;
}

async function runRound(
  { id, order }: CampaignEntry,
  round: number,
  done: Uint8Array,
  { carrier, archive, onRecord, signal }: CampaignOptions,
): Promise<boolean> {
  const all = taskCount(order);
  const { tries, timeoutS } = order;
  const { take, end, stop } = giver(order, round, done);
  signal?.addEventListener('abort', stop, { once: true });
  const keeping = new Keeping(archive, id);
  const work = async (): Promise<void> => {
    for (;;) {
      const index = await take();
      if (index === null || signal?.aborted === true) return;
      const known = await knownSets(archive, id, knownTo(order, index));
      const task = taskAt(order, index, known);
      const reply = await carrier
        .run({ campaign: id, index, task, tries, timeoutS })
        .catch((error: unknown) => {
          if (signal?.aborted === true) return null;
          throw error;
        });
      if (reply === null) return;
      const record = { index, point: pointAt(order.axes, index), ...reply };
      await keeping.keep(record);
      done[index] = 1;
      onRecord?.(record);
      end(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(carrier.size, all) }, work));
  signal?.removeEventListener('abort', stop);
  await keeping.end();
  return signal?.aborted !== true;
}

/** Who gives out the tasks of a round without a result: one after the other, or by turns where they are about machines. */
function giver(order: CampaignEntry['order'], round: number, done: Uint8Array) {
  const all = taskCount(order);
  let next = 0;
  const take = (): number | null => {
    while (next < all && (done[next] === 1 || roundOf(order, next) !== round)) next++;
    return next < all ? next++ : null;
  };
  if (all === 0 || machinesAt(order, 0).length === 0)
    return {
      take,
      end: () => {},
      stop: () => {
        next = all;
      },
    };
  const tasks: number[] = [];
  for (let index = take(); index !== null; index = take()) tasks.push(index);
  const turns = new Turns(tasks, (index) => machinesAt(order, index));
  return {
    take: () => turns.take(),
    end: (index: number) => turns.end(index),
    stop: () => turns.stop(),
  };
}

/** Results that wait to be written; then those who bring more wait, too. */
const MOST_UNWRITTEN = 512;

/** Has results written while others are on their way, and says when that fails. */
class Keeping {
  private readonly archive: CampaignArchive;
  private readonly id: number;
  private last: Promise<void> = Promise.resolve();
  private failure: { readonly error: unknown } | null = null;

  constructor(archive: CampaignArchive, id: number) {
    this.archive = archive;
    this.id = id;
  }

  async keep(record: TaskRecord): Promise<void> {
    const written = this.archive.keep(this.id, record);
    this.last = written.catch((error: unknown) => {
      this.failure ??= { error };
    });
    if (this.archive.unwritten >= MOST_UNWRITTEN) await this.last;
    if (this.failure !== null) throw this.failure.error;
  }

  async end(): Promise<void> {
    await this.last;
    if (this.failure !== null) throw this.failure.error;
  }
}

/** What earlier hunts have found, in the order of their tasks, whoever ended first. */
async function knownSets(
  archive: CampaignArchive,
  id: number,
  indexes: readonly number[],
): Promise<KnownSet[]> {
  const known: KnownSet[] = [];
  for (const index of indexes) {
    const outcome = (await archive.record(id, index))?.outcome;
    if (outcome?.kind === 'measured') known.push(...(outcome.known ?? []));
  }
  return known;
}
