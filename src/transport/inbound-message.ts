import { Access } from '../verbs/access.js';
import { NO_SLOT, Status, WcOp } from '../verbs/base/codes.js';
import { KeyCheck } from '../verbs/base/memory/memory-table.js';
import { CqeFlag } from '../verbs/base/queues/cqe-pool.js';
import type { Endpoint } from './endpoint.js';
import { Trait } from './packet/opcode-traits.js';
import { PacketFlag } from './packet/packet-pool.js';

/** What became of an arrived packet of a SEND or WRITE. */
export const Verdict = {
  ACCEPTED: 0,
  /** Opcodes out of sequence, a length that does not fit, a right that the queue pair does not give. */
  INVALID: 1,
  /** A remote key that does not allow it. */
  ACCESS: 2,
  /** No receive is posted; nothing was done. */
  NOT_READY: 3,
  /** The receive is too small; `failReceive` is due. */
  TOO_LONG: 4,
  /** A local key of the receive does not allow it; `failReceive` is due. */
  LOCAL: 5,
} as const;

/** The longest message (9.7.7). */
export const MAX_MESSAGE_BYTES = 2 ** 31;

/** The SEND or WRITE that is arriving, packet by packet; RC and UC share its rules (9.7.4, 9.8.2). */
export class InboundMessage {
  private readonly endpoint: Endpoint;
  /** `Trait.SEND` or `Trait.WRITE` in the middle of a message, else 0. */
  open = 0;
  /** Bytes that have arrived of it. */
  offset = 0;
  /** The receive that it takes, or that an aborted message left: `NO_SLOT` where there is none. */
  receive = NO_SLOT;
  private remoteHigh = 0;
  private remoteLow = 0;
  private rkey = 0;
  private dmaBytes = 0;
  /** Bytes of the message that had been placed before it started over, while they come again. */
  private placedBefore = 0;

  /** Packets say where they belong, and come early by no more than this many; 0 where they come in order. */
  private readonly earlyPackets: number;
  /** Receives that later messages will take, in order, and how many were taken before the first of them. */
  private readonly later: number[] = [];
  private taken = 0;

  constructor(endpoint: Endpoint, earlyPackets = 0) {
    this.endpoint = endpoint;
    this.earlyPackets = earlyPackets;
  }

  /** Forgets the message and its receives, which the verbs flush or drop. */
  reset(): void {
    this.open = 0;
    this.receive = NO_SLOT;
    this.later.length = 0;
    this.taken = 0;
    this.placedBefore = 0;
  }

  /** The message that is open comes again from its first packet; it keeps its receive. */
  restart(): void {
    this.placedBefore = Math.max(this.placedBefore, this.offset);
    this.open = 0;
    this.offset = 0;
  }

  /** Whether the opcode may follow what came before (9.7.4.1.2, table 'schedule of valid opcode sequences'). */
  private fits(traits: number): boolean {
    const kind = traits & (Trait.SEND | Trait.WRITE);
    return (traits & Trait.FIRST) !== 0 ? this.open === 0 : this.open === kind;
  }

  /** Whether the payload has the length that its place in the message asks for (9.7.4.1.6). */
  private lengthFits(traits: number, bytes: number): boolean {
    const mtu = this.endpoint.attributes.pathMtu;
    if ((traits & Trait.LAST) === 0) return bytes === mtu;
    return bytes <= mtu && (bytes > 0 || (traits & Trait.FIRST) !== 0);
  }

  /** Processes a packet in order; a {@link Verdict}. Only ACCEPTED changes anything but a receive that was taken. */
  accept(packet: number, traits: number, placed = false): number {
    const bytes = this.endpoint.context.packets.payloadBytes[packet];
    if (!this.fits(traits) || !this.lengthFits(traits, bytes)) return Verdict.INVALID;
    const verdict =
      (traits & Trait.SEND) !== 0
        ? this.acceptSend(packet, traits, bytes, placed)
        : this.acceptWrite(packet, traits, bytes, placed);
    if (verdict !== Verdict.ACCEPTED) return verdict;
    if (this.placedBefore > 0) this.comesAgain(bytes);
    if ((traits & Trait.LAST) === 0) {
      this.open = traits & (Trait.SEND | Trait.WRITE);
      this.offset += bytes;
      return Verdict.ACCEPTED;
    }
    this.open = 0;
    return this.finish(packet, traits, bytes);
  }

