import { CreditWindow } from '../resource/credit-window.js';
import { FluidServer } from '../resource/fluid-server.js';
import type { DmaPath, SharedLink } from './dma-path.js';

/** The device's side of its PCIe link. */
export interface PciePortOptions {
  gbps: number;
  maxPayloadBytes: number;
  maxReadRequestBytes: number;
  tlpOverheadBytes: number;
  readOutstandingBytes: number;
  /** Strict ordering: see {@link PciePort.elementRead}. All 0 with relaxed ordering. */
  orderingWindowPs: number;
  orderingStallPs: number;
  orderingShortBytes: number;
}

/**
 * A device's PCIe link: bytes with their TLP headers in both directions, a limit on outstanding read bytes, posted
 * credits where the path has them, and the ordering point of a host without relaxed ordering.
 *
 * Reads and writes are booked when the device issues them; the methods return when the data is there.
 */
export class PciePort {
  /** Bytes with headers, device to host and host to device. */
  upBytes = 0;
  downBytes = 0;
  /** Time that reads waited for outstanding-byte credit, and writes for posted credit or the link. */
  readStallPs = 0;
  writeStallPs = 0;
  orderingStalls = 0;
  /** Payload reads, and the time from their issue to their last byte. */
  payloadReads = 0;
  payloadReadPs = 0;
  private readonly psPerByte: number;
  private readonly options: PciePortOptions;
  private readonly up = new FluidServer();
  private readonly down = new FluidServer();
  private readonly reads: CreditWindow;
  private orderedPs = 0;
  private lastLongWritePs = Number.NEGATIVE_INFINITY;

  constructor(options: PciePortOptions) {
    this.options = options;
    this.psPerByte = 8000 / options.gbps;
    this.reads = new CreditWindow(options.readOutstandingBytes);
  }

  /** A doorbell or another store of the host: it takes the link, and nothing in front of it makes it wait. */
  store(nowPs: number, bytes: number): void {
    const linkBytes = bytes + this.options.tlpOverheadBytes;
    this.downBytes += linkBytes;
    this.down.book(nowPs, nowPs, linkBytes * this.psPerByte);
  }

  /** Reads payload, which is what the device's latency counters watch. */
  readPayload(nowPs: number, bytes: number, path: DmaPath): number {
    const done = this.read(nowPs, bytes, path);
    this.payloadReads++;
    this.payloadReadPs += done - nowPs;
    return done;
  }

  /** How long the completions of a read of `bytes` take the link. */
  transferPs(bytes: number): number {
    return Math.round(this.withHeaders(bytes) * this.psPerByte);
  }

  /** Reads `bytes` and returns when the last of them is on chip. */
  read(nowPs: number, bytes: number, path: DmaPath): number {
    const { options, psPerByte } = this;
    const ordered = path.ordered && this.orderedPs > nowPs ? this.orderedPs : nowPs;
    // A long read goes out as several requests: it begins when the first of them has credit.
    const start = this.reads.admitPs(ordered, Math.min(bytes, options.maxReadRequestBytes));
    if (start > ordered) this.readStallPs += start - ordered;
    const requestBytes = Math.ceil(bytes / options.maxReadRequestBytes) * options.tlpOverheadBytes;
    const completionBytes = this.withHeaders(bytes);
    this.upBytes += requestBytes;
    this.downBytes += completionBytes;
    this.up.book(nowPs, nowPs, requestBytes * psPerByte);
    let ready = start + path.readLatencyPs;
    if (path.psPerByte > 0) ready = path.link.reads.book(nowPs, ready, bytes * path.psPerByte);
    if (path.shared !== null) ready = path.shared.server.book(nowPs, ready, bytes * path.shared.psPerByte);
    if (path.memory !== null) ready += path.memory.waitPs(nowPs, bytes);
    const done = Math.round(this.down.book(nowPs, ready, completionBytes * psPerByte));
    this.reads.take(bytes, done);
    return done;
  }

  /** Writes payload or a record, and returns when the link has accepted it, so that the device may forget it. */
  write(nowPs: number, bytes: number, path: DmaPath): number {
    const linkBytes = this.withHeaders(bytes);
    this.upBytes += linkBytes;
    const start = path.ordered && this.orderedPs > nowPs ? this.orderedPs : nowPs;
    let accepted: number;
    if (path.shared !== null && path.posted !== null)
      accepted = this.postWithCredits(nowPs, start, bytes, path.shared, path.posted, path);
    else accepted = this.up.book(nowPs, start, linkBytes * this.psPerByte);
    if (path.psPerByte > 0)
      accepted = Math.max(accepted, path.link.writes.book(nowPs, start, bytes * path.psPerByte));
    if (path.memory !== null) accepted = Math.max(accepted, start + path.memory.waitPs(nowPs, bytes));
    const stalled = accepted - nowPs - linkBytes * this.psPerByte;
    if (stalled > 0) this.writeStallPs += stalled;
    return Math.round(accepted);
  }

  /** TLP by TLP: each takes credit when it leaves and returns it when the shared link has served it. */
  private postWithCredits(
    nowPs: number,
    startPs: number,
    bytes: number,
    shared: SharedLink,
    posted: CreditWindow,
    path: DmaPath,
  ): number {
    const { maxPayloadBytes, tlpOverheadBytes } = this.options;
    let accepted = startPs;
    for (let left = bytes; left > 0; left -= maxPayloadBytes) {
      const piece = left < maxPayloadBytes ? left : maxPayloadBytes;
      const admitted = posted.admitPs(accepted, piece);
      accepted = this.up.book(nowPs, admitted, (piece + tlpOverheadBytes) * this.psPerByte);
      // It will find about as long a queue there as there is now: what others add meanwhile makes up for what is served.
      const queuePs = shared.server.waitPs(nowPs);
      const servicePs = piece * shared.psPerByte;
      shared.server.book(nowPs, nowPs, servicePs);
      posted.take(piece, accepted + queuePs + servicePs + path.creditReturnPs);
    }
    return accepted;
  }

  /** Payload was written, `isPart`: of a longer transfer. Long ones are on their way to memory for a while yet. */
  payloadWritten(acceptedPs: number, bytes: number, isPart: boolean, path: DmaPath): void {
    const isLong = isPart || bytes >= this.options.orderingShortBytes;
    if (isLong && path.ordered && acceptedPs > this.lastLongWritePs) this.lastLongWritePs = acceptedPs;
  }

  /**
   * An element of a message is read. A read may not pass a posted write that went before it (PCIe's ordering rules).
   * Without relaxed ordering the host's ordering point therefore drains the long writes on their way first, and every
   * later DMA of the device waits for that. A long read is taken to hide the wait behind its first requests: an assumption.
   */
  elementRead(nowPs: number, bytes: number, path: DmaPath): void {
    const { orderingWindowPs, orderingStallPs, orderingShortBytes } = this.options;
    if (orderingStallPs === 0 || bytes >= orderingShortBytes || !path.ordered) return;
    if (nowPs - this.lastLongWritePs > orderingWindowPs) return;
    // It waits for the ordering point like any other DMA, and then closes it again.
    this.orderedPs = Math.max(this.orderedPs, nowPs) + orderingStallPs;
    this.orderingStalls++;
  }

  /** Whether the ordering point is to be told of elements and payloads. */
  get isStrict(): boolean {
    return this.options.orderingStallPs > 0;
  }

  private withHeaders(bytes: number): number {
    return bytes + Math.ceil(bytes / this.options.maxPayloadBytes) * this.options.tlpOverheadBytes;
  }
}
