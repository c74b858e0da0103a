import type { Random } from '../../../engine/index.js';
import type { CachedTranslationConstants, MissConstants } from '../../../profiles/index.js';
import { SetCache } from '../../cache/set-cache.js';
import type { MissUnit } from '../memory/miss-unit.js';
import type { TranslationStore } from '../parts/translation-store.js';
import type { RnicCounters } from '../rnic-counters.js';
import { type TenantShares, tenantQuotas } from '../tenants/tenant-shares.js';

/** What cached translations are made of. */
export interface CachedTranslationsParts {
  constants: CachedTranslationConstants;
  counters: RnicCounters;
  random: Random;
  ablated: ReadonlySet<string>;
  shares: TenantShares;
  misses(constants: MissConstants): MissUnit;
}

/**
 * Translations (MTT) that live in host memory, with a cache of them on chip. Work requests name a region, not a page: one
 * entry serves the lookups of a region, the entries of its other pages only take room from others.
 */
export class CachedTranslations implements TranslationStore {
  /** Null where all are on chip. */
  readonly cache: SetCache | null;
  private readonly counters: RnicCounters;
  private readonly misses: MissUnit;
  private readonly registrationEntries: number;

  constructor(parts: CachedTranslationsParts) {
    const { constants, random, ablated, shares } = parts;
    const entries = constants.translationCacheEntries;
    this.counters = parts.counters;
    this.misses = parts.misses(constants);
    this.registrationEntries = constants.registrationEntries;
    this.cache = ablated.has('translation-cache')
      ? null
      : new SetCache({ entries, random: random.split('translations'), ...tenantQuotas(shares, entries) });
  }

  lookUp(nowPs: number, region: number, side: number, tenant: number): number {
    const { cache } = this;
    if (cache === null) return nowPs;
    if (cache.lookup(region)) {
      this.counters.mtt_cache_hit++;
      return nowPs;
    }
    this.counters.mtt_cache_miss++;
    cache.fill(region, tenant);
    return this.misses.readTranslation(nowPs, side, tenant);
  }

  warm(region: number, tenant: number): void {
    this.cache?.fill(region, tenant);
  }

  /** Registering memory brings the translations of its pages in and pushes others out. */
  registered(region: number, tenant: number, busy: boolean): void {
    const { cache, registrationEntries } = this;
    if (cache === null || registrationEntries === 0) return;
    cache.fill(region, tenant);
    if (!busy) return;
    this.counters.registrations++;
    cache.fillStrangers(registrationEntries - 1, tenant);
  }

  /** Deregistering empties the cache: that of the tenant. */
  deregistered(region: number, tenant: number, busy: boolean): void {
    if (!busy) {
      this.cache?.evict(region);
      return;
    }
    this.counters.deregistrations++;
    this.cache?.clear(tenant);
  }
}
