import type { Random } from '../../../engine/index.js';
import type { MissConstants, PagedTranslationConstants } from '../../../profiles/index.js';
import type { MemoryTable } from '../../../verbs/base/index.js';
import { SetCache } from '../../cache/set-cache.js';
import type { MissUnit } from '../memory/miss-unit.js';
import type { TranslationStore } from '../parts/translation-store.js';
import type { RnicCounters } from '../rnic-counters.js';
import { type TenantShares, tenantQuotas } from '../tenants/tenant-shares.js';

/** What translations by page are made of. */
export interface PagedTranslationsParts {
  constants: PagedTranslationConstants;
  counters: RnicCounters;
  random: Random;
  ablated: ReadonlySet<string>;
  shares: TenantShares;
  memory: Pick<MemoryTable, 'length'>;
  misses(constants: MissConstants): MissUnit;
}

/** Entries of the table in host memory that can be told apart: past them their numbers begin anew. */
const NUMBERS = 2 ** 31 - 1;
const NO_ENTRY = -1;

/**
 * Translations (MTT) that live in host memory, an entry for each page of a region, with a cache of entries on chip (SRNIC,
 * NSDI'23, §4.5). Larger pages have fewer entries, and more memory fits.
 */
export class PagedTranslations implements TranslationStore {
  /** Null where all are on chip. */
  readonly cache: SetCache | null;
  private readonly counters: RnicCounters;
  private readonly memory: Pick<MemoryTable, 'length'>;
  private readonly misses: MissUnit;
  private readonly pageBytes: number;
  /** By region: the number of its first entry in the table. */
  private firstEntry = new Int32Array(64).fill(NO_ENTRY);
  private nextEntry = 0;

  constructor(parts: PagedTranslationsParts) {
    const { constants, random, ablated, shares } = parts;
    const entries = constants.translationCacheEntries;
    this.counters = parts.counters;
    this.memory = parts.memory;
    this.misses = parts.misses(constants);
    this.pageBytes = constants.translationPageBytes;
    this.cache = ablated.has('translation-cache')
      ? null
      : new SetCache({
          ...{ entries, sparse: true, random: random.split('translations') },
          ...tenantQuotas(shares, entries),
        });
  }

  lookUp(
    nowPs: number,
    region: number,
    side: number,
    tenant: number,
    position: number,
    bytes: number,
  ): number {
    const { cache, counters } = this;
    if (cache === null) return nowPs;
    const first = this.entryOf(region, position);
    const last = this.entryOf(region, position + Math.max(bytes, 1) - 1);
    let readyPs = nowPs;
    for (let entry = first; entry <= last; entry++) {
      if (cache.lookup(entry)) {
        counters.mtt_cache_hit++;
        continue;
      }
      counters.mtt_cache_miss++;
      cache.fill(entry, tenant);
      const donePs = this.misses.readTranslation(nowPs, side, tenant);
      if (donePs > readyPs) readyPs = donePs;
    }
    return readyPs;
  }

  warm(region: number, tenant: number, position: number, bytes: number): void {
    const { cache } = this;
    if (cache === null) return;
    const last = this.entryOf(region, position + Math.max(bytes, 1) - 1);
    for (let entry = this.entryOf(region, position); entry <= last; entry++) cache.fill(entry, tenant);
  }

  /** Memory that was registered before there was traffic has been used before: of its pages as many are on chip as fit. */
  registered(region: number, tenant: number, busy: boolean): void {
    this.place(region);
    if (busy) {
      this.counters.registrations++;
      return;
    }
    if (this.cache === null) return;
    const bytes = Math.min(this.memory.length[region], this.cache.entries * this.pageBytes);
    this.warm(region, tenant, 0, bytes);
  }

  /** Its entries are no more looked up: others take their places by and by. */
  deregistered(region: number, _tenant: number, busy: boolean): void {
    if (region < this.firstEntry.length) this.firstEntry[region] = NO_ENTRY;
    if (busy) this.counters.deregistrations++;
  }

  private entryOf(region: number, position: number): number {
    // Windows and fast registrations are not announced.
    if (region >= this.firstEntry.length || this.firstEntry[region] === NO_ENTRY) this.place(region);
    return this.firstEntry[region] + Math.floor(position / this.pageBytes);
  }

  /** Gives a region its entries in the table. */
  private place(region: number): void {
    if (region >= this.firstEntry.length) {
      const longer = new Int32Array(2 * region + 1).fill(NO_ENTRY);
      longer.set(this.firstEntry);
      this.firstEntry = longer;
    }
    const pages = Math.ceil(this.memory.length[region] / this.pageBytes);
    if (this.nextEntry + pages > NUMBERS) this.nextEntry = 0;
    this.firstEntry[region] = this.nextEntry;
    this.nextEntry += pages;
  }
}
