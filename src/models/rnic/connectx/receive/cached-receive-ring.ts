import type { Random } from '../../../../engine/index.js';
import type { CachedReceiveConstants } from '../../../../profiles/index.js';
import type { EntryCache } from '../../../cache/entry-cache.js';
import type { DmaPath } from '../../../pcie/dma-path.js';
import type { PciePort } from '../../../pcie/pcie-port.js';
import { ReceiveFetch, ReceiveRing } from '../../receive/receive-ring.js';
import type { WqeReads } from '../../receive/wqe-reads.js';
import type { RnicCounters } from '../../rnic-counters.js';
import { ReceiveWindow } from './receive-window.js';

/** Where software writes how far a receive queue goes (mlx5: two counters of 32 bits). */
const DOORBELL_RECORD_BYTES = 8;

/** What all receive rings of a device share. */
export interface ReceiveRingParts {
  constants: CachedReceiveConstants;
  counters: RnicCounters;
  pcie: PciePort;
  wqeReads: WqeReads;
  /** The cache of posted receives; null where every one is on chip. */
  cache: EntryCache | null;
  /** Draws the chunk that gives way in a window; null where what a long post leaves over is always on chip. */
  random: Random | null;
}

/**
 * A receive queue of which some entries are on chip.
 *
 * A device that is told of new receives reads them at once, up to a limit per post and no further ahead of the next one
 * than another limit, into a cache that all queues share.
 * What a longer post leaves over is kept in a window that each queue has for itself: a few chunks, each as long as one
 * PCIe read. When the ring holds more of such entries than the window, chunks are pushed out before they are used. So the
 * share of receives that are read twice grows with the length of the posts and with the depth of the ring.
 *
 * At a miss in the cache the device reads on as it follows the queue: with each few misses one entry more. A post takes
 * the reader away from where it is, so that short posts keep it short.
 */
export class CachedReceiveRing extends ReceiveRing {
  private readonly parts: ReceiveRingParts;
  private readonly strideBytes: number;
  private readonly depth: number;
  private readonly firstEntry: number;
  /** Entries of one post that go to the cache. */
  private readonly prefetchWqes: number;
  /** Entries from the next one on that are read into the cache. */
  private readonly aheadWqes: number;
  private readonly chunkBytes: number;
  private readonly places: number;
  /** Made, like `chunks`, at the first post that is longer than the limit, which few queues ever see. */
  private window: ReceiveWindow | null = null;
  /** For each ring position one more than the chunk that its entry was left over to, 0 where it went to the cache. */
  private chunks: Int32Array | null = null;
  /** Bytes that posts left over so far; they are gathered into chunks in their order, of whichever post they are. */
  private leftBytes = 0;
  /** Misses since the last post. */
  private followed = 0;
  private readonly missesPerEntry: number;
  private readonly mostAhead: number;
  private readonly cache: EntryCache | null;
  private readonly random: Random | null;

  /** `firstEntry`: the key in the shared cache of its first entry. */
  constructor(
    parts: ReceiveRingParts,
    depth: number,
    strideBytes: number,
    firstEntry: number,
    queuePath: DmaPath,
    tenant = 0,
  ) {
    super(queuePath, tenant);
    this.parts = parts;
    const { constants, cache, random } = parts;
    this.depth = Math.max(1, depth);
    this.strideBytes = strideBytes;
    this.firstEntry = firstEntry;
    this.cache = cache;
    this.random = random;
    this.prefetchWqes =
      constants.receivePrefetchWqes === 0 ? Number.MAX_SAFE_INTEGER : constants.receivePrefetchWqes;
    this.aheadWqes = constants.receiveAheadWqes === 0 ? Number.MAX_SAFE_INTEGER : constants.receiveAheadWqes;
    this.missesPerEntry =
      constants.receiveReadAheadMisses === 0 ? Number.MAX_SAFE_INTEGER : constants.receiveReadAheadMisses;
    this.mostAhead = Math.floor(constants.pcieMaxPayloadBytes / strideBytes) - 1;
    this.chunkBytes = constants.pcieMaxReadRequestBytes;
    this.places = Math.max(1, Math.floor(constants.receiveWindowBytes / this.chunkBytes));
  }

  /** The device reads what was posted. */
  override post(count: number): void {
    const { depth } = this;
    if (count > this.prefetchWqes && this.chunks === null) {
      this.chunks = new Int32Array(depth);
      if (this.random !== null) this.window = new ReceiveWindow(this.places, this.random);
    }
    const end = this.posted + count;
    const limit = Math.min(end, this.posted + this.prefetchWqes);
    const near = this.taken + this.aheadWqes;
    for (let entry = this.posted; entry < limit; entry++) {
      if (this.chunks !== null) this.chunks[entry % depth] = 0;
      if (entry < near) this.cache?.insert(this.keyOf(entry), this.strideBytes, this.tenant);
    }
    for (let entry = limit; entry < end; entry++) {
      const chunk = Math.floor(this.leftBytes / this.chunkBytes);
      this.leftBytes += this.strideBytes;
      this.chunks![entry % depth] = chunk + 1;
      this.window?.put(chunk);
    }
    this.posted = end;
    this.followed = 0;
  }

  override take(): number {
    const entry = this.taken++;
    const chunk = this.chunks === null ? 0 : this.chunks[entry % this.depth];
    if (chunk > 0) {
      // The doorbell record and the whole chunk must be read, and the device does nothing else meanwhile.
      const hit = this.window === null || this.window.serve(chunk - 1);
      return hit ? ReceiveFetch.HIT : ReceiveFetch.STALL;
    }
    if (this.cache === null) return ReceiveFetch.HIT;
    // One of those behind comes near enough to be read.
    const near = entry + this.aheadWqes;
    if (near < this.posted) this.cache.insert(this.keyOf(near), this.strideBytes, this.tenant);
    const key = this.keyOf(entry);
    const hit = this.cache.has(key);
    this.cache.free(key);
    if (hit) return ReceiveFetch.HIT;
    this.readAhead(entry);
    return ReceiveFetch.MISS;
  }

  override read(found: number, nowPs: number, tenant: number): number {
    const { constants, counters, pcie, wqeReads } = this.parts;
    if (found === ReceiveFetch.MISS) return wqeReads.read(nowPs, this.strideBytes, this.queuePath, tenant);
    counters.receive_wqe_window_miss++;
    // The doorbell record says how far the ring goes, then come the WQEs: two reads, one after the other.
    const recordPs = pcie.read(nowPs, DOORBELL_RECORD_BYTES, this.queuePath) - nowPs;
    const chunkPs = pcie.read(nowPs, constants.pcieMaxReadRequestBytes, this.queuePath);
    return recordPs + chunkPs + Math.round(constants.receiveWindowMissNs * 1000);
  }

  /** The read of a missed entry brings some behind it, at most one completion of PCIe. */
  private readAhead(entry: number): void {
    const ahead = Math.min(Math.floor(++this.followed / this.missesPerEntry), this.mostAhead);
    const end = Math.min(entry + ahead, this.posted - 1);
    for (let next = entry + 1; next <= end; next++)
      this.cache!.insert(this.keyOf(next), this.strideBytes, this.tenant);
  }

  private keyOf(entry: number): number {
    return this.firstEntry + (entry % this.depth);
  }
}
