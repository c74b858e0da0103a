import type { UnitSendConstants } from '../../../../profiles/index.js';
import type { RegionAccess } from '../../memory/region-access.js';
import type { PacketProcessors } from '../../packets/packet-processors.js';
import type { ContextStore } from '../../parts/context-store.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import type { SendQueues } from '../../rnic-client.js';
import type { RnicCounters } from '../../rnic-counters.js';
import type { TenantShares } from '../../tenants/tenant-shares.js';
import type { BurstGrant } from './burst-grant.js';
import type { PacketEmitterParts } from './packet-emitter.js';
import type { SendWqeCache } from './send-wqe-cache.js';
import type { SendWqeFetch } from './send-wqe-fetch.js';

/** What is left of a queue pair's answers when its READ data had a turn. */
export interface Answers {
  answer(pair: NicQueuePair): void;
}

/** What a scheduler is made of, besides what its packets are. */
export interface SendSchedulerParts extends PacketEmitterParts {
  constants: UnitSendConstants;
  name: string;
  ablated: ReadonlySet<string>;
  counters: RnicCounters;
  shares: TenantShares;
  contexts: ContextStore;
  regions: Pick<RegionAccess, 'translateList'>;
  /** Null where transmitted and received packets share none. */
  processors: PacketProcessors | null;
  queues: Pick<SendQueues, 'firstUntaken' | 'executeLocal'>;
  acks: Answers;
  cache: Pick<SendWqeCache, 'isOnChip' | 'hasPayload'>;
  fetch: Pick<SendWqeFetch, 'wantsFetch' | 'fetchOnDemand' | 'reread' | 'refetch' | 'repeated' | 'issued'>;
  burst: BurstGrant;
}
