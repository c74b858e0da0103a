import { type MemoryTable, NO_SLOT, type WqePool } from '../../verbs/base/index.js';
import type { DmaPath } from '../pcie/dma-path.js';
import type { NicQueuePair } from './nic-queue-pair.js';
import { Side } from './parts/context-store.js';
import type { TranslationStore } from './parts/translation-store.js';
import type { PlacementPaths } from './rnic-client.js';

/** What access to memory regions is made of. */
export interface RegionAccessParts {
  wqes: WqePool;
  memory: MemoryTable;
  translations: TranslationStore;
  /** Where memory and queues lie unless set otherwise. */
  defaultPath: DmaPath;
  placements: PlacementPaths;
}

/** The memory regions that requests name: their translations, and the way to them. */
export class RegionAccess {
  private readonly wqes: WqePool;
  private readonly memory: MemoryTable;
  private readonly translations: TranslationStore;
  private readonly defaultPath: DmaPath;
  private readonly placements: PlacementPaths;

  constructor(parts: RegionAccessParts) {
    this.wqes = parts.wqes;
    this.memory = parts.memory;
    this.translations = parts.translations;
    this.defaultPath = parts.defaultPath;
    this.placements = parts.placements;
  }

  /** When the translations of all elements of a queue pair's request are on chip, for one of the sides. */
  translateList(pair: NicQueuePair, wqe: number, nowPs: number, side: number): number {
    const { wqes, memory, translations } = this;
    const first = wqes.sgeStart[wqe];
    const end = first + wqes.sgeCount[wqe];
    let ready = nowPs;
    for (let index = first; index < end; index++) {
      const region = memory.slotOf(wqes.sges.lkey[index]);
      if (region < 0) continue;
      pair.path = this.pathOf(region);
      const { iommu } = pair.path;
      let done = translations.lookUp(nowPs, region, side, pair.tenant);
      if (iommu !== null) done = iommu.translate(done, wqes.sges.addr[index], wqes.sges.length[index]);
      if (done > ready) ready = done;
    }
    return ready;
  }

  /** When the translation that the remote key of an arrived request needs is on chip, and its first page is known. */
  translateRemote(pair: NicQueuePair, rkey: number, nowPs: number, address: number, bytes: number): number {
    const region = this.memory.slotOf(rkey);
    if (region < 0) return nowPs;
    pair.inboundPath = this.pathOf(region);
    const { iommu } = pair.inboundPath;
    const readyPs = this.translations.lookUp(nowPs, region, Side.RESPONDER, pair.tenant);
    return iommu === null ? readyPs : iommu.translate(readyPs, address, bytes);
  }

  /** The translations of a request are on chip without a lookup. */
  warmList(wqe: number, tenant: number): void {
    const { wqes, memory } = this;
    if (wqe === NO_SLOT) return;
    for (let index = wqes.sgeStart[wqe]; index < wqes.sgeStart[wqe] + wqes.sgeCount[wqe]; index++) {
      const region = memory.slotOf(wqes.sges.lkey[index]);
      if (region >= 0) this.translations.warm(region, tenant);
    }
  }

  /** The way to a memory region. */
  pathOf(region: number): DmaPath {
    return this.pathTo(this.memory.placement[region]);
  }

  /** The way to a placement, by its number; the default where that is negative. */
  pathTo(placement: number): DmaPath {
    return placement < 0 ? this.defaultPath : this.placements.pathTo(placement);
  }
}
