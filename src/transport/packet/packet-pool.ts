import { grown } from '../../verbs/base/queues/column.js';
import { SlotPool } from '../../verbs/base/queues/slots.js';
import { HOP_WORDS } from '../congestion/rates/feedback.js';

/** Bits of a packet's `flags`. */
export const PacketFlag = {
  /** BTH A: the responder is to acknowledge. */
  ACK_REQUEST: 1,
  /** BTH SE: the receive raises a solicited event. */
  SOLICITED: 2,
  /** The IP header said 'congestion experienced' when the packet arrived. */
  ECN_CE: 4,
  /** BTH BECN, set in a CNP. */
  BECN: 8,
  /** BTH FECN. */
  FECN: 16,
  /** BTH M: the path migration state. */
  MIGRATION: 32,
  /** The requester sends this PSN again. */
  RETRANSMISSION: 64,
} as const;

/** What `payload` and `wqe` hold where there is none. */
export const NO_REFERENCE = -1;

/** The default partition with full membership. */
export const DEFAULT_PARTITION_KEY = 0xffff;

/**
 * The packets of a device or of a whole simulation as a struct of arrays: a packet is a small integer.
 *
 * Transport columns mean something only where the packet's opcode has the header they belong to; a slot that is taken
 * holds what its last user left there, but for those that {@link PacketPool.take} sets. An endpoint neither takes nor
 * frees packets: it fills the one it is handed and reads the one that arrived. But for those that a responder with
 * selective repeat keeps until their turn, without payload.
 *
 * @example
 * const packet = packets.take();
 * endpoint.emitRequest(packet, nowPs);
 * // … send it; whoever consumes it in the end calls:
 * packets.free(packet);
 */
export class PacketPool extends SlotPool {
  /** BTH OpCode, a number of wire's `OPCODE`. */
  opcode = new Uint8Array(0);
  /** Bits of {@link PacketFlag}. */
  flags = new Uint8Array(0);
  /** BTH PSN, 24 bits. */
  psn = new Uint32Array(0);
  /** BTH DestQP. */
  destQpn = new Uint32Array(0);
  /** DETH source queue pair; on RC and UC, which carry none, the sender's as a help to readers of traces. */
  srcQpn = new Uint32Array(0);
  /** BTH P_Key. */
  partitionKey = new Uint16Array(0);
  /** Payload bytes without pad. */
  payloadBytes = new Uint32Array(0);
  /** RETH, AtomicETH: virtual address, as two words. */
  remoteHigh = new Uint32Array(0);
  remoteLow = new Uint32Array(0);
  /** RETH, AtomicETH: R_Key. */
  rkey = new Uint32Array(0);
  /** RETH: DMA length. */
  dmaBytes = new Uint32Array(0);
  /** ImmDt. */
  immediate = new Uint32Array(0);
  /** IETH: the R_Key to invalidate. */
  invalidateRkey = new Uint32Array(0);
  /** AETH syndrome. */
  syndrome = new Uint8Array(0);
  /** AETH MSN. */
  msn = new Uint32Array(0);
  /** DETH Q_Key. */
  qkey = new Uint32Array(0);
  /**
   * Atomics, four words at `4 * packet`, low word first: `compareAdd` and `swap` of a request as in `WqePool`; the
   * original value of a response in the first two. Empty until {@link PacketPool.needOperands}.
   */
  operandWords = new Uint32Array(0);
  /**
   * Selective repeat, two words at `2 * packet`: of a SEND or WRITE the number of the receive that its message takes (16
   * bits), and how many packets of the message precede it; of an acknowledgement the PSN that came in place of
   * the missing one, where it is a NAK, and how many requests of the connection arrived marked (16 bits). Empty
   * until {@link PacketPool.needPlacement}.
   */
  placementWords = new Uint32Array(0);
  /**
   * In-band telemetry, `telemetryStride` words at `telemetryStride * packet`: the number of hops, then the words of each; an
   * acknowledgement brings that of the newest data back. Empty unless {@link PacketPool.carryTelemetry}.
   */
  telemetry = new Int32Array(0);
  telemetryStride = 0;
  /** The send request that a request packet belongs to: cache timing, and the way of a datagram. */
  wqe = new Int32Array(0);

  /** Where the payload's bytes are: the device's own reference, {@link NO_REFERENCE} where they are nowhere. */
  payload = new Int32Array(0);
  /** The device's: bytes on the wire, all headers included. */
  wireBytes = new Uint32Array(0);
  /** The device's: a time, such as that of arrival. */
  timePs = new Float64Array(0);
  /** The device's: two numbers more. While a packet is in use `next` is the device's too, to link queues with. */
  deviceFirst = new Int32Array(0);
  deviceSecond = new Int32Array(0);