  /** A message that starts over has come no further until it passes what was there of it. */
  private comesAgain(bytes: number): void {
    const end = this.offset + bytes;
    const againBytes = Math.min(end, this.placedBefore) - this.offset;
    this.endpoint.context.device.placedAgain(this.endpoint, againBytes);
    if (end >= this.placedBefore) this.placedBefore = 0;
  }

  private acceptSend(packet: number, traits: number, bytes: number, placed: boolean): number {
    const { endpoint } = this;
    const { wqes, device } = endpoint.context;
    if ((traits & Trait.FIRST) !== 0) {
      if (!this.takeReceive()) return Verdict.NOT_READY;
      this.offset = 0;
    }
    if (this.offset + bytes > wqes.length[this.receive]) return Verdict.TOO_LONG;
    if (bytes > 0 && !placed && !device.placeReceive(endpoint, packet, this.receive, this.offset, bytes))
      return Verdict.LOCAL;
    return Verdict.ACCEPTED;
  }

  /**
   * Puts the payload of a packet that is not expected yet in its place, by what the packet says. False where that cannot
   * be done, whatever the reason; nothing else has changed then.
   */
  placeEarly(packet: number, traits: number): boolean {
    const { endpoint } = this;
    const { packets, wqes, memory, device } = endpoint.context;
    const bytes = packets.payloadBytes[packet];
    if (!this.lengthFits(traits, bytes)) return false;
    if ((traits & Trait.WRITE) !== 0) {
      if ((endpoint.attributes.accessFlags & Access.REMOTE_WRITE) === 0) return false;
      if (bytes === 0) return true;
      const { remoteHigh, remoteLow, rkey } = packets;
      if (!this.allows(rkey[packet], remoteHigh[packet], remoteLow[packet], bytes)) return false;
      device.placeRegion(endpoint, packet, memory.found, memory.position, bytes);
      return true;
    }
    const receive = this.receiveOf(packets.placementWords[2 * packet]);
    const offset = packets.placementWords[2 * packet + 1] * endpoint.attributes.pathMtu;
    if (receive === NO_SLOT || offset + bytes > wqes.length[receive]) return false;
    return bytes === 0 || device.placeReceive(endpoint, packet, receive, offset, bytes);
  }

  /** The receive of a message by its number, 16 bits; takes those before it as well. */
  private receiveOf(number: number): number {
    const { later, endpoint } = this;
    const ahead = (number - this.taken) & 0xffff;
    // The message that is open, or whose first packet is about to come, has its receive already.
    if (ahead === 0xffff && this.receive !== NO_SLOT) return this.receive;
    // No message so far ahead has a packet in the window: whoever says so is not to take all that others share.
    if (ahead >= this.earlyPackets) return NO_SLOT;
    while (later.length <= ahead) {
      const wqe = endpoint.context.device.takeReceive(endpoint);
      if (wqe === NO_SLOT) return NO_SLOT;
      later.push(wqe);
    }
    return later[ahead];
  }

  /** A packet of a WRITE that has its own address: it tells no length of the message, and its rights are its own. */
  private acceptPlaced(packet: number, traits: number, bytes: number, placed: boolean): number {
    const { endpoint } = this;
    const { packets, memory, device } = endpoint.context;
    const { remoteHigh, remoteLow, rkey } = packets;
    if (bytes > 0 && !this.allows(rkey[packet], remoteHigh[packet], remoteLow[packet], bytes))
      return Verdict.ACCESS;
    const region = memory.found;
    const position = memory.position;
    const closing = Trait.LAST | Trait.IMMEDIATE;
    if ((traits & closing) === closing && !this.takeReceive()) return Verdict.NOT_READY;
    if (bytes > 0 && !placed) device.placeRegion(endpoint, packet, region, position, bytes);
    if ((traits & Trait.FIRST) !== 0) {
      this.offset = 0;
      device.counters.rx_write_requests++;
    }
    return Verdict.ACCEPTED;
  }

