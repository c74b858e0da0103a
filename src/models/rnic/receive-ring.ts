import type { DeviceConstants } from '../../profiles/index.js';
import type { EntryCache } from '../cache/entry-cache.js';
import type { DmaPath } from '../pcie/dma-path.js';

/** Where the device finds the receive WQE that a message needs. */
export const ReceiveFetch = {
  /** On chip. */
  HIT: 0,
  /** Pushed out of the cache before it was used: one WQE must be read. */
  MISS: 1,
  /** Its chunk of the window was overwritten by a later post: the chunk must be read again. */
  WINDOW_MISS: 2,
} as const;

/**
 * The device's view of a receive queue: which of its entries are on chip.
 *
 * A device that is told of new receives reads them at once. Short posts go through a cache that all queues share. A
 * long post would sweep that cache, so it is streamed into a window of the queue's own, a few chunks that are mapped by
 * ring position; when the ring is longer than the window, a post overwrites entries that will be needed sooner than
 * itself.
 */
export class ReceiveRing {
  /** Receives posted and taken so far. */
  posted = 0;
  taken = 0;
  /** Receives that the transport has used; `taken` runs ahead of it by those whose packets are on their way. */
  used = 0;
  readonly strideBytes: number;
  /** The way to the buffers posted last. */
  path: DmaPath;
  private readonly depth: number;
  private readonly firstEntry: number;
  private readonly bulkWqes: number;
  private readonly chunkBytes: number;
  /** Chunks that the window holds; 0 where there is no window. */
  private readonly places: number;
  /** The chunk at each place of the window; made, like `bulk`, at the first long post, which few queues ever see. */
  private chunks: Float64Array | null = null;
  /** Whether the entry at a ring position came by a long post. */
  private bulk: Uint8Array | null = null;
  /** Whether the entry came by a post that is read ahead at a miss; made at the first such post. */
  private ahead: Uint8Array | null = null;
  private readonly aheadWqes: number;
  private readonly aheadEntries: number;
  private readonly cache: EntryCache | null;
  /** Whose it is, on a device that accounts by tenant. */
  readonly tenant: number;

  constructor(
    constants: DeviceConstants,
    cache: EntryCache | null,
    depth: number,
    strideBytes: number,
    firstEntry: number,
    windowed: boolean,
    path: DmaPath,
    tenant = 0,
  ) {
    this.path = path;
    this.tenant = tenant;
    this.depth = Math.max(1, depth);
    this.strideBytes = strideBytes;
    this.firstEntry = firstEntry;
    this.cache = cache;
    this.bulkWqes = constants.receiveBulkWqes;
    this.aheadWqes = constants.receiveReadAheadWqes;
    this.aheadEntries = Math.floor(constants.pcieMaxPayloadBytes / strideBytes);
    this.chunkBytes = Math.max(1, constants.receiveBulkChunkBytes);
    const hasWindow = windowed && constants.receiveBulkWqes > 0;
    const places = Math.max(1, Math.floor(constants.receiveBulkWindowBytes / this.chunkBytes));
    this.places = hasWindow ? places : 0;
  }

  /** Receives that no message has taken. */
  get available(): number {
    return this.posted - this.taken;
  }

  /** The program posted `count` receives in one call, and the device read them. */
  post(count: number): void {
    const bulk = this.bulkWqes > 0 && count >= this.bulkWqes;
    if (bulk && this.bulk === null) {
      this.bulk = new Uint8Array(this.depth);
      if (this.places > 0) this.chunks = new Float64Array(this.places).fill(-1);
    }
    const ahead = this.aheadWqes > 0 && count >= this.aheadWqes;
    if (ahead && this.ahead === null) this.ahead = new Uint8Array(this.depth);
    for (let entry = this.posted; entry < this.posted + count; entry++) {
      if (this.ahead !== null) this.ahead[entry % this.depth] = ahead ? 1 : 0;
      if (this.bulk !== null) this.bulk[entry % this.depth] = bulk ? 1 : 0;
      if (!bulk) this.cache?.insert(this.keyOf(entry), this.strideBytes, this.tenant);
      else if (this.chunks !== null) {
        const chunk = this.chunkOf(entry);
        this.chunks[chunk % this.chunks.length] = chunk;
      }
    }
    this.posted += count;
  }

  /** Takes the next receive for a message, and says whether it is on chip. */
  take(): number {
    const entry = this.taken++;
    if (this.bulk !== null && this.bulk[entry % this.depth] === 1) {
      if (this.chunks === null) return ReceiveFetch.HIT;
      const chunk = this.chunkOf(entry);
      const place = chunk % this.chunks.length;
      if (this.chunks[place] === chunk) return ReceiveFetch.HIT;
      this.chunks[place] = chunk;
      return ReceiveFetch.WINDOW_MISS;
    }
    if (this.cache === null) return ReceiveFetch.HIT;
    const key = this.keyOf(entry);
    const hit = this.cache.has(key);
    this.cache.free(key);
    if (hit) return ReceiveFetch.HIT;
    if (this.ahead !== null && this.ahead[entry % this.depth] === 1) this.readAhead(entry);
    return ReceiveFetch.MISS;
  }

  /** One completion of PCIe carries several entries; of a long post those behind the one that was missed are good too. */
  private readAhead(entry: number): void {
    const end = Math.min(entry + this.aheadEntries, this.posted);
    for (let next = entry + 1; next < end; next++)
      this.cache?.insert(this.keyOf(next), this.strideBytes, this.tenant);
  }

  private keyOf(entry: number): number {
    return this.firstEntry + (entry % this.depth);
  }

  private chunkOf(entry: number): number {
    return Math.floor((entry * this.strideBytes) / this.chunkBytes);
  }
}
