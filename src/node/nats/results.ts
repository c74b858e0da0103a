import { createHash } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import { type CampaignTask, type TaskReply, taskIdentity } from '../../jobs/campaign/index.js';
import type { Nats } from './client.js';
import { Parcels } from './parcels.js';
import { openBucket, QUEUE_LIMITS, QueueNames } from './queue.js';
import { isTaken } from './register.js';

/** The key of a task's result. `once` tells tasks in real time apart, each of which is another one. */
export function hashOf(task: CampaignTask, once: string | null): string {
  return createHash('sha256').update(taskIdentity(task, once)).digest('hex');
}

/** How often a task was begun, as far as it is known, and why it failed last. */
export interface Tries {
  readonly begun: number;
  readonly reason?: string;
}

/** Results on a server, by the hash of their task: what is done twice is one result, the first. */
export class Results {
  private readonly nats: Nats;
  private readonly bucket: KV;
  private readonly parcels: Parcels;

  private constructor(nats: Nats, bucket: KV) {
    this.nats = nats;
    this.bucket = bucket;
    this.parcels = new Parcels(nats);
  }

  static async open(nats: Nats): Promise<Results> {
    const { resultBytes, keptMs } = QUEUE_LIMITS;
    const name = new QueueNames(nats.prefix).results;
    return new Results(nats, await openBucket(nats, name, { max_bytes: resultBytes, ttl: keptMs }));
  }

  /** Keeps a result unless there is one. That a task was given up says nothing to other campaigns. */
  async put(hash: string, campaign: number, reply: TaskReply): Promise<void> {
    const key = reply.outcome.kind === 'failed' ? failedKey(hash, campaign) : hash;
    try {
      await this.bucket.create(key, await this.parcels.wrap(reply));
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }

  /** The result of a task, or that this campaign gave it up. */
  async get(hash: string, campaign: number): Promise<TaskReply | null> {
    for (const key of [hash, failedKey(hash, campaign)]) {
      const found = await this.bucket.get(key);
      if (found?.operation === 'PUT') return this.read(found.string());
    }
    return null;
  }

  /** Forgets that a campaign gave a task up. */
  async forgive(hash: string, campaign: number): Promise<void> {
    await this.bucket.purge(failedKey(hash, campaign));
    await this.bucket.purge(triesKey(hash, campaign));
  }

  /** What is known of earlier tries of a task. */
  async tries(hash: string, campaign: number): Promise<Tries> {
    const found = await this.bucket.get(triesKey(hash, campaign));
    return found?.operation === 'PUT' ? found.json<Tries>() : { begun: 0 };
  }

  async setTries(hash: string, campaign: number, tries: Tries): Promise<void> {
    await this.bucket.put(triesKey(hash, campaign), JSON.stringify(tries));
  }

  /** The number of the newest result: a feed may begin after it. */
  async lastSequence(): Promise<number> {
    const { state } = await this.nats.manager.streams.info(this.stream);
    return state.last_seq;
  }

  /** Every result after a number, as it comes: its hash, its number and its text. Ends where the connection does. */
  async feed(after: number) {
    const consumer = await this.nats.client.consumers.get(this.stream, {
      ...{ deliver_policy: 'by_start_sequence', opt_start_seq: after + 1 },
    });
    return consumer.consume({ max_messages: 500 });
  }

  /** The reply that a message of the feed carries. */
  async read(text: string): Promise<TaskReply> {
    return (await this.parcels.unwrap(text)) as TaskReply;
  }

  /** Whose result a subject of the feed is; null where another campaign gave it up. */
  hashIn(subject: string, campaign: number): string | null {
    const [, , ...key] = subject.split('.');
    if (key.length === 1) return key[0];
    return subject.endsWith(failedKey(key[2], campaign)) ? key[2] : null;
  }

  private get stream(): string {
    return `KV_${new QueueNames(this.nats.prefix).results}`;
  }
}

function failedKey(hash: string, campaign: number): string {
  return `failed.${campaign}.${hash}`;
}

function triesKey(hash: string, campaign: number): string {
  return `tries.${campaign}.${hash}`;
}
