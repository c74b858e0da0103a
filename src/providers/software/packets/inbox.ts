import {
  ADDRESS_WORDS,
  type CrcUpdate,
  type DatagramBatch,
  IcrcFlow,
  type IcrcStrictness,
  IdentificationBasis,
  type Link,
  SENT_FRAGMENT_WORD,
} from '../../../link/index.js';
import { GSI_QPN } from '../../../transport/cm/index.js';
import { PacketCodec, PacketFlag, type PacketPool } from '../../../transport/index.js';
import { read24 } from '../../../wire/bytes/bytes.js';
import { OPCODE, readIcrc } from '../../../wire/index.js';
import type { DeviceCounters } from '../device/counters.js';
import type { QueuePairRecord } from '../device/queue-pair-record.js';

/** Where in a BTH the destination is (9.2). */
const DESTINATION_QP = 5;
const ECN_MASK = 3;
const CONGESTION_EXPERIENCED = 3;
/** Partition keys are compared without the bit that tells full members from limited ones (10.9.1.2). */
const PARTITION_MASK = 0x7fff;

/** A management datagram that arrived at queue pair 1; valid during the call. */
export interface ManagementDatagram {
  readonly bytes: Uint8Array;
  readonly payloadOffset: number;
  readonly payloadEnd: number;
  readonly sourceGid: Uint8Array;
  readonly gidIndex: number;
  readonly sourceQpn: number;
  readonly qkey: number;
}

/** What the inbox hands checked packets to. */
export interface InboxOwner {
  /** The queue pair of a number, undefined where there is none. */
  recordOf(qpn: number): QueuePairRecord | undefined;
  /** Whether some queue pair has packets with the extension of selective repeat. */
  readonly anyPlaced: boolean;
  deliver(record: QueuePairRecord, packet: number): void;
  deliverManagement(datagram: ManagementDatagram): void;
}

/**
 * Packets on their way in. Bytes from the network are hostile: whatever does not hold is a counter, nothing throws, and
 * nothing is handed on before headers, queue pair, sender, partition and ICRC were checked.
 */
export class Inbox {
  /** The batch that is being received, and where in it the payload of the packet at hand lies. */
  bytes: Uint8Array = new Uint8Array(0);
  payloadOffset = 0;
  /** What IP said about it. */
  sourceGid: Uint8Array = new Uint8Array(16);
  trafficClass = 0;
  gidIndex = 0;
  /** Whether something of what was taken apart last was for a queue pair, and from its peer. */
  delivered = false;
  private readonly link: Link;
  private readonly packets: PacketPool;
  private readonly counters: DeviceCounters;
  private readonly owner: InboxOwner;
  private readonly plain: PacketCodec;
  private readonly placed: PacketCodec;
  /** Of the datagram at hand. */
  private codec: PacketCodec;
  private readonly packet: number;
  private readonly identifications = new IdentificationBasis();
  /** The flow of the last datagram that came from anybody. */
  private readonly anyFlow: IcrcFlow;
  private readonly anyWords = new Uint32Array(ADDRESS_WORDS);
  private anyGidIndex = -1;

  constructor(link: Link, packets: PacketPool, counters: DeviceCounters, owner: InboxOwner, crc: CrcUpdate) {
    this.link = link;
    this.packets = packets;
    this.counters = counters;
    this.owner = owner;
    this.plain = new PacketCodec(packets);
    this.placed = new PacketCodec(packets, true);
    this.codec = this.plain;
    this.packet = packets.take();
    this.anyFlow = new IcrcFlow(link.port, crc);
  }

  /** Takes a batch apart from `from` on, up to this many bytes; returns where it stopped. */
  receive(batch: DatagramBatch, from: number, mostBytes: number): number {
    this.bytes = batch.bytes;
    let left = mostBytes;
    let index = from;
    this.delivered = false;
    while (index < batch.count && left > 0) {
      left -= batch.end[index] - batch.offset[index];
      this.receiveOne(batch, index++);
    }
    return index;
  }

