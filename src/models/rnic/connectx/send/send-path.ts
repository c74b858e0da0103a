import type { UnitSendConstants } from '../../../../profiles/index.js';
import type { SendPathParts } from '../../parts/nic-parts.js';
import type { SendPath } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import { BurstGrant } from './burst-grant.js';
import { Doorbells } from './doorbells.js';
import { SendScheduler } from './send-scheduler.js';
import { SendWqeCache } from './send-wqe-cache.js';
import { SendWqeFetch } from './send-wqe-fetch.js';

/** The send side of a ConnectX: WQEs are read ahead into a cache, and units serve the queue pairs in turns. */
export class ConnectxSendPath implements SendPath {
  readonly doorbells: Doorbells;
  readonly scheduler: SendScheduler;
  readonly requests: SendWqeCache;
  readonly fetch: SendWqeFetch;
  private readonly burst: BurstGrant;

  constructor(parts: SendPathParts & { readonly constants: UnitSendConstants }) {
    const { constants, ablated, wqes, random } = parts;
    this.burst = new BurstGrant(ablated.has('burst-grant') ? 0 : constants.burstDivisor);
    this.requests = new SendWqeCache(constants, ablated, wqes, random);
    this.fetch = new SendWqeFetch({ ...parts, cache: this.requests, burst: this.burst });
    this.scheduler = new SendScheduler({
      ...parts,
      cache: this.requests,
      fetch: this.fetch,
      burst: this.burst,
    });
    this.fetch.join(this.scheduler);
    this.doorbells = new Doorbells({ ...parts, listener: this.fetch });
  }

  add(pair: NicQueuePair): void {
    this.burst.add();
    this.fetch.add();
    this.scheduler.add(pair);
  }

  forget(pair: NicQueuePair): void {
    this.requests.forget(pair);
    this.fetch.forget(pair);
  }
}