  /** Packets in use; a simulation that has drained must find 0. */
  get inUse(): number {
    return this.used;
  }

  /** Takes a packet with no flags, no payload and no request. */
  take(): number {
    const packet = this.slots.allocate();
    this.flags[packet] = 0;
    this.partitionKey[packet] = DEFAULT_PARTITION_KEY;
    this.payloadBytes[packet] = 0;
    this.payload[packet] = NO_REFERENCE;
    this.wqe[packet] = NO_REFERENCE;
    if (this.telemetryStride > 0) this.telemetry[packet * this.telemetryStride] = 0;
    return packet;
  }

  /** Gives a packet back; what `payload` refers to is its owner's business. */
  free(packet: number): void {
    this.slots.release(packet);
  }

  /** Copies the transport columns of a packet, payload reference excluded: for duplication in a network. */
  copy(from: number, to: number): void {
    this.opcode[to] = this.opcode[from];
    this.flags[to] = this.flags[from];
    this.psn[to] = this.psn[from];
    this.destQpn[to] = this.destQpn[from];
    this.srcQpn[to] = this.srcQpn[from];
    this.partitionKey[to] = this.partitionKey[from];
    this.payloadBytes[to] = this.payloadBytes[from];
    this.remoteHigh[to] = this.remoteHigh[from];
    this.remoteLow[to] = this.remoteLow[from];
    this.rkey[to] = this.rkey[from];
    this.dmaBytes[to] = this.dmaBytes[from];
    this.immediate[to] = this.immediate[from];
    this.invalidateRkey[to] = this.invalidateRkey[from];
    this.syndrome[to] = this.syndrome[from];
    this.msn[to] = this.msn[from];
    this.qkey[to] = this.qkey[from];
    this.wqe[to] = this.wqe[from];
    this.wireBytes[to] = this.wireBytes[from];
    if (this.operandWords.length > 0) this.operandWords.copyWithin(4 * to, 4 * from, 4 * from + 4);
    if (this.placementWords.length > 0) this.placementWords.copyWithin(2 * to, 2 * from, 2 * from + 2);
    const { telemetryStride: stride } = this;
    if (stride > 0) this.telemetry.copyWithin(stride * to, stride * from, stride * (from + 1));
  }

  /** Makes room for the operands of atomics; called by whoever writes them. */
  needOperands(): void {
    if (this.operandWords.length === 0) this.operandWords = new Uint32Array(4 * this.capacity);
  }

  /** Makes room for what selective repeat says about packets; called by whoever writes it. */
  needPlacement(): void {
    if (this.placementWords.length === 0) this.placementWords = new Uint32Array(2 * this.capacity);
  }

  /** Packets carry telemetry of this many hops from now on; to be called before any is taken. */
  carryTelemetry(maxHops: number): void {
    this.telemetryStride = 1 + maxHops * HOP_WORDS;
    this.telemetry = new Int32Array(this.telemetryStride * this.capacity);
  }

  protected override growColumns(capacity: number): void {
    this.opcode = grown(this.opcode, capacity);
    this.flags = grown(this.flags, capacity);
    this.psn = grown(this.psn, capacity);
    this.destQpn = grown(this.destQpn, capacity);
    this.srcQpn = grown(this.srcQpn, capacity);
    this.partitionKey = grown(this.partitionKey, capacity);
    this.payloadBytes = grown(this.payloadBytes, capacity);
    this.remoteHigh = grown(this.remoteHigh, capacity);
    this.remoteLow = grown(this.remoteLow, capacity);
    this.rkey = grown(this.rkey, capacity);
    this.dmaBytes = grown(this.dmaBytes, capacity);
    this.immediate = grown(this.immediate, capacity);
    this.invalidateRkey = grown(this.invalidateRkey, capacity);
    this.syndrome = grown(this.syndrome, capacity);
    this.msn = grown(this.msn, capacity);
    this.qkey = grown(this.qkey, capacity);
    this.wqe = grown(this.wqe, capacity);
    this.payload = grown(this.payload, capacity);
    this.wireBytes = grown(this.wireBytes, capacity);
    this.timePs = grown(this.timePs, capacity);
    this.deviceFirst = grown(this.deviceFirst, capacity);
    this.deviceSecond = grown(this.deviceSecond, capacity);
    if (this.operandWords.length > 0) this.operandWords = grown(this.operandWords, 4 * capacity);
    if (this.placementWords.length > 0) this.placementWords = grown(this.placementWords, 2 * capacity);
    if (this.telemetryStride > 0) this.telemetry = grown(this.telemetry, this.telemetryStride * capacity);
  }
}
