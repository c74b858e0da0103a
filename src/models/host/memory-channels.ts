import { FluidServer } from '../resource/fluid-server.js';

/**
 * The memory channels behind one memory of a host: one server for DMA of both directions. Addresses are interleaved over
 * the channels, so that the slowest decides: the rate is that of the slowest, times their number.
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
  /** Time that the channels worked for DMA, and that DMA waited here. */
  busyPs = 0;
  waitedPs = 0;
  private readonly server = new FluidServer();
  private readonly gbps: number;
  /** What faults leave of the rate of all channels and of the slowest, and of their number. */
  private rateShare = 1;
  private slowestShare = 1;
  private presentShare = 1;
  /** The share that traffic of others takes; time that it took up to a time, and that time. */
  private load = 0;
  private loadedPs = 0;
  private countedPs = 0;
  private psPerByte: number;
  private cacheBytes: number;
  private footprintBytes = 0;
  private share: number;

  /** `cacheBytes` is what DMA may fill of the last-level cache; 0 without DDIO. */
  constructor(gbps: number, cacheBytes: number) {
    this.gbps = gbps;
    this.psPerByte = 8000 / gbps;
    this.cacheBytes = cacheBytes;
    this.share = cacheBytes === 0 ? 1 : 0;
  }

  /** The rate that faults leave. */
  get gbpsNow(): number {
    return this.gbps * this.rateShare * this.slowestShare * this.presentShare;
  }

  /** Faults leave a share of the rate of all channels, of the slowest one, and of their number. */
  degrade(rateShare: number, slowestShare: number, presentShare = 1): void {
    this.rateShare = rateShare;
    this.slowestShare = slowestShare;
    this.presentShare = presentShare;
    this.psPerByte = 8000 / (this.gbpsNow * (1 - this.load));
  }

  /** Traffic of others, such as that of cores, takes a share from now on. */
  setLoad(load: number, nowPs: number): void {
    this.countLoad(nowPs);
    this.load = load;
    this.psPerByte = 8000 / (this.gbpsNow * (1 - load));
  }

  /** What traffic of others carried, and how long that took. */
  background(nowPs: number): { bytes: number; busyPs: number } {
    this.countLoad(nowPs);
    return { bytes: (this.loadedPs * this.gbpsNow) / 8000, busyPs: this.loadedPs };
  }

  /** DMA may fill this much of the last-level cache; 0 without DDIO. */
  setCache(bytes: number): void {
    this.cacheBytes = bytes;
    this.register(0);
  }

  /** The part of DMA that goes to DRAM, 0 to 1. */
  get dramShare(): number {
    return this.share;
  }

  /** This much more memory is registered here; less where negative. */
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
    this.busyPs += servicePs * (1 - this.load);
    const waitedPs = this.server.book(nowPs, nowPs, servicePs) - nowPs - servicePs;
    this.waitedPs += waitedPs;
    return waitedPs;
  }

  private countLoad(nowPs: number): void {
    if (nowPs > this.countedPs) this.loadedPs += (nowPs - this.countedPs) * this.load;
    this.countedPs = nowPs;
  }
}
