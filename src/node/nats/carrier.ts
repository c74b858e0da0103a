import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CampaignEntry,
  type CampaignOrder,
  machinesAt,
  needsAt,
  needsToken,
  type TaskCall,
  type TaskCarrier,
  type TaskReply,
} from '../../jobs/campaign/index.js';
import type { Nats } from './client.js';
import { Parcels } from './parcels.js';
import { bury, listClasses, makeClass, type QueuedTask, QueueNames, versionToken } from './queue.js';
import { hashOf, Results } from './results.js';

/** Tasks of a campaign that wait or run at a time: enough for many workers, few enough for a controller's memory. */
const WINDOW = 2000;
/** How often a full stream, or a server that is away, is tried again. */
const RETRY_MS = 250;
/** After this long without a result the queue is looked at. */
const AUDIT_MS = 5000;
/** Results that are asked for at a time. */
const AUDITED = 256;

/** A task whose result is awaited. */
interface Awaited {
  readonly call: TaskCall;
  readonly hash: string;
  readonly resolve: (reply: TaskReply) => void;
  readonly reject: (error: unknown) => void;
  published: boolean;
}

/** How tasks are carried. */
export interface NatsCarrierOptions {
  readonly signal: AbortSignal;
  /** Time without a mark after which a task is given to another worker; 30 s unless set. */
  readonly ackWaitMs?: number;
  /** Whether tasks may have been done before. */
  readonly again: boolean;
  /** Whether tasks that were given up are tried again. */
  readonly forgives: boolean;
  /** Why tasks about these machines are given up; null where they are not. */
  readonly absence?: (machines: readonly string[]) => string | null;
  /** Told what goes wrong and is tried again. */
  readonly onTrouble?: (text: string) => void;
}

/** Carries the tasks of a campaign to workers of other machines, through a queue. */
export class NatsCarrier implements TaskCarrier {
  readonly size = WINDOW;
  private readonly nats: Nats;
  private readonly order: CampaignOrder;
  private readonly campaign: number;
  private readonly options: NatsCarrierOptions;
  private readonly results: Results;
  private readonly names: QueueNames;
  private readonly parcels: Parcels;
  /** Several campaigns may ask for one result, and one campaign for the same twice. */
  private readonly awaited = new Map<string, Awaited[]>();
  /** This controller: what another one has published before is not taken for its own. */
  private readonly epoch = randomUUID();
  /** Queues that were made, by what their tasks need. */
  private readonly classes = new Map<string, Promise<void>>();
  private readonly timer: NodeJS.Timeout;
  private sequence: number;
  private heardMs = Date.now();
  private closed = false;
  private feed: { close(): Promise<unknown> } | null = null;

  private constructor(
    nats: Nats,
    { id, order }: CampaignEntry,
    results: Results,
    sequence: number,
    options: NatsCarrierOptions,
  ) {
    this.nats = nats;
    this.order = order;
    this.campaign = id;
    this.results = results;
    this.sequence = sequence;
    this.options = options;
    this.names = new QueueNames(nats.prefix);
    this.parcels = new Parcels(nats);
    options.signal.addEventListener('abort', this.abort, { once: true });
    this.timer = setInterval(() => void this.look(), AUDIT_MS);
    void this.listen();
  }

  static async open(nats: Nats, entry: CampaignEntry, options: NatsCarrierOptions): Promise<NatsCarrier> {
    const results = await Results.open(nats);
    return new NatsCarrier(nats, entry, results, await results.lastSequence(), options);
  }

  /** Takes what waits of a campaign out of the queue. */
  static async purge({ manager, prefix }: Nats, campaign: number, needs = '*'): Promise<void> {
    const names = new QueueNames(prefix);
    await manager.streams.purge(names.tasks, { filter: names.taskSubject('*', needs, campaign) });
  }

