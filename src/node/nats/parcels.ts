import { createHash } from 'node:crypto';
import type { ObjectStore } from '@nats-io/obj';
import type { Nats } from './client.js';
import { ensure, QUEUE_LIMITS, QueueNames } from './queue.js';

/** Values longer than this go to the object store: a message has a megabyte at most, unless a server is set otherwise. */
const INLINE_BYTES = 128 * 1024;

type Parcel = { readonly value: unknown } | { readonly object: string };

/** Values in messages: small ones as they are, large ones by the name of an object. */
export class Parcels {
  private readonly nats: Nats;
  private store: Promise<ObjectStore> | null = null;

  constructor(nats: Nats) {
    this.nats = nats;
  }

  /** A value as the text of a message. */
  async wrap(value: unknown): Promise<string> {
    const text = JSON.stringify({ value } satisfies Parcel);
    if (text.length <= INLINE_BYTES) return text;
    // By its content: the same value twice is one object.
    const object = createHash('sha256').update(text).digest('hex');
    const store = await this.open();
    if ((await store.info(object)) === null)
      await store.putBlob({ name: object }, new TextEncoder().encode(text));
    return JSON.stringify({ object } satisfies Parcel);
  }

  /** The value of a message; throws where it is none of ours or its object is gone. */
  async unwrap(text: string): Promise<unknown> {
    const parcel = JSON.parse(text) as Parcel;
    if ('value' in parcel) return parcel.value;
    const blob = await (await this.open()).getBlob(parcel.object);
    if (blob === null) throw new Error(`the object ${parcel.object} is gone`);
    return (JSON.parse(new TextDecoder().decode(blob)) as { value: unknown }).value;
  }

  private open(): Promise<ObjectStore> {
    this.store ??= this.make().catch((error: unknown) => {
      this.store = null;
      throw error;
    });
    return this.store;
  }

  private async make(): Promise<ObjectStore> {
    const { objects, prefix } = this.nats;
    const name = new QueueNames(prefix).objects;
    const { objectBytes, keptMs } = QUEUE_LIMITS;
    // An object store counts its time in nanoseconds.
    await ensure(() => objects.create(name, { storage: 'file', max_bytes: objectBytes, ttl: keptMs * 1e6 }));
    return objects.open(name);
  }
}
