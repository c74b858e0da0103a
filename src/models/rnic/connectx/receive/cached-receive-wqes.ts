import type { Random } from '../../../../engine/index.js';
import type { CachedReceiveConstants } from '../../../../profiles/index.js';
import { EntryCache } from '../../../cache/entry-cache.js';
import type { PciePort } from '../../../pcie/pcie-port.js';
import type { ReceiveRingOptions, ReceiveWqeSource } from '../../parts/receive-wqe-source.js';
import { ringStrideBytes } from '../../receive/ring-stride.js';
import type { WqeReads } from '../../receive/wqe-reads.js';
import type { RnicCounters } from '../../rnic-counters.js';
import type { TenantShares } from '../../tenants/tenant-shares.js';
import { CachedReceiveRing, type ReceiveRingParts } from './cached-receive-ring.js';

/** What cached receive WQEs are made of. */
export interface CachedReceiveWqesParts {
  constants: CachedReceiveConstants;
  counters: RnicCounters;
  random: Random;
  ablated: ReadonlySet<string>;
  shares: TenantShares;
  pcie: PciePort;
  wqeReads: WqeReads;
}

/** Receive WQEs that are read ahead into a cache, or into a window per queue, and again where they were pushed out. */
export class CachedReceiveWqes implements ReceiveWqeSource {
  private readonly rings: ReceiveRingParts;
  private nextEntry = 0;

  constructor(parts: CachedReceiveWqesParts) {
    const { constants, counters, pcie, wqeReads, ablated, random, shares } = parts;
    const { receiveWqeCacheBytes } = constants;
    const quota = shares.kept ? (tenant: number) => shares.partOf(tenant, receiveWqeCacheBytes) : null;
    this.rings = {
      constants,
      counters,
      pcie,
      wqeReads,
      cache: ablated.has('receive-wqe-cache')
        ? null
        : new EntryCache(receiveWqeCacheBytes, random.split('receive WQEs'), quota),
      random: ablated.has('receive-wqe-window') ? null : random.split('receive windows'),
    };
  }

  newRing(options: ReceiveRingOptions): CachedReceiveRing {
    const { depth, queuePath, tenant } = options;
    const strideBytes = ringStrideBytes(this.rings.constants, options);
    const firstEntry = this.nextEntry;
    this.nextEntry += Math.max(1, depth);
    return new CachedReceiveRing(this.rings, depth, strideBytes, firstEntry, queuePath, tenant);
  }
}