  private receiveOne(batch: DatagramBatch, index: number): void {
    const { packets, packet, counters } = this;
    counters.rx_packets++;
    const { bytes } = batch;
    const codec = this.owner.anyPlaced ? this.codecFor(bytes, batch.offset[index]) : this.plain;
    this.codec = codec;
    if (codec.decode(bytes, batch.offset[index], batch.end[index], packet) !== null) {
      counters.rx_malformed++;
      return;
    }
    const qpn = packets.destQpn[packet];
    const record = this.owner.recordOf(qpn);
    // Queue pair 1 takes datagrams alone.
    const management = qpn === GSI_QPN && packets.opcode[packet] === OPCODE.UD_SEND_ONLY;
    if (record === undefined && !management) {
      counters.rx_unknown_qp++;
      return;
    }
    if (((packets.partitionKey[packet] ^ 0xffff) & PARTITION_MASK) !== 0) {
      counters.rx_bad_partition_key++;
      return;
    }
    const flow = record === undefined ? this.flowOf(batch, index) : this.flowFor(record, batch, index);
    if (flow === null) {
      counters.rx_stranger++;
      return;
    }
    if (!this.verify(flow, batch, index)) {
      counters.rx_bad_icrc++;
      return;
    }
    this.trafficClass = batch.trafficClass[index];
    this.gidIndex = batch.gidIndex[index];
    this.payloadOffset = codec.payloadOffset;
    if ((this.trafficClass & ECN_MASK) === CONGESTION_EXPERIENCED) packets.flags[packet] |= PacketFlag.ECN_CE;
    if (record === undefined) this.deliverManagement(batch, index);
    else {
      this.delivered = true;
      if (record.route === null) this.noteSource(batch, index);
      this.owner.deliver(record, packet);
    }
  }

  /** How to read a datagram: what its headers are depends on the queue pair that it is for. */
  private codecFor(bytes: Uint8Array, offset: number): PacketCodec {
    const record = this.owner.recordOf(read24(bytes, offset + DESTINATION_QP));
    return record?.placed === true ? this.placed : this.plain;
  }

  /** The flow that a packet for a queue pair belongs to; null where it comes from somebody else than its peer (9.6.1.5). */
  private flowFor(record: QueuePairRecord, batch: DatagramBatch, index: number): IcrcFlow | null {
    const { route } = record;
    if (record.endpoint.type === 'UD') return this.flowOf(batch, index);
    if (route === null || route.gidIndex !== batch.gidIndex[index]) return null;
    const { words } = route;
    const { addressWords } = batch;
    const at = ADDRESS_WORDS * index;
    if (
      addressWords[at + 3] !== words[3] ||
      addressWords[at + 2] !== words[2] ||
      addressWords[at + 1] !== words[1] ||
      addressWords[at] !== words[0]
    )
      return null;
    const port = batch.sourcePort[index];
    if (route.incoming.sourcePort !== port) route.incoming.setSourcePort(port);
    return route.incoming;
  }

  /** The flow of a datagram from anybody. */
  private flowOf(batch: DatagramBatch, index: number): IcrcFlow | null {
    const { anyFlow, anyWords } = this;
    const at = ADDRESS_WORDS * index;
    const gidIndex = batch.gidIndex[index];
    const own = this.link.gids[gidIndex];
    if (own === undefined) return null;
    const port = batch.sourcePort[index];
    let same = gidIndex === this.anyGidIndex && port === anyFlow.sourcePort;
    for (let word = 0; word < ADDRESS_WORDS; word++) {
      if (anyWords[word] === batch.addressWords[at + word]) continue;
      same = false;
      anyWords[word] = batch.addressWords[at + word];
    }
    if (!same) {
      this.noteSource(batch, index);
      anyFlow.set(this.sourceGid, own, port);
      this.anyGidIndex = gidIndex;
    }
    return anyFlow;
  }

  private noteSource(batch: DatagramBatch, index: number): void {
    const at = 16 * index;
    for (let byte = 0; byte < 16; byte++) this.sourceGid[byte] = batch.addressBytes[at + byte];
  }

  /** Compares the ICRC as strictly as the link allows. */
  private verify(flow: IcrcFlow, batch: DatagramBatch, index: number): boolean {
    const { icrcOffset } = this.codec;
    const { bytes } = batch;
    const strictness: IcrcStrictness = flow.isIpv4
      ? this.link.abilities.icrc.ipv4
      : this.link.abilities.icrc.ipv6;
    if (strictness === 'none') return true;
    const offset = batch.offset[index];
    const difference = (flow.icrcOf(bytes, offset, icrcOffset) ^ readIcrc(bytes, icrcOffset)) >>> 0;
    if (!flow.isIpv4) return difference === 0;
    const datagramBytes = batch.end[index] - offset;
    const change = batch.fragmentWord[index] ^ SENT_FRAGMENT_WORD;
    if (difference === this.identifications.effect(change, datagramBytes)) return true;
    return strictness === '16 bits' && this.identifications.solve(difference, datagramBytes) >= 0;
  }

  private deliverManagement(batch: DatagramBatch, index: number): void {
    const { packets, packet } = this;
    this.noteSource(batch, index);
    this.owner.deliverManagement({
      bytes: this.bytes,
      payloadOffset: this.payloadOffset,
      payloadEnd: this.codec.payloadEnd,
      sourceGid: this.sourceGid,
      gidIndex: this.gidIndex,
      sourceQpn: packets.srcQpn[packet],
      qkey: packets.qkey[packet],
    });
  }
}
