import type { Refusal } from '../../wire/bytes/refusal.js';
import { AethView } from '../../wire/ib/aeth.js';
import { AtomicAckEthView } from '../../wire/ib/atomic-ack-eth.js';
import { AtomicEthView } from '../../wire/ib/atomic-eth.js';
import { BTH_BYTES, BthView } from '../../wire/ib/bth.js';
import { DethView } from '../../wire/ib/deth.js';
import { IethView } from '../../wire/ib/ieth.js';
import { ImmediateView } from '../../wire/ib/immediate.js';
import {
  EXTENDED_HEADER_BYTES,
  type ExtendedHeaderName,
  OPCODE,
  type OpcodeInfo,
  opcodeInfo,
} from '../../wire/ib/opcode.js';
import { RethView } from '../../wire/ib/reth.js';
import { SrnicSendView, SrnicWriteView } from '../../wire/ib/srnic.js';
import { srnicExtensionBytes, srnicOpcodeInfo } from '../../wire/ib/srnic-opcode.js';
import { RoceDatagramView } from '../../wire/packet/datagram.js';
import { PacketFlag, type PacketPool } from './packet-pool.js';
import { Syndrome } from './syndrome.js';

const WORD_BITS = 32n;
const WORD_MASK = 0xffffffffn;

/** Bytes of BTH and extended headers by opcode; 0 for opcodes that nobody knows. */
export const TRANSPORT_HEADER_BYTES = headerBytesWith(opcodeInfo);
/** The same with SRNIC's extension. */
const PLACED_HEADER_BYTES = headerBytesWith(srnicOpcodeInfo);

function headerBytesWith(infoOf: typeof opcodeInfo): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, opcode) => {
    const info = infoOf(opcode);
    return info === undefined ? 0 : BTH_BYTES + info.headerBytes;
  });
}

/** Whether the extension of a packet is of the packet itself: its place, or the number of READ data. */
function saysPlace({ operation }: OpcodeInfo): boolean {
  return operation === 'send' || operation === 'write' || operation === 'read-response';
}

/**
 * Between rows of a {@link PacketPool} and bytes of RoCEv2. Headers only: where the payload goes and comes from is the
 * caller's business. Allocates nothing but, for atomics, the bigints of wire's views.
 *
 * With `placed`, packets of RC have SRNIC's extension: each says where it belongs, and a NAK what came instead.
 *
 * @example
 * const codec = new PacketCodec(packets);
 * let at = codec.encode(packet, bytes, 0);          // BTH and extended headers
 * at += copyPayload(packet, bytes, at);             // payload, pad and ICRC are the caller's
 *
 * const refused = codec.decode(datagram, 0, datagram.length, packet);
 * if (refused === null) keep(datagram.subarray(codec.payloadOffset, codec.payloadEnd));
 */
export class PacketCodec {
  /** Bytes of BTH and extended headers by opcode. */
  readonly headerBytes: Uint8Array;
  private readonly packets: PacketPool;
  private readonly placed: boolean;
  private readonly infoOf: typeof opcodeInfo;
  private readonly datagram: RoceDatagramView;
  private readonly sendPlace = new SrnicSendView();
  private readonly writePlace = new SrnicWriteView();
  private readonly bth = new BthView();
  private readonly deth = new DethView();
  private readonly reth = new RethView();
  private readonly atomicEth = new AtomicEthView();
  private readonly aeth = new AethView();
  private readonly atomicAckEth = new AtomicAckEthView();
  private readonly immediate = new ImmediateView();
  private readonly ieth = new IethView();
  /** Where the payload of the datagram decoded last begins. */
  payloadOffset = 0;
  /** Where it ends and its pad begins. */
  payloadEnd = 0;
  /** Where its ICRC stands. */
  icrcOffset = 0;

  constructor(packets: PacketPool, placed = false) {
    this.packets = packets;
    this.placed = placed;
    this.infoOf = placed ? srnicOpcodeInfo : opcodeInfo;
    this.headerBytes = placed ? PLACED_HEADER_BYTES : TRANSPORT_HEADER_BYTES;
    this.datagram = new RoceDatagramView(this.infoOf);
  }