  async run(call: TaskCall): Promise<TaskReply> {
    const once = this.order.realTime ? String(call.campaign) : null;
    const hash = hashOf(call.task, once);
    if (this.options.forgives) await this.persist(() => this.results.forgive(hash, call.campaign));
    const known = await this.persist(() => this.results.get(hash, call.campaign));
    if (known !== null) return known;
    const absence = this.absence(call.index);
    if (absence !== null) return this.persist(() => this.giveUp(call, hash, absence));
    return new Promise((resolve, reject) => {
      const mine: Awaited = { call, hash, resolve, reject, published: false };
      const others = this.awaited.get(hash);
      if (others === undefined) this.awaited.set(hash, [mine]);
      else others.push(mine);
      this.publish(mine, this.options.again, this.epoch).catch(reject);
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    this.options.signal.removeEventListener('abort', this.abort);
    await this.feed?.close();
    // What is still there was done twice, or is what a killed server gives to nobody any more.
    if (this.options.signal.aborted || this.awaited.size > 0) return;
    await NatsCarrier.purge(this.nats, this.campaign).catch(() => {});
    await this.dropClasses().catch(() => {});
  }

  /** Queues that a single task or few had, such as those of hosts, are not left behind. */
  private async dropClasses(): Promise<void> {
    if (this.classes.size <= 1) return;
    const own = new Set(
      [...this.classes.keys()].map((token) => `${versionToken(this.order.version)}~${token}`),
    );
    for (const { name, waiting, taken } of await listClasses(this.nats))
      if (own.has(name) && waiting + taken === 0)
        await this.nats.manager.consumers.delete(this.names.tasks, name);
  }

  private readonly abort = (): void => {
    for (const each of [...this.awaited.values()].flat()) each.reject(new Error('the campaign was ended'));
    this.awaited.clear();
  };

  private async publish(task: Awaited, again: boolean, id: string): Promise<void> {
    const { call, hash } = task;
    const queued: QueuedTask = {
      ...{ campaign: call.campaign, index: call.index, hash, again },
      known: call.task.known === undefined ? null : JSON.parse(await this.parcels.wrap(call.task.known)),
    };
    const token = await this.classOf(call.index);
    const { version } = this.order;
    const subject = this.names.taskSubject(versionToken(version), token, call.campaign);
    const text = JSON.stringify(queued);
    await this.persist(() =>
      this.nats.client.publish(subject, text, { msgID: `${hash}/${call.campaign}/${id}` }),
    );
    task.published = true;
  }

  /** The queue of a task, which is made when its first one comes. */
  private async classOf(index: number): Promise<string> {
    const needs = needsAt(this.order, index);
    const token = needsToken(needs);
    let made = this.classes.get(token);
    if (made === undefined) {
      const { version } = this.order;
      made = this.persist(() => makeClass(this.nats, version, needs, this.options.ackWaitMs));
      this.classes.set(token, made);
    }
    await made;
    return token;
  }

  /** Does something until it is done: a stream that is full or a server that is away is waited for. */
  private async persist<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (this.options.signal.aborted || this.closed || this.nats.connection.isClosed()) throw error;
        if ((error as Error).name === 'PermissionViolationError') throw error;
        this.options.onTrouble?.((error as Error).message);
        await sleep(RETRY_MS);
      }
    }
  }

  /** Hears of results as they come, and begins again after the last one where that ends. */
  private async listen(): Promise<void> {
    while (!this.closed && !this.nats.connection.isClosed()) {
      try {
        const messages = await this.results.feed(this.sequence);
        this.feed = messages;
        for await (const message of messages) {
          this.heardMs = Date.now();
          const hash = this.results.hashIn(message.subject, this.campaign);
          if (hash !== null && this.awaited.has(hash))
            this.settle(hash, await this.results.read(message.string()));
          this.sequence = message.seq;
        }
      } catch (error) {
        if (!this.closed) this.options.onTrouble?.((error as Error).message);
      }
      if (!this.closed) await sleep(RETRY_MS);
    }
  }

  private absence(index: number): string | null {
    return this.options.absence?.(machinesAt(this.order, index)) ?? null;
  }

  /** Gives a task up that nobody can do, with a dead letter as workers leave them. */
  private async giveUp({ campaign, index }: TaskCall, hash: string, reason: string): Promise<TaskReply> {
    const reply: TaskReply = { outcome: { kind: 'failed', reason }, worker: 'nobody', wallMs: 0, tries: 0 };
    await this.results.put(hash, campaign, reply);
    await bury(this.nats, campaign, index, reply);
    return reply;
  }

  private async look(): Promise<void> {
    try {
      await this.giveUpAbsent();
      await this.audit();
    } catch (error) {
      this.options.onTrouble?.((error as Error).message);
    }
  }

  /** What waits for a machine that is gone would wait forever. */
  private async giveUpAbsent(): Promise<void> {
    if (this.closed || this.options.absence === undefined) return;
    for (const [{ call, hash }] of [...this.awaited.values()]) {
      const reason = this.absence(call.index);
      if (reason === null) continue;
      this.settle(hash, await this.giveUp(call, hash, reason));
      // Tasks about a machine have a queue of their own, with one at a time in it.
      await NatsCarrier.purge(this.nats, this.campaign, needsToken(needsAt(this.order, call.index)));
    }
  }

  private settle(hash: string, reply: TaskReply): void {
    for (const { resolve } of this.awaited.get(hash) ?? []) resolve(reply);
    this.awaited.delete(hash);
  }

  /**
   * Looks after tasks of which nothing is heard: a result that was missed is fetched, and what a server has lost, as one
   * that was killed may, is put into the queue again.
   */
  private async audit(): Promise<void> {
    if (this.closed || this.awaited.size === 0 || Date.now() - this.heardMs < AUDIT_MS) return;
    const silent = [...this.awaited.values()]
      .flatMap(([first]) => (first.published ? [first] : []))
      .slice(0, AUDITED);
    const found = await Promise.all(silent.map(({ hash }) => this.results.get(hash, this.campaign)));
    for (const [index, reply] of found.entries()) if (reply !== null) this.settle(silent[index].hash, reply);
    const version = versionToken(this.order.version);
    const busy = new Set(
      (await listClasses(this.nats)).flatMap(({ name, waiting, taken }) =>
        waiting + taken > 0 ? [name] : [],
      ),
    );
    const lost = silent.filter(
      ({ hash, call }) =>
        this.awaited.has(hash) && !busy.has(`${version}~${needsToken(needsAt(this.order, call.index))}`),
    );
    if (lost.length === 0) return;
    this.classes.clear();
    // A server that was killed may keep messages that it gives to nobody any more; they would fill the stream.
    for (const token of new Set(lost.map(({ call }) => needsToken(needsAt(this.order, call.index)))))
      await NatsCarrier.purge(this.nats, this.campaign, token);
    await Promise.all(lost.map((each) => this.publish(each, true, randomUUID())));
  }
}
