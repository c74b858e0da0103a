import type { DatagramBatch, Link } from '../../../link/index.js';
import { PacketCodec, type PacketPool } from '../../../transport/index.js';
import { ICRC_BYTES, writeIcrc } from '../../../wire/index.js';
import type { Route } from './route.js';

/** Datagrams and bytes of a batch. What stays in the processor's cache until the kernel has copied it is fastest. */
const BATCH_DATAGRAMS = 128;
const BATCH_BYTES = 256 * 1024;

/** Packets on their way out: written straight into the memory that the link sends from, sealed, sent in batches. */
export class Outbox {
  /** The link took less than it was given: nothing is added until it can take more. */
  blocked = false;
  /** Bytes sent since somebody set it to 0. */
  sentBytes = 0;
  readonly batch: DatagramBatch;
  private readonly link: Link;
  private readonly packets: PacketPool;
  private readonly plain: PacketCodec;
  private readonly placed: PacketCodec;
  /** Of the packet that was begun. */
  private codec: PacketCodec;
  private readonly maxBytes: number;
  private start = 0;
  private from = 0;

  constructor(link: Link, packets: PacketPool) {
    this.link = link;
    this.packets = packets;
    this.plain = new PacketCodec(packets);
    this.placed = new PacketCodec(packets, true);
    this.codec = this.plain;
    this.maxBytes = link.abilities.maxDatagramBytes;
    this.batch = link.createBatch(BATCH_DATAGRAMS, BATCH_BYTES);
  }

  /**
   * Makes room for a packet, sending what is there if need be; false where the link is full. `placed`: with the extension
   * of selective repeat.
   */
  begin(placed = false): boolean {
    if (this.blocked) return false;
    this.codec = placed ? this.placed : this.plain;
    if (!this.batch.hasRoom(this.maxBytes)) this.flush();
    if (this.blocked) return false;
    this.start = this.batch.open(this.maxBytes);
    return true;
  }

  /** Where the payload of the packet that was begun goes; its opcode is set. */
  payloadAt(packet: number): number {
    return this.start + this.codec.headerBytes[this.packets.opcode[packet]];
  }

  /** Writes the headers around the payload, pads and seals the packet and adds it to the batch. */
  finish(packet: number, route: Route): void {
    const { batch, start } = this;
    const { bytes } = batch;
    const payloadBytes = this.packets.payloadBytes[packet];
    let end = this.codec.encode(packet, bytes, start) + payloadBytes;
    for (let pad = -payloadBytes & 3; pad > 0; pad--) bytes[end++] = 0;
    writeIcrc(bytes, end, route.outgoing.icrcOf(bytes, start, end));
    const index = batch.commit(end + ICRC_BYTES, route.words, 0);
    batch.gidIndex[index] = route.gidIndex;
    batch.trafficClass[index] = route.trafficClass;
    this.sentBytes += end - start;
  }

  /** Sends what is there. */
  flush(): void {
    const { batch } = this;
    if (batch.count === 0) return;
    this.from = this.link.send(batch, this.from);
    this.blocked = this.from < batch.count;
    if (this.blocked) return;
    batch.clear();
    this.from = 0;
  }

  /** The link can take more. */
  unblock(): void {
    this.blocked = false;
    this.flush();
  }
}