  /** Writes BTH and extended headers at `offset` and returns where the payload begins. */
  encode(packet: number, bytes: Uint8Array, offset: number): number {
    const { packets, bth } = this;
    const flags = packets.flags[packet];
    bth.wrapForWriting(bytes, offset);
    bth.opcode = packets.opcode[packet];
    bth.solicitedEvent = (flags & PacketFlag.SOLICITED) !== 0;
    bth.migrationRequest = (flags & PacketFlag.MIGRATION) !== 0;
    bth.padBytes = -packets.payloadBytes[packet] & 3;
    bth.partitionKey = packets.partitionKey[packet];
    bth.fecn = (flags & PacketFlag.FECN) !== 0;
    bth.becn = (flags & PacketFlag.BECN) !== 0;
    bth.destinationQp = packets.destQpn[packet];
    bth.ackRequest = (flags & PacketFlag.ACK_REQUEST) !== 0;
    bth.psn = packets.psn[packet];
    bth.release();
    const info = this.infoOf(packets.opcode[packet]);
    let at = offset + BTH_BYTES;
    if (info === undefined) return at;
    for (let index = 0; index < info.headers.length; index++) {
      this.encodeHeader(info.headers[index], packet, bytes, at);
      at += EXTENDED_HEADER_BYTES[info.headers[index]];
    }
    if (this.placed) at += this.encodePlace(info, packet, bytes, at);
    return at;
  }

  /** SRNIC's extension: a SEND or WRITE says where it belongs, an acknowledgement what it saw. */
  private encodePlace(info: OpcodeInfo, packet: number, bytes: Uint8Array, at: number): number {
    const { packets } = this;
    const size = srnicExtensionBytes(info);
    if (size === 0) return 0;
    const view = info.operation === 'write' ? this.writePlace : this.sendPlace;
    view.wrapForWriting(bytes, at);
    view.msn = packets.msn[packet];
    if (saysPlace(info)) {
      view.ssn = packets.placementWords[2 * packet];
      view.psnOffset = packets.placementWords[2 * packet + 1];
    } else if (info.operation === 'acknowledge') {
      const isNak = packets.syndrome[packet] === Syndrome.SEQUENCE_ERROR;
      view.psnOffset = isNak ? packets.placementWords[2 * packet] : 0;
      view.ssn = packets.placementWords[2 * packet + 1];
    }
    if (view instanceof SrnicWriteView) {
      view.virtualAddressHigh = packets.remoteHigh[packet];
      view.virtualAddressLow = packets.remoteLow[packet];
      view.remoteKey = packets.rkey[packet];
    }
    view.release();
    return size;
  }

  private encodeHeader(name: ExtendedHeaderName, packet: number, bytes: Uint8Array, at: number): void {
    const { packets } = this;
    switch (name) {
      case 'deth':
        this.deth.wrapForWriting(bytes, at);
        this.deth.queueKey = packets.qkey[packet];
        this.deth.sourceQp = packets.srcQpn[packet];
        this.deth.release();
        break;
      case 'reth':
        this.reth.wrapForWriting(bytes, at);
        this.reth.virtualAddressHigh = packets.remoteHigh[packet];
        this.reth.virtualAddressLow = packets.remoteLow[packet];
        this.reth.remoteKey = packets.rkey[packet];
        this.reth.dmaBytes = packets.dmaBytes[packet];
        this.reth.release();
        break;
      case 'aeth':
        this.aeth.wrapForWriting(bytes, at);
        this.aeth.syndrome = packets.syndrome[packet];
        this.aeth.msn = packets.msn[packet];
        this.aeth.release();
        break;
      case 'immediate':
        this.immediate.wrapForWriting(bytes, at);
        this.immediate.value = packets.immediate[packet];
        this.immediate.release();
        break;
      case 'ieth':
        this.ieth.wrapForWriting(bytes, at);
        this.ieth.remoteKey = packets.invalidateRkey[packet];
        this.ieth.release();
        break;
      case 'atomicEth':
        this.encodeAtomic(packet, bytes, at);
        break;
      case 'atomicAckEth':
        this.atomicAckEth.wrapForWriting(bytes, at);
        this.atomicAckEth.original = this.operand(packet, 0);
        this.atomicAckEth.release();
        break;
      case 'cnp':
        bytes.fill(0, at, at + EXTENDED_HEADER_BYTES.cnp);
        break;
    }
  }

  /** FETCH ADD carries its addend where COMPARE SWAP carries what it swaps in (9.3.4). */
  private encodeAtomic(packet: number, bytes: Uint8Array, at: number): void {
    const { packets, atomicEth } = this;
    const adds = packets.opcode[packet] === OPCODE.RC_FETCH_ADD;
    atomicEth.wrapForWriting(bytes, at);
    atomicEth.virtualAddressHigh = packets.remoteHigh[packet];
    atomicEth.virtualAddressLow = packets.remoteLow[packet];
    atomicEth.remoteKey = packets.rkey[packet];
    atomicEth.swapOrAdd = this.operand(packet, adds ? 0 : 1);
    atomicEth.compare = adds ? 0n : this.operand(packet, 0);
    atomicEth.release();
  }

  private operand(packet: number, index: number): bigint {
    const words = this.packets.operandWords;
    const at = 4 * packet + 2 * index;
    return (BigInt(words[at + 1]) << WORD_BITS) | BigInt(words[at]);
  }

