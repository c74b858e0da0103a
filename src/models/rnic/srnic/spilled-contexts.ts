import type { Random } from '../../../engine/index.js';
import type { MissConstants, SpilledContextConstants } from '../../../profiles/index.js';
import { SetCache } from '../../cache/set-cache.js';
import type { MissUnit } from '../memory/miss-unit.js';
import type { ContextStore } from '../parts/context-store.js';
import type { RnicCounters } from '../rnic-counters.js';
import { type TenantShares, tenantQuotas } from '../tenants/tenant-shares.js';

/** What spilled contexts are made of. */
export interface SpilledContextsParts {
  constants: SpilledContextConstants;
  counters: RnicCounters;
  random: Random;
  ablated: ReadonlySet<string>;
  shares: TenantShares;
  misses(constants: MissConstants): MissUnit;
}

/**
 * Contexts that are on chip as far as they fit; the others are in host memory and change places with them. Each packet
 * changes a context, so that one which gives way is written to the host.
 */
export class SpilledContexts implements ContextStore {
  /** Null where all are on chip. */
  private readonly cache: SetCache | null;
  private readonly counters: RnicCounters;
  private readonly misses: MissUnit;
  private readonly bytes: number;

  constructor(parts: SpilledContextsParts) {
    const { constants, random, ablated, shares } = parts;
    const entries = constants.contextCacheEntries;
    this.counters = parts.counters;
    this.misses = parts.misses(constants);
    this.bytes = constants.residentContextBytes;
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
    if (cache.fill(key, tenant)) this.misses.writeContext(nowPs, this.bytes);
    return this.misses.readContext(nowPs, side, tenant, this.bytes);
  }

  warm(key: number, tenant: number): void {
    this.cache?.fill(key, tenant);
  }
}
