import { setTimeout as sleep } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import { KelpieError } from '../../error.js';
import {
  type Abilities,
  type CampaignEntry,
  failureOf,
  isAble,
  needsToken,
  type TaskOutcome,
  type TaskPool,
  type TaskReply,
  taskAt,
  type WorkerPresence,
} from '../../jobs/campaign/index.js';
import { VERSION } from '../../version.js';
import type { Nats } from './client.js';
import { Parcels } from './parcels.js';
import { Presences } from './presence.js';
import {
  bury,
  listClasses,
  makeQueue,
  type QueuedTask,
  QueueNames,
  type TaskClass,
  versionToken,
} from './queue.js';
import { CampaignRegister } from './register.js';
import { hashOf, Results, type Tries } from './results.js';

/** A worker, as it is set up. */
export interface NatsWorkerOptions extends Abilities {
  readonly name: string;
  /** Where workers of other machines reach this one. */
  readonly address: string;
  readonly pool: TaskPool;
  /** Raised to take no more tasks and end with those that run. */
  readonly drain: AbortSignal;
  /** Raised to give back what runs, too. */
  readonly stop: AbortSignal;
  readonly say: (text: string) => void;
  /** Ends by itself after this long without a task; never unless set. */
  readonly idleMs?: number;
}

/** How often heartbeats are sent and queues looked for. */
const BEAT_MS = 5000;
const FIND_MS = 1000;
/** A request for tasks waits this long on the server. */
const PULL_MS = 2000;
const RETRY_MS = 500;
/** How often what is held is looked at. */
const MARK_MS = 250;
/** Tasks shorter than this are fetched ahead, this many per thread: else a worker would take what others could run. */
const SHORT_MS = 50;
const AHEAD = 16;
/** What was fetched ahead and has waited for this long is given back. */
const LATE_MS = 1000;
/** How much the last task counts among those of late. */
const RECENT = 0.1;
/** Marks of progress are sent this many times before a task would be given to another worker. */
const MARKS = 3;
/** A task that failed waits before it is tried again, twice as long each time, up to this. */
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** How often, at most, a worker asks whether a campaign was cancelled. */
const STATE_MS = 5000;
const MOST_CAMPAIGNS = 64;

/** A task that was taken. */
interface Held {
  readonly message: JsMsg;
  readonly queue: TaskClass;
  readonly campaign: number;
  readonly index: number;
  readonly sinceMs: number;
}

/** A campaign that tasks were taken of. */
interface KnownCampaign {
  readonly entry: CampaignEntry;
  askedMs: number;
  cancelled: boolean;
}

/** Takes tasks that this machine can do, one queue after the other, until it is told to end. */
export class NatsWorker {
  private readonly nats: Nats;
  private readonly options: NatsWorkerOptions;
  private readonly names: QueueNames;
  private readonly parcels: Parcels;
  private readonly register: CampaignRegister;
  private readonly results: Results;
  private readonly presences: Presences;
  private readonly held = new Map<JsMsg, Held>();
  private readonly running = new Set<JsMsg>();
  private readonly pulling = new Map<string, Promise<void>>();
  private readonly campaigns = new Map<number, KnownCampaign>();
  private readonly refused = new Set<string>();
  private readonly counts = { done: 0, failed: 0, busyMs: 0 };
  /** How long tasks took of late. */
  private meanMs = Number.POSITIVE_INFINITY;
  private freeCores: number;
  private freeMemoryGb: number;
  private lastTaskMs = Date.now();

  private constructor(
    nats: Nats,
    options: NatsWorkerOptions,
    { register, results, presences }: { register: CampaignRegister; results: Results; presences: Presences },
  ) {
    this.nats = nats;
    this.options = options;
    this.names = new QueueNames(nats.prefix);
    this.parcels = new Parcels(nats);
    this.register = register;
    this.results = results;
    this.presences = presences;
    this.freeCores = options.cores;
    this.freeMemoryGb = options.memoryGb;
  }

  static async open(nats: Nats, options: NatsWorkerOptions): Promise<NatsWorker> {
    await makeQueue(nats);
    const parts = {
      register: await CampaignRegister.open(nats),
      results: await Results.open(nats),
      presences: await Presences.open(nats),
    };
    return new NatsWorker(nats, options, parts);
  }

  /** What others see of it. */
  presence(): WorkerPresence {
    const { name, address, providers, cores, memoryGb, labels, pool, drain } = this.options;
    const { done, failed, busyMs } = this.counts;
    const running = [...this.running].flatMap((message) => {
      const held = this.held.get(message);
      return held === undefined
        ? []
        : [{ campaign: held.campaign, index: held.index, sinceMs: held.sinceMs }];
    });
    return {
      ...{ name, address, version: VERSION, providers, cores, memoryGb, labels, threads: pool.size, running },
      ...{ done, failed, busyMs, refused: [...this.refused], draining: drain.aborted, atMs: Date.now() },
    };
  }