  private setOperand(packet: number, index: number, value: bigint): void {
    const words = this.packets.operandWords;
    const at = 4 * packet + 2 * index;
    words[at] = Number(value & WORD_MASK);
    words[at + 1] = Number(value >> WORD_BITS);
  }

  /**
   * Reads the UDP payload `bytes[offset, end)` into a packet; a refusal leaves the packet's columns undefined. The ICRC
   * is not verified, `ECN_CE` and the payload's reference are not set: both are in what lies around the datagram.
   */
  decode(bytes: Uint8Array, offset: number, end: number, packet: number): Refusal | null {
    const { datagram, packets } = this;
    const refused = datagram.wrap(bytes, offset, end);
    if (refused !== null) return refused;
    const { bth, extended, info } = datagram;
    packets.opcode[packet] = bth.opcode;
    packets.flags[packet] =
      (bth.ackRequest ? PacketFlag.ACK_REQUEST : 0) |
      (bth.solicitedEvent ? PacketFlag.SOLICITED : 0) |
      (bth.migrationRequest ? PacketFlag.MIGRATION : 0) |
      (bth.fecn ? PacketFlag.FECN : 0) |
      (bth.becn ? PacketFlag.BECN : 0);
    packets.psn[packet] = bth.psn;
    packets.destQpn[packet] = bth.destinationQp;
    packets.partitionKey[packet] = bth.partitionKey;
    packets.payloadBytes[packet] = datagram.payloadEnd - datagram.payloadOffset;
    packets.srcQpn[packet] = 0;
    for (let index = 0; index < info.headers.length; index++) this.decodeHeader(info.headers[index], packet);
    if (this.placed) this.decodePlace(info, packet, bytes);
    this.payloadOffset = datagram.payloadOffset;
    this.payloadEnd = datagram.payloadEnd;
    this.icrcOffset = datagram.icrcOffset;
    extended.release();
    bth.release();
    return null;
  }

  private decodeHeader(name: ExtendedHeaderName, packet: number): void {
    const { packets } = this;
    const { extended } = this.datagram;
    switch (name) {
      case 'deth':
        packets.qkey[packet] = extended.deth.queueKey;
        packets.srcQpn[packet] = extended.deth.sourceQp;
        break;
      case 'reth':
        packets.remoteHigh[packet] = extended.reth.virtualAddressHigh;
        packets.remoteLow[packet] = extended.reth.virtualAddressLow;
        packets.rkey[packet] = extended.reth.remoteKey;
        packets.dmaBytes[packet] = extended.reth.dmaBytes;
        break;
      case 'aeth':
        packets.syndrome[packet] = extended.aeth.syndrome;
        packets.msn[packet] = extended.aeth.msn;
        break;
      case 'immediate':
        packets.immediate[packet] = extended.immediate.value;
        break;
      case 'ieth':
        packets.invalidateRkey[packet] = extended.ieth.remoteKey;
        break;
      case 'atomicEth':
        this.decodeAtomic(packet, extended.atomicEth);
        break;
      case 'atomicAckEth':
        packets.needOperands();
        this.setOperand(packet, 0, extended.atomicAckEth.original);
        break;
      case 'cnp':
        break;
    }
  }

  /** The extension lies between the other headers and the payload: the datagram's length was checked with it. */
  private decodePlace(info: OpcodeInfo, packet: number, bytes: Uint8Array): void {
    const { packets, datagram } = this;
    const size = srnicExtensionBytes(info);
    if (size === 0) return;
    const view = info.operation === 'write' ? this.writePlace : this.sendPlace;
    view.wrap(bytes, datagram.payloadOffset - size, datagram.payloadOffset);
    packets.needPlacement();
    const isAck = info.operation === 'acknowledge';
    // What has an AETH has the same number there.
    if (!info.headers.includes('aeth')) packets.msn[packet] = view.msn;
    packets.placementWords[2 * packet] = isAck ? view.psnOffset : view.ssn;
    packets.placementWords[2 * packet + 1] = isAck ? view.ssn : view.psnOffset;
    if (view instanceof SrnicWriteView) {
      packets.remoteHigh[packet] = view.virtualAddressHigh;
      packets.remoteLow[packet] = view.virtualAddressLow;
      packets.rkey[packet] = view.remoteKey;
      packets.dmaBytes[packet] = 0;
    }
    view.release();
  }

  private decodeAtomic(packet: number, view: AtomicEthView): void {
    const { packets } = this;
    const adds = packets.opcode[packet] === OPCODE.RC_FETCH_ADD;
    packets.remoteHigh[packet] = view.virtualAddressHigh;
    packets.remoteLow[packet] = view.virtualAddressLow;
    packets.rkey[packet] = view.remoteKey;
    packets.needOperands();
    this.setOperand(packet, 0, adds ? view.swapOrAdd : view.compare);
    this.setOperand(packet, 1, adds ? 0n : view.swapOrAdd);
  }
}
