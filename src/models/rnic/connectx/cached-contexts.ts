import type { Random } from '../../../engine/index.js';
import type { CachedContextConstants, MissConstants } from '../../../profiles/index.js';
import { SetCache } from '../../cache/set-cache.js';
import type { MissUnit } from '../memory/miss-unit.js';
import type { ContextStore } from '../parts/context-store.js';
import type { RnicCounters } from '../rnic-counters.js';
import { type TenantShares, tenantQuotas } from '../tenants/tenant-shares.js';

/** What cached contexts are made of. */
export interface CachedContextsParts {
  constants: CachedContextConstants;
  counters: RnicCounters;
  random: Random;
  ablated: ReadonlySet<string>;
  shares: TenantShares;
  misses(constants: MissConstants): MissUnit;
}

/** Contexts that live in host memory, with a cache of them on chip. */
export class CachedContexts implements ContextStore {
  /** Null where all are on chip. */
  private readonly cache: SetCache | null;
  private readonly counters: RnicCounters;
  protected readonly misses: MissUnit;

  constructor(parts: CachedContextsParts) {
    const { constants, random, ablated, shares } = parts;
    const entries = constants.contextCacheEntries;
    this.counters = parts.counters;
    this.misses = parts.misses(constants);
    this.cache = ablated.has('context-cache')
      ? null
      : new SetCache({ entries, random: random.split('contexts'), ...tenantQuotas(shares, entries) });
  }

  lookUp(nowPs: number, key: number, side: number, tenant: number): number {
    const { cache } = this;
    if (cache === null) return nowPs;
    if (cache.lookup(key)) {
      this.counters.icm_cache_hit++;
      return nowPs;
    }
    this.counters.icm_cache_miss++;
    return this.readMissed(nowPs, cache.fill(key, tenant), side, tenant);
  }

  /** When a context that is not on chip is there; `replaced`: another gave way to it. */
  protected readMissed(nowPs: number, _replaced: boolean, side: number, tenant: number): number {
    return this.misses.readContext(nowPs, side, tenant);
  }

  warm(key: number, tenant: number): void {
    this.cache?.fill(key, tenant);
  }
}
