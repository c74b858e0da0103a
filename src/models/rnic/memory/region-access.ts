import { type MemoryTable, NO_SLOT, type WqePool } from '../../../verbs/base/index.js';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import { Kind, kindOf } from '../packets/packet-kinds.js';
import { Side } from '../parts/context-store.js';
import type { TranslationStore } from '../parts/translation-store.js';
import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import type { PlacementPaths } from '../rnic-client.js';

/** What an atomic operation works on. */
const ATOMIC_BYTES = 8;

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
    return this.translatePart(pair, wqe, 0, Number.POSITIVE_INFINITY, nowPs, side);
  }

  /** The same of the elements, or parts of them, that make up some bytes of its message. */
  translatePart(
    pair: NicQueuePair,
    wqe: number,
    offset: number,
    bytes: number,
    nowPs: number,
    side: number,
  ): number {
    const { wqes, memory, translations } = this;
    const { addr, length, lkey } = wqes.sges;
    const first = wqes.sgeStart[wqe];
    const end = first + wqes.sgeCount[wqe];
    let ready = nowPs;
    /** Where the element begins in the message. */
    let start = 0;
    for (let index = first; index < end; index++) {
      const from = Math.max(0, offset - start);
      const to = Math.min(length[index], offset + bytes - start);
      start += length[index];
      if (from > 0 && from >= to) continue;
      const region = memory.slotOf(lkey[index]);
      if (region < 0) continue;
      pair.path = this.pathOf(region);
      const { iommu } = pair.path;
      const position = addr[index] - memory.addr[region] + from;
      let done = translations.lookUp(nowPs, region, side, pair.tenant, position, to - from);
      if (iommu !== null) done = iommu.translate(done, addr[index] + from, to - from);
      if (done > ready) ready = done;
    }
    return ready;
  }

  /** When the translations that an arrived request needs are on chip, and its first page is known. */
  translateRemote(pair: NicQueuePair, packets: FabricPackets, packet: number, nowPs: number): number {
    const { memory } = this;
    const region = memory.slotOf(packets.rkey[packet]);
    if (region < 0) return nowPs;
    pair.inboundPath = this.pathOf(region);
    const { iommu } = pair.inboundPath;
    const high = packets.remoteHigh[packet];
    const low = packets.remoteLow[packet];
    const dmaBytes = packets.dmaBytes[packet];
    const isAtomic = (kindOf[packets.opcode[packet]] & Kind.ATOMIC) !== 0;
    const room = memory.length[region];
    // What lies outside the region is refused later.
    const position = Math.max(0, Math.min(memory.positionOf(region, high, low), room - 1));
    const bytes = Math.min(isAtomic ? ATOMIC_BYTES : dmaBytes, room - position);
    const ready = this.translations.lookUp(nowPs, region, Side.RESPONDER, pair.tenant, position, bytes);
    return iommu === null ? ready : iommu.translate(ready, high * 2 ** 32 + low, dmaBytes);
  }

  /** The translations of a request are on chip without a lookup. */
  warmList(wqe: number, tenant: number): void {
    const { wqes, memory } = this;
    if (wqe === NO_SLOT) return;
    const { addr, length, lkey } = wqes.sges;
    for (let index = wqes.sgeStart[wqe]; index < wqes.sgeStart[wqe] + wqes.sgeCount[wqe]; index++) {
      const region = memory.slotOf(lkey[index]);
      if (region >= 0)
        this.translations.warm(region, tenant, addr[index] - memory.addr[region], length[index]);
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
