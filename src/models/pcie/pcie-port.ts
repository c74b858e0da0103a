import type { Random } from '../../engine/index.js';
import { CreditWindow } from '../resource/credit-window.js';
import { FluidServer } from '../resource/fluid-server.js';
import type { DmaPath, SharedLink } from './dma-path.js';
import { OrderingPoint, type OrderingPointOptions } from './ordering-point.js';

/** What an operator can set at a device's PCIe port, also while it runs. */
export interface PciePortSettings {
  maxPayloadBytes: number;
  maxReadRequestBytes: number;
  /** The ordering point of a host with strict ordering; null with relaxed ordering. */
  ordering: OrderingPointOptions | null;
}

/** The device's side of its PCIe link. */
export interface PciePortOptions extends PciePortSettings {
  gbps: number;
  tlpOverheadBytes: number;
  readOutstandingBytes: number;
  /** What is drawn here: how long the host takes at times. */
  random: Random;
  /** Time that a TLP of payload which the device writes takes beyond its bytes; default: 0. */
  writeGapPs?: number;
  /** Time that the device's own DMA engine adds to each read; default: 0. */
  engineReadPs?: number;
}

/**
 * A device's PCIe link: bytes with their TLP headers in both directions, a limit on outstanding read bytes, posted
 * credits where the path has them, and the ordering point of a host without relaxed ordering. What lies beyond it, the
 * links of the host, is the path's.
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
  /** Payload reads, and the time from their issue to their last byte. */
  payloadReads = 0;
  payloadReadPs = 0;
  /** The way of stores from the socket that the device hangs on; null: they take no links. */
  storePath: DmaPath | null = null;
  private readonly psPerByte: number;
  private readonly tlpOverheadBytes: number;
  private readonly engineReadPs: number;
  private readonly writeGapPs: number;
  private readonly options: PciePortOptions;
  private ordering: OrderingPointOptions | null;
  private maxPayloadBytes: number;
  private maxReadRequestBytes: number;
  private readonly up = new FluidServer();
  private readonly down = new FluidServer();
  private readonly reads: CreditWindow;
  /** Null with relaxed ordering. */
  private point: OrderingPoint | null;

  constructor(options: PciePortOptions) {
    this.options = options;
    this.ordering = options.ordering;
    this.maxPayloadBytes = options.maxPayloadBytes;
    this.maxReadRequestBytes = options.maxReadRequestBytes;
    this.psPerByte = 8000 / options.gbps;
    this.tlpOverheadBytes = options.tlpOverheadBytes;
    this.engineReadPs = options.engineReadPs ?? 0;
    this.writeGapPs = options.writeGapPs ?? 0;
    this.reads = new CreditWindow(options.readOutstandingBytes);
    this.point = options.ordering === null ? null : new OrderingPoint(options.ordering, options.random);
  }

  /**
   * Changes what an operator can change; the rest stays as it was made. Outstanding reads are this many requests (tags), so
   * that shorter ones leave fewer bytes outstanding.
   */
  configure(changed: Partial<PciePortSettings>): void {
    const { options } = this;
    const { ordering, maxPayloadBytes, maxReadRequestBytes } = { ...options, ...changed };
    this.maxPayloadBytes = maxPayloadBytes;
    this.maxReadRequestBytes = maxReadRequestBytes;
    if (ordering !== this.ordering)
      this.point = ordering === null ? null : new OrderingPoint(ordering, options.random);
    this.ordering = ordering;
    const share = maxReadRequestBytes / options.maxReadRequestBytes;
    this.reads.limit = options.readOutstandingBytes * Math.min(1, share);
  }

  /** A doorbell or another store of the host: it takes the link, and nothing in front of it makes it wait. */
  store(nowPs: number, bytes: number): void {
    const { tlpOverheadBytes } = this;
    const linkBytes = bytes + tlpOverheadBytes;
    this.downBytes += linkBytes;
    this.down.book(nowPs, nowPs, linkBytes * this.psPerByte);
    const path = this.storePath;
    if (path === null) return;
    path.inBytes += bytes;
    path.inHeaderBytes += tlpOverheadBytes;
    path.inPackets++;
    const { inward } = path;
    for (let index = 0; index < inward.length; index++)
      inward[index].take(nowPs, inward[index].servicePs(bytes, tlpOverheadBytes));
  }

  /**
   * Reads payload, with which so many bytes of its message are read. It is what the device's latency counters watch.
   */
  readPayload(nowPs: number, bytes: number, path: DmaPath, soFarBytes = bytes): number {
    const { point } = this;
    const ordered = point === null || !path.ordered ? nowPs : point.read(nowPs, bytes, soFarBytes);
    const done = this.readInOrder(nowPs, ordered, bytes, path);
    this.payloadReads++;
    this.payloadReadPs += done - nowPs;
    return done;
  }

  /** When a payload read of `bytes` could be issued, from now on: outstanding reads may have to come back first. */
  readCreditPs(nowPs: number, bytes: number): number {
    return this.reads.freePs(nowPs, Math.min(bytes, this.maxReadRequestBytes));
  }

  /** How long the completions of a read of `bytes` take the link. */
  transferPs(bytes: number): number {
    return Math.round(this.withHeaders(bytes) * this.psPerByte);
  }

  /** Reads `bytes` that are no payload and returns when the last of them is on chip. */
  read(nowPs: number, bytes: number, path: DmaPath): number {
    const { point } = this;
    const ordered = point === null || !path.ordered ? nowPs : nowPs + point.waitPs(nowPs);
    return this.readInOrder(nowPs, ordered, bytes, path);
  }

  private readInOrder(nowPs: number, ordered: number, bytes: number, path: DmaPath): number {
    if (nowPs >= path.changes.nextPs) path.changes.advance(nowPs);
    const { psPerByte, maxReadRequestBytes, tlpOverheadBytes } = this;
    // A long read goes out as several requests: it begins when the first of them has credit.
    const start = this.reads.admitPs(nowPs, Math.min(bytes, maxReadRequestBytes));
    if (start > nowPs) this.readStallPs += start - nowPs;
    const requests = Math.ceil(bytes / maxReadRequestBytes);
    const requestBytes = requests * tlpOverheadBytes;
    const completions = Math.ceil(bytes / this.maxPayloadBytes);
    const completionBytes = bytes + completions * tlpOverheadBytes;
    this.upBytes += requestBytes;
    this.downBytes += completionBytes;
    path.outHeaderBytes += requestBytes;
    path.inBytes += bytes;
    path.inHeaderBytes += completionBytes - bytes;
    path.outPackets += requests;
    path.inPackets += completions;
    this.up.book(nowPs, nowPs, requestBytes * psPerByte);
    let ready = (start > ordered ? start : ordered) + path.readLatencyPs + this.engineReadPs;
    let carried = 0;
    const { inward, outward } = path;
    // Each link begins when the first byte is there and it is free, and ends no sooner than the one before it.
    for (let index = 0; index < inward.length; index++) {
      const request = outward[index];
      request.take(nowPs, request.servicePs(0, requestBytes));
      const link = inward[index];
      const servicePs = link.servicePs(bytes, completionBytes - bytes);
      ready = link.book(nowPs, ready, servicePs);
      if (ready + servicePs > carried) carried = ready + servicePs;
    }
    if (path.shared !== null) ready = share(path.shared, nowPs, ready, bytes);
    if (path.memory !== null) ready += path.memory.waitPs(nowPs, bytes);
    const arrived = this.down.book(nowPs, ready, completionBytes * psPerByte);
    const done = Math.round(arrived > carried ? arrived : carried);
    this.reads.take(bytes, done);
    return done;
  }

  /**
   * Writes payload, with which so many bytes of its message are written, and returns when the link has accepted it, so
   * that the device may forget it.
   */
  writePayload(nowPs: number, bytes: number, path: DmaPath, soFarBytes = bytes): number {
    const { point } = this;
    const gapPs = this.writeGapPs;
    if (point === null || !path.ordered) return this.writeInOrder(nowPs, nowPs, bytes, path, gapPs);
    const accepted = this.writeInOrder(nowPs, point.admitPs(nowPs, bytes), bytes, path, gapPs);
    point.write(nowPs, accepted, bytes, soFarBytes);
    return accepted;
  }

  /** The same for a record, such as a completion: those of a ring lie side by side, so that a TLP carries several. */
  write(nowPs: number, bytes: number, path: DmaPath): number {
    const { point } = this;
    const start = point === null || !path.ordered ? nowPs : nowPs + point.waitPs(nowPs);
    return this.writeInOrder(nowPs, start, bytes, path, 0);
  }

  private writeInOrder(nowPs: number, start: number, bytes: number, path: DmaPath, tlpGapPs: number): number {
    if (nowPs >= path.changes.nextPs) path.changes.advance(nowPs);
    const packets = Math.ceil(bytes / this.maxPayloadBytes);
    const linkBytes = bytes + packets * this.tlpOverheadBytes;
    this.upBytes += linkBytes;
    path.outBytes += bytes;
    path.outHeaderBytes += linkBytes - bytes;
    path.outPackets += packets;
    const portPs = linkBytes * this.psPerByte + packets * tlpGapPs;
    let accepted: number;
    if (path.shared !== null && path.posted !== null)
      accepted = this.postWithCredits(nowPs, start, bytes, path.shared, path.posted, path);
    else accepted = this.up.book(nowPs, start, portPs);
    const { outward } = path;
    // The first link gets it when the port begins to send it.
    let begun = accepted - portPs;
    for (let index = 0; index < outward.length; index++) {
      const link = outward[index];
      const servicePs = link.servicePs(bytes, linkBytes - bytes);
      begun = link.book(nowPs, begun, servicePs);
      if (begun + servicePs > accepted) accepted = begun + servicePs;
    }
    if (path.memory !== null) accepted = Math.max(accepted, start + path.memory.waitPs(nowPs, bytes));
    const stalled = accepted - nowPs - portPs;
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
    const { maxPayloadBytes, tlpOverheadBytes } = this;
    let accepted = startPs;
    const returnPs = path.returnPs(this.options.random);
    for (let left = bytes; left > 0; left -= maxPayloadBytes) {
      const piece = left < maxPayloadBytes ? left : maxPayloadBytes;
      const admitted = posted.admitPs(accepted, piece);
      accepted = this.up.book(nowPs, admitted, (piece + tlpOverheadBytes) * this.psPerByte);
      const servicePs = piece * shared.psPerByte;
      const served = shared.server.book(nowPs, accepted, servicePs);
      shared.bytes += piece;
      shared.waitedPs += served - accepted - servicePs;
      posted.take(piece, served + returnPs);
    }
    return accepted;
  }

  /** An element of a message begins: it is gathered by reads, or scattered by writes. */
  element(nowPs: number, bytes: number, path: DmaPath, gathered: boolean): void {
    if (this.point !== null && path.ordered) this.point.element(nowPs, bytes, gathered);
  }

  /** The settings of the device's DevCtl as they are now. */
  get deviceControl(): Pick<PciePortSettings, 'maxPayloadBytes' | 'maxReadRequestBytes'> & {
    ordering: 'strict' | 'relaxed';
  } {
    const { maxPayloadBytes, maxReadRequestBytes } = this;
    return { maxPayloadBytes, maxReadRequestBytes, ordering: this.isStrict ? 'strict' : 'relaxed' };
  }

  /** Whether the ordering point is to be told of elements. */
  get isStrict(): boolean {
    return this.point !== null;
  }

  /** How often the ordering point turned for a short element, and for how long. */
  get orderingTurns(): number {
    return this.point === null ? 0 : this.point.turns;
  }

  get orderingTurnedPs(): number {
    return this.point === null ? 0 : this.point.turnedPs;
  }

  /** For how long it was used: by turns, and by payload that passed. */
  get orderingUsedPs(): number {
    return this.point === null ? 0 : this.point.usedPs;
  }

  private withHeaders(bytes: number): number {
    return bytes + Math.ceil(bytes / this.maxPayloadBytes) * this.tlpOverheadBytes;
  }
}

/** Books a read on a link that both directions share, and returns when that has carried it. */
function share(shared: SharedLink, nowPs: number, readyPs: number, bytes: number): number {
  const servicePs = bytes * shared.psPerByte;
  const done = shared.server.book(nowPs, readyPs, servicePs);
  shared.bytes += bytes;
  shared.waitedPs += done - readyPs - servicePs;
  return done;
}
