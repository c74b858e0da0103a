import type { KV } from '@nats-io/kv';
import { KelpieError } from '../../error.js';
import type {
  CampaignEntry,
  CampaignOrder,
  CampaignProgress,
  CampaignState,
} from '../../jobs/campaign/index.js';
import type { Nats } from './client.js';
import { Parcels } from './parcels.js';
import { openBucket, QUEUE_LIMITS, QueueNames } from './queue.js';

/** Campaigns on a server: what each is, its state, how far it is. */
export class CampaignRegister {
  private readonly bucket: KV;
  private readonly parcels: Parcels;

  private constructor(bucket: KV, parcels: Parcels) {
    this.bucket = bucket;
    this.parcels = parcels;
  }

  static async open(nats: Nats): Promise<CampaignRegister> {
    const bucket = await openBucket(nats, new QueueNames(nats.prefix).campaigns, {
      max_bytes: QUEUE_LIMITS.campaignBytes,
    });
    return new CampaignRegister(bucket, new Parcels(nats));
  }

  /** Begins a campaign under the next number that nobody has, above a given one. */
  async create(order: CampaignOrder, beganMs: number, above = 0): Promise<CampaignEntry> {
    for (let id = Math.max(await this.last(), above) + 1; ; id++) {
      const entry: CampaignEntry = { id, order, beganMs };
      const text = await this.parcels.wrap(entry);
      try {
        await this.bucket.create(`campaign.${id}`, text);
      } catch (error) {
        if (isTaken(error)) continue;
        throw error;
      }
      await this.bucket.put('last', String(id));
      await this.setState(id, 'running');
      return entry;
    }
  }

  /** The campaign of this number; the last one unless set. */
  async find(id: number | undefined): Promise<CampaignEntry> {
    const last = await this.last();
    const wanted = id ?? last;
    const entry = await this.get(wanted);
    if (entry !== null) return entry;
    throw new KelpieError('NO_CAMPAIGNS', 'there is no such campaign on this server', {
      ...{
        field: 'id',
        given: id,
        allowed: last === 0 ? 'none yet: run kelpie campaign run' : `1 to ${last}`,
      },
    });
  }

  async get(id: number): Promise<CampaignEntry | null> {
    const found = await this.bucket.get(`campaign.${id}`);
    return found === null ? null : ((await this.parcels.unwrap(found.string())) as CampaignEntry);
  }

  async last(): Promise<number> {
    const text = (await this.bucket.get('last'))?.string() ?? '0';
    return /^\d{1,15}$/.test(text) ? Number(text) : 0;
  }

  async state(id: number): Promise<CampaignState> {
    const text = (await this.bucket.get(`state.${id}`))?.string();
    return text === 'done' || text === 'cancelled' ? text : 'running';
  }

  async setState(id: number, state: CampaignState): Promise<void> {
    await this.bucket.put(`state.${id}`, state);
  }

  async progress(id: number): Promise<CampaignProgress | null> {
    const found = await this.bucket.get(`progress.${id}`);
    return found === null ? null : (found.json() as CampaignProgress);
  }

  async setProgress(progress: CampaignProgress): Promise<void> {
    await this.bucket.put(`progress.${progress.id}`, JSON.stringify(progress));
  }
}

/** Whether a key was there already: JetStream's 'wrong last sequence'. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: number }).code === 10_071;
}