  /** Works until it is drained, or until it was idle for as long as it may be. */
  async work(): Promise<void> {
    const { drain, stop, idleMs, name } = this.options;
    const beat = setInterval(() => void this.beat(), BEAT_MS);
    const mark = setInterval(() => this.mark(), MARK_MS);
    try {
      await this.beat();
      while (!drain.aborted && !stop.aborted) {
        await this.findQueues().catch((error: unknown) => this.trouble(error));
        if (idleMs !== undefined && this.held.size === 0 && Date.now() - this.lastTaskMs > idleMs) break;
        await sleep(FIND_MS, undefined, { signal: AbortSignal.any([drain, stop]) }).catch(() => {});
      }
      await this.finish();
    } finally {
      clearInterval(beat);
      clearInterval(mark);
      await this.presences.leave(name).catch(() => {});
    }
  }

  /** Waits for what runs, unless it is to be given back. */
  private async finish(): Promise<void> {
    const { stop } = this.options;
    await Promise.all(this.pulling.values());
    while (this.held.size > 0 && !stop.aborted) await sleep(50);
    for (const { message } of this.held.values()) message.nak();
    await this.nats.connection.flush().catch(() => {});
  }

  private async beat(): Promise<void> {
    await this.presences.beat(this.presence()).catch((error: unknown) => this.trouble(error));
  }

  /** Says that tasks are still held: one that nobody marks is given to another worker. */
  private readonly marked = new Map<JsMsg, number>();
  private mark(): void {
    const nowMs = Date.now();
    // Others may have room for what was fetched ahead and turned out to wait.
    const isLate = (held: Held) => this.isEnding() || nowMs - held.sinceMs > LATE_MS;
    for (const each of this.queued.filter(({ held }) => isLate(held))) {
      this.queued.splice(this.queued.indexOf(each), 1);
      each.settle(false);
    }
    for (const { message, queue, sinceMs } of this.held.values()) {
      if (nowMs - (this.marked.get(message) ?? sinceMs) < queue.ackWaitMs / MARKS) continue;
      this.marked.set(message, nowMs);
      message.working();
    }
  }

  private async findQueues(): Promise<void> {
    for (const queue of await listClasses(this.nats)) {
      if (queue.version !== versionToken(VERSION)) {
        this.refuse(queue);
        continue;
      }
      if (this.pulling.has(queue.name) || !isAble(this.options, queue.needs)) continue;
      const pulling = this.pull(queue).finally(() => this.pulling.delete(queue.name));
      this.pulling.set(queue.name, pulling);
    }
  }

  /** Tasks of another version are not taken: their results might differ. */
  private refuse({ version, waiting }: TaskClass): void {
    if (waiting === 0 || this.refused.has(version)) return;
    this.refused.add(version);
    this.options.say(`refuses ${waiting} tasks of version ${version}: this is ${VERSION}`);
  }

  private isEnding(): boolean {
    return this.options.drain.aborted || this.options.stop.aborted;
  }

  /** How many more tasks of a queue there is room for. */
  private roomFor({ needs }: TaskClass): number {
    const { meanMs } = this;
    const waiting = this.held.size - this.running.size;
    const free = Math.floor(Math.min(this.freeCores / needs.cores, this.freeMemoryGb / needs.memoryGb));
    const ahead = meanMs < SHORT_MS ? AHEAD * this.options.pool.size : 0;
    return Math.max(0, free + ahead - waiting);
  }

  /** Takes tasks of one queue as there is room for them. */
  private async pull(queue: TaskClass): Promise<void> {
    try {
      const consumer = await this.nats.client.consumers.get(this.names.tasks, queue.name);
      while (!this.isEnding()) {
        const room = this.roomFor(queue);
        if (room === 0) {
          await this.freed();
          continue;
        }
        const messages = await consumer.fetch({ max_messages: room, expires: PULL_MS });
        const end = () => void messages.close();
        this.options.drain.addEventListener('abort', end, { once: true });
        for await (const message of messages) {
          this.lastTaskMs = Date.now();
          void this.take(message, queue);
        }
        this.options.drain.removeEventListener('abort', end);
      }
    } catch (error) {
      this.trouble(error);
      if (!this.isEnding()) await sleep(RETRY_MS);
    }
  }

  /** Resolves when a task has ended. */
  private freed(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }
  private readonly waiters: (() => void)[] = [];
  /** Tasks that were taken and wait for room. */
  private readonly queued: { readonly held: Held; readonly settle: (begins: boolean) => void }[] = [];

  /** Does one task from the queue to its result. */
  private async take(message: JsMsg, queue: TaskClass): Promise<void> {
    let task: QueuedTask;
    try {
      task = message.json<QueuedTask>();
    } catch {
      message.term('not a task');
      return;
    }
    const held: Held = { message, queue, campaign: task.campaign, index: task.index, sinceMs: Date.now() };
    this.held.set(message, held);
    try {
      if (!(await this.admitted(held))) {
        await this.giveBack(task, held);
        return;
      }
      try {
        await this.answer(task, held);
      } finally {
        this.running.delete(message);
        this.freeCores += queue.needs.cores;
        this.freeMemoryGb += queue.needs.memoryGb;
      }
    } catch (error) {
      // Another worker, or this one, gets it again.
      this.trouble(error);
      message.nak(RETRY_MS);
    } finally {
      this.held.delete(message);
      this.marked.delete(message);
      this.admit();
      for (const wake of this.waiters.splice(0)) wake();
    }
  }

