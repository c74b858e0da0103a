import type { Random } from '../../engine/index.js';
import type { DeviceConstants } from '../../profiles/index.js';
import { SetCache } from '../cache/set-cache.js';
import type { DmaPath } from '../pcie/dma-path.js';
import type { PciePort } from '../pcie/pcie-port.js';
import { SlotServer } from '../resource/slot-server.js';
import type { RnicCounters } from './rnic-counters.js';
import { bookShare, type TenantShares } from './tenants/tenant-shares.js';

/** Which side of the device asks: each has its own unit for outstanding misses. */
export const Side = { REQUESTER: 0, RESPONDER: 1 } as const;

/**
 * The caches of state that lives in host memory (ICM): QP and CQ contexts, and memory translations. A lookup returns
 * when the entry is on chip: now, or after a miss that took one of a few slots and a read over PCIe.
 */
export class Contexts {
  readonly contexts: SetCache | null;
  readonly translations: SetCache | null;
  private readonly constants: DeviceConstants;
  private readonly counters: RnicCounters;
  private readonly pcie: PciePort;
  private readonly path: DmaPath;
  private readonly slots: readonly [SlotServer, SlotServer];
  private readonly missPs: number;
  /** Null where tenants are not told apart. */
  private readonly shares: TenantShares | null;

  constructor(
    constants: DeviceConstants,
    counters: RnicCounters,
    pcie: PciePort,
    path: DmaPath,
    random: Random,
    ablated: ReadonlySet<string>,
    shares: TenantShares | null = null,
  ) {
    this.shares = shares?.kept === true ? shares : null;
    this.constants = constants;
    this.counters = counters;
    this.pcie = pcie;
    this.path = path;
    this.missPs = Math.round(constants.contextMissNs * 1000);
    this.slots = [
      new SlotServer(constants.contextMissSlots),
      new SlotServer(constants.contextMissSlotsReceive),
    ];
    this.contexts = ablated.has('context-cache')
      ? null
      : new SetCache({
          entries: constants.contextCacheEntries,
          random: random.split('contexts'),
          ...this.quotas(constants.contextCacheEntries),
        });
    this.translations = ablated.has('translation-cache')
      ? null
      : new SetCache({
          entries: constants.translationCacheEntries,
          random: random.split('translations'),
          ...this.quotas(constants.translationCacheEntries),
        });
  }

  /** When the context with this key is on chip. */
  context(nowPs: number, key: number, side: number, tenant = 0): number {
    if (this.contexts === null) return nowPs;
    if (this.contexts.lookup(key)) {
      this.counters.icm_cache_hit++;
      return nowPs;
    }
    this.counters.icm_cache_miss++;
    this.contexts.fill(key, tenant);
    return this.miss(nowPs, side, tenant);
  }

  /** When the translation of a memory region is on chip. */
  translation(nowPs: number, region: number, side: number, tenant = 0): number {
    if (this.translations === null) return nowPs;
    if (this.translations.lookup(region)) {
      this.counters.mtt_cache_hit++;
      return nowPs;
    }
    this.counters.mtt_cache_miss++;
    this.translations.fill(region, tenant);
    return this.miss(nowPs, side, tenant);
  }

  /** A program touched the key before the measurement began. */
  warm(contextKey: number, tenant = 0): void {
    this.contexts?.fill(contextKey, tenant);
  }

  private quotas(entries: number): { quota?: (tenant: number) => number } {
    const { shares } = this;
    return shares === null ? {} : { quota: (tenant) => shares.partOf(tenant, entries) };
  }

  private miss(nowPs: number, side: number, tenant: number): number {
    const done = bookShare(this.slots[side], this.shares, tenant, nowPs, this.missPs);
    // The read occupies the link; its latency is part of the slot's time.
    this.pcie.read(nowPs, this.constants.contextBytes, this.path);
    return done;
  }
}
