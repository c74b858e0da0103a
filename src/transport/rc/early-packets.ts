import { NO_REFERENCE, type PacketPool } from '../packet/packet-pool.js';

const FIRST_CAPACITY = 64;

/**
 * The headers of packets that came before their turn, by PSN: rows of the packet pool, without payload, which is in its
 * place. It takes no memory until the first one comes.
 */
export class EarlyPackets {
  private readonly packets: PacketPool;
  /** Rows by the low bits of their PSN. */
  private slots = new Int32Array(0);
  private count = 0;

  constructor(packets: PacketPool) {
    this.packets = packets;
  }

  /** The row of a PSN, `NO_REFERENCE` where none is kept. */
  at(psn: number): number {
    if (this.count === 0) return NO_REFERENCE;
    const packet = this.slots[psn & (this.slots.length - 1)];
    return packet !== NO_REFERENCE && this.packets.psn[packet] === psn ? packet : NO_REFERENCE;
  }

  isKept(psn: number): boolean {
    return this.at(psn) !== NO_REFERENCE;
  }

  /** Keeps a copy of a packet's headers. */
  keep(packet: number): void {
    const { packets } = this;
    const row = packets.take();
    packets.copy(packet, row);
    while (this.isTaken(packets.psn[row])) this.enlarge();
    this.slots[packets.psn[row] & (this.slots.length - 1)] = row;
    this.count++;
  }

  /** Gives a row up; it is the caller's to free. */
  take(psn: number): number {
    const row = this.at(psn);
    this.slots[psn & (this.slots.length - 1)] = NO_REFERENCE;
    this.count--;
    return row;
  }

  /** Forgets and frees all. */
  clear(): void {
    if (this.count === 0) return;
    for (const row of this.slots) if (row !== NO_REFERENCE) this.packets.free(row);
    this.slots.fill(NO_REFERENCE);
    this.count = 0;
  }

  private isTaken(psn: number): boolean {
    return this.slots.length === 0 || this.slots[psn & (this.slots.length - 1)] !== NO_REFERENCE;
  }

  private enlarge(): void {
    const { slots, packets } = this;
    this.slots = new Int32Array(Math.max(FIRST_CAPACITY, 2 * slots.length)).fill(NO_REFERENCE);
    for (const row of slots)
      if (row !== NO_REFERENCE) this.slots[packets.psn[row] & (this.slots.length - 1)] = row;
  }
}
