import { FluidServer } from '../resource/fluid-server.js';

/**
 * The memory channels behind one memory of a host: one server for DMA of both directions.
 *
 * With DDIO a DMA goes to the last-level cache as long as the memory that devices use fits into the ways that DMA may
 * fill; of a larger footprint the share that does not fit goes to DRAM. All registered memory counts as the footprint:
 * what of it is in use nobody knows beforehand. Without DDIO every DMA goes to DRAM.
 *
 * Only waiting counts: the time of an access on idle channels is part of the path's latency.
 */
export class MemoryChannels {
  /** Bytes of DMA that went to DRAM. */
  bytes = 0;
  private readonly server = new FluidServer();
  private readonly psPerByte: number;
  private readonly cacheBytes: number;
  private footprintBytes = 0;
  private share: number;

  /** `cacheBytes` is what DMA may fill of the last-level cache; 0 without DDIO. */
  constructor(gbps: number, cacheBytes: number) {
    this.psPerByte = 8000 / gbps;
    this.cacheBytes = cacheBytes;
    this.share = cacheBytes === 0 ? 1 : 0;
  }

  /** The part of DMA that goes to DRAM, 0 to 1. */
  get dramShare(): number {
    return this.share;
  }

  /** So much more memory is registered here; less where negative. */
  register(bytes: number): void {
    this.footprintBytes += bytes;
    const fits = this.cacheBytes / Math.max(this.footprintBytes, 1);
    this.share = fits >= 1 ? 0 : 1 - fits;
  }

  /** Books a DMA that is issued now and returns how long it waits for those before it. */
  waitPs(nowPs: number, bytes: number): number {
    if (this.share === 0) return 0;
    const dramBytes = bytes * this.share;
    const servicePs = dramBytes * this.psPerByte;
    this.bytes += dramBytes;
    return this.server.book(nowPs, nowPs, servicePs) - nowPs - servicePs;
  }
}