  private acceptWrite(packet: number, traits: number, bytes: number, placed: boolean): number {
    const { endpoint } = this;
    const { packets, memory, device } = endpoint.context;
    const first = (traits & Trait.FIRST) !== 0;
    if (first && (endpoint.attributes.accessFlags & Access.REMOTE_WRITE) === 0) return Verdict.INVALID;
    if (this.earlyPackets > 0) return this.acceptPlaced(packet, traits, bytes, placed);
    const offset = first ? 0 : this.offset;
    const dmaBytes = first ? packets.dmaBytes[packet] : this.dmaBytes;
    const high = first ? packets.remoteHigh[packet] : this.remoteHigh;
    const low = first ? packets.remoteLow[packet] : this.remoteLow;
    const rkey = first ? packets.rkey[packet] : this.rkey;
    if (first) {
      if (dmaBytes > MAX_MESSAGE_BYTES) return Verdict.INVALID;
      // Rights to the whole range are settled before its first byte moves; no bytes, no check (9.7.4.1.5).
      if (dmaBytes > 0 && !this.allows(rkey, high, low, dmaBytes)) return Verdict.ACCESS;
    }
    const end = offset + bytes;
    if ((traits & Trait.LAST) !== 0 ? end !== dmaBytes : end > dmaBytes) return Verdict.INVALID;
    // Again for each later packet: the key may have gone since the message began.
    if (!first && !this.allows(rkey, high, low + offset, bytes)) return Verdict.ACCESS;
    const region = memory.found;
    const position = memory.position;
    const closing = Trait.LAST | Trait.IMMEDIATE;
    if ((traits & closing) === closing && !this.takeReceive()) return Verdict.NOT_READY;
    if (bytes > 0) device.placeRegion(endpoint, packet, region, position, bytes);
    this.offset = offset;
    if (first) {
      this.dmaBytes = dmaBytes;
      this.remoteHigh = high;
      this.remoteLow = low;
      this.rkey = rkey;
      device.counters.rx_write_requests++;
    }
    return Verdict.ACCEPTED;
  }

  private allows(rkey: number, high: number, low: number, bytes: number): boolean {
    const { endpoint } = this;
    const check = endpoint.context.memory.checkRemote(
      endpoint.pd,
      endpoint.qpn,
      rkey,
      high,
      low,
      bytes,
      Access.REMOTE_WRITE,
    );
    return check === KeyCheck.OK;
  }

  private takeReceive(): boolean {
    if (this.receive !== NO_SLOT) return true;
    const { endpoint, later } = this;
    this.receive =
      later.length > 0 ? (later.shift() as number) : endpoint.context.device.takeReceive(endpoint);
    if (this.receive === NO_SLOT) return false;
    this.taken = (this.taken + 1) & 0xffff;
    return true;
  }

  /** The message is whole: invalidates what it asks for and ends its receive. */
  private finish(packet: number, traits: number, bytes: number): number {
    const { endpoint } = this;
    const { packets, memory, receiveResult } = endpoint.context;
    if ((traits & (Trait.SEND | Trait.IMMEDIATE)) === 0) return Verdict.ACCEPTED;
    receiveResult.flags = 0;
    receiveResult.imm = 0;
    if ((traits & Trait.INVALIDATE) !== 0) {
      const key = packets.invalidateRkey[packet];
      if (!memory.invalidate(endpoint.pd, key)) return Verdict.ACCESS;
      receiveResult.flags = CqeFlag.INV;
      receiveResult.imm = key;
    } else if ((traits & Trait.IMMEDIATE) !== 0) {
      receiveResult.flags = CqeFlag.IMM;
      receiveResult.imm = packets.immediate[packet];
    }
    receiveResult.status = Status.SUCCESS;
    receiveResult.opcode = (traits & Trait.SEND) !== 0 ? WcOp.RECV : WcOp.RECV_RDMA_WITH_IMM;
    receiveResult.byteLen = this.offset + bytes;
    receiveResult.srcQp = 0;
    receiveResult.solicited = (packets.flags[packet] & PacketFlag.SOLICITED) !== 0;
    this.endReceive();
    return Verdict.ACCEPTED;
  }

  /** Ends the receive with a failure. */
  failReceive(status: number): void {
    const { receiveResult } = this.endpoint.context;
    receiveResult.status = status;
    receiveResult.opcode = WcOp.RECV;
    receiveResult.byteLen = 0;
    receiveResult.flags = 0;
    receiveResult.imm = 0;
    receiveResult.srcQp = 0;
    receiveResult.solicited = false;
    this.endReceive();
  }

  private endReceive(): void {
    const wqe = this.receive;
    this.receive = NO_SLOT;
    this.endpoint.context.device.completeReceive(this.endpoint, wqe, this.endpoint.context.receiveResult);
  }
}
