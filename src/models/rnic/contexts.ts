import type { Random } from '../../engine/index.js';
import type { DeviceConstants } from '../../profiles/index.js';
import { SetCache } from '../cache/set-cache.js';
import type { DmaPath } from '../pcie/dma-path.js';
import type { PciePort } from '../pcie/pcie-port.js';
import { SlotServer } from '../resource/slot-server.js';
import type { RnicCounters } from './rnic-counters.js';

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

  constructor(
    constants: DeviceConstants,
    counters: RnicCounters,
    pcie: PciePort,
    path: DmaPath,
    random: Random,
    ablated: ReadonlySet<string>,
  ) {
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
      : new SetCache({ entries: constants.contextCacheEntries, random: random.split('contexts') });
    this.translations = ablated.has('translation-cache')
      ? null
      : new SetCache({ entries: constants.translationCacheEntries, random: random.split('translations') });
  }

  /** When the context with this key is on chip. */
  context(nowPs: number, key: number, side: number): number {
    if (this.contexts === null) return nowPs;
    if (this.contexts.lookup(key)) {
      this.counters.icm_cache_hit++;
      return nowPs;
    }
    this.counters.icm_cache_miss++;
    this.contexts.fill(key);
    return this.miss(nowPs, side);
  }

  /** When the translation of a memory region is on chip. */
  translation(nowPs: number, region: number, side: number): number {
    if (this.translations === null) return nowPs;
    if (this.translations.lookup(region)) {
      this.counters.mtt_cache_hit++;
      return nowPs;
    }
    this.counters.mtt_cache_miss++;
    this.translations.fill(region);
    return this.miss(nowPs, side);
  }

  /** A program touched the key before the measurement began. */
  warm(contextKey: number): void {
    this.contexts?.fill(contextKey);
  }

  private miss(nowPs: number, side: number): number {
    const done = this.slots[side].book(nowPs, this.missPs);
    // The read occupies the link; its latency is part of the slot's time.
    this.pcie.read(nowPs, this.constants.contextBytes, this.path);
    return done;
  }
}