  /** Waits for room; false where there is none for long, or the worker ends before. */
  private admitted(held: Held): Promise<boolean> {
    return new Promise((settle) => {
      this.queued.push({ held, settle });
      this.admit();
    });
  }

  /** Puts a task that was not begun into the queue again: that was no try. */
  private async giveBack(task: QueuedTask, { message, queue }: Held): Promise<void> {
    const subject = this.names.taskSubject(queue.version, needsToken(queue.needs), task.campaign);
    await this.nats.client.publish(subject, JSON.stringify({ ...task, again: true }));
    message.ack();
  }

  /** Begins those of the waiting tasks that there is room for, in their order. */
  private admit(): void {
    while (this.queued.length > 0) {
      const [{ held, settle }] = this.queued;
      const { cores, memoryGb } = held.queue.needs;
      if (this.freeCores < cores || this.freeMemoryGb < memoryGb) return;
      this.queued.shift();
      this.freeCores -= cores;
      this.freeMemoryGb -= memoryGb;
      this.running.add(held.message);
      settle(true);
    }
  }

  private async answer(task: QueuedTask, { message }: Held): Promise<void> {
    const { campaign, index, hash } = task;
    const known = await this.campaignOf(campaign);
    if (known === null || known.cancelled) {
      message.term('the campaign was cancelled');
      return;
    }
    const { order } = known.entry;
    // Most tasks come once; of the others it is known how often they were begun.
    const isSecond = task.again || message.info.deliveryCount > 1;
    if (isSecond && (await this.results.get(hash, campaign)) !== null) {
      message.ack();
      return;
    }
    const { begun, reason = 'its workers ended without a report' }: Tries = isSecond
      ? await this.results.tries(hash, campaign)
      : { begun: 0 };
    const tried = begun + 1;
    const isSpent = begun >= order.tries;
    // Before it runs: a task that ends its worker ends it here.
    if (isSecond && !isSpent) await this.results.setTries(hash, campaign, { begun: tried, reason });
    const beginMs = Date.now();
    const outcome: TaskOutcome = isSpent ? { kind: 'failed', reason } : await this.run(task, order);
    const wallMs = Date.now() - beginMs;
    this.counts.busyMs += wallMs;
    this.meanMs = Number.isFinite(this.meanMs) ? this.meanMs + RECENT * (wallMs - this.meanMs) : wallMs;
    if (this.options.stop.aborted) return message.nak();
    if (outcome.kind === 'failed') this.counts.failed++;
    if (outcome.kind === 'failed' && tried < order.tries) {
      await this.deliver(() =>
        this.results.setTries(hash, campaign, { begun: tried, reason: outcome.reason }),
      );
      message.nak(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tried - 1)));
      return;
    }
    const reply: TaskReply = {
      outcome,
      worker: this.options.name,
      wallMs,
      tries: Math.min(tried, order.tries),
    };
    await this.deliver(() => this.results.put(hash, campaign, reply));
    if (outcome.kind === 'failed')
      await bury(this.nats, campaign, index, reply).catch((error: unknown) => this.trouble(error));
    else this.counts.done++;
    message.ack();
  }

  private async run(task: QueuedTask, order: CampaignEntry['order']): Promise<TaskOutcome> {
    const known = task.known === null ? [] : await this.parcels.unwrap(JSON.stringify(task.known));
    const whole = taskAt(order, task.index, known as Parameters<typeof taskAt>[2]);
    const once = order.realTime ? String(task.campaign) : null;
    if (order.version !== VERSION || hashOf(whole, once) !== task.hash)
      return failureOf(
        new KelpieError('CAMPAIGN_VERSION', 'this is a task of another version of Kelpie', {
          ...{ field: 'version', given: order.version, allowed: VERSION },
        }),
      );
    return this.options.pool.run(whole, { timeoutMs: order.timeoutS * 1000 }).catch(failureOf);
  }

  /** Keeps at it while the server is away: the work is done and must not be lost. */
  private async deliver(put: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await put();
      } catch (error) {
        if (this.options.stop.aborted || this.nats.connection.isClosed()) throw error;
        this.trouble(error);
        await sleep(RETRY_MS);
      }
    }
  }

  private async campaignOf(id: number): Promise<KnownCampaign | null> {
    let known = this.campaigns.get(id);
    if (known === undefined) {
      const entry = await this.register.get(id);
      if (entry === null) return null;
      known = { entry, askedMs: 0, cancelled: false };
      if (this.campaigns.size >= MOST_CAMPAIGNS) this.campaigns.delete([...this.campaigns.keys()][0]);
      this.campaigns.set(id, known);
    }
    if (Date.now() - known.askedMs > STATE_MS) {
      known.askedMs = Date.now();
      known.cancelled = (await this.register.state(id)) === 'cancelled';
    }
    return known;
  }

  private said = '';
  private trouble(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== this.said && !this.isEnding()) this.options.say(text);
    this.said = text;
  }
}
