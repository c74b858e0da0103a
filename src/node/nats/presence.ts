import type { KV } from '@nats-io/kv';
import type { WorkerPresence } from '../../jobs/campaign/index.js';
import type { Nats } from './client.js';
import { openBucket, QUEUE_LIMITS, QueueNames } from './queue.js';

/** Workers of a fleet, by their heartbeats: one that was silent is gone by itself. */
export class Presences {
  private readonly bucket: KV;

  private constructor(bucket: KV) {
    this.bucket = bucket;
  }

  static async open(nats: Nats): Promise<Presences> {
    const { workerBytes, silentMs } = QUEUE_LIMITS;
    const name = new QueueNames(nats.prefix).workers;
    return new Presences(await openBucket(nats, name, { max_bytes: workerBytes, ttl: silentMs }));
  }

  async beat(presence: WorkerPresence): Promise<void> {
    await this.bucket.put(keyOf(presence.name), JSON.stringify(presence));
  }

  async leave(name: string): Promise<void> {
    await this.bucket.purge(keyOf(name));
  }

  async list(): Promise<WorkerPresence[]> {
    const found: WorkerPresence[] = [];
    for await (const key of await this.bucket.keys()) {
      const entry = await this.bucket.get(key);
      if (entry !== null && entry.operation === 'PUT') found.push(entry.json() as WorkerPresence);
    }
    return found.sort((one, other) => (one.name < other.name ? -1 : 1));
  }
}

/** A name as a key, which has no other marks. */
function keyOf(name: string): string {
  return Buffer.from(name).toString('hex');
}
