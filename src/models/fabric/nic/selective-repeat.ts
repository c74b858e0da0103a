import type { FlowTable } from './flow-table.js';
import { PacketSets } from './packet-sets.js';

/**
 * The sender's side of selective repeat (IRN, §3.1): packets that arrived beyond a gap are remembered, and what is
 * missing below the highest of them is sent again, once, until the gap is closed or the timer fires. The bytes in flight
 * never exceed what fits on the way (BDP-FC, §3.2).
 */
export class SelectiveRepeat {
  private readonly flows: FlowTable;
  private readonly payloadBytes: number;
  private readonly capBytes: Float64Array;
  private readonly arrived: PacketSets;
  /** Highest offset that arrived beyond the gap. */
  private readonly highest: Float64Array;
  /** Recovery ends when everything below is acknowledged; 0: there is nothing to recover. */
  private readonly until: Float64Array;
  /** What is missing and to be sent again; -1: nothing. */
  private readonly lost: Float64Array;

  /** `capBytes` is what fits on the way of each flow. */
  constructor(flows: FlowTable, payloadBytes: number, capBytes: Float64Array) {
    this.flows = flows;
    this.payloadBytes = payloadBytes;
    // A flow always has room for one packet.
    this.capBytes = capBytes.map((bytes) => Math.max(bytes, payloadBytes));
    this.arrived = new PacketSets(flows.count, windowPackets(this.capBytes, payloadBytes));
    this.highest = new Float64Array(flows.count);
    this.until = new Float64Array(flows.count);
    this.lost = new Float64Array(flows.count).fill(-1);
  }

  /** The offset of a packet to send again; -1 if there is none. */
  lostOffset(flow: number): number {
    return this.lost[flow];
  }

  isFull(flow: number, inFlightBytes: number): boolean {
    return inFlightBytes >= this.capBytes[flow];
  }

  /** The packet at `lostOffset` was sent again. */
  onResent(flow: number): void {
    this.lost[flow] = this.missing(flow, this.lost[flow] + this.payloadBytes);
  }

  /** Everything below the flow's `ackedBytes` arrived; `before` was known already. */
  onAcked(flow: number, before: number): void {
    const acked = this.flows.ackedBytes[flow];
    for (let offset = before; offset < acked; offset += this.payloadBytes)
      this.arrived.delete(flow, offset / this.payloadBytes);
    if (acked >= this.until[flow]) {
      this.until[flow] = 0;
      this.lost[flow] = -1;
    } else if (this.lost[flow] >= 0 && this.lost[flow] < acked) {
      this.lost[flow] = this.missing(flow, acked);
    }
  }

  /** A packet arrived beyond the gap. */
  onGap(flow: number, offset: number): void {
    const { flows } = this;
    if (offset < flows.ackedBytes[flow]) return;
    this.arrived.add(flow, offset / this.payloadBytes);
    const nothingKnown = this.until[flow] > 0 && this.lost[flow] < 0;
    const known = this.highest[flow];
    this.highest[flow] = Math.max(known, offset);
    if (this.until[flow] === 0) this.recover(flow);
    // What lies between the old and the new highest is newly known to be missing.
    else if (nothingKnown && offset > known)
      this.lost[flow] = this.missing(flow, Math.max(known, flows.ackedBytes[flow]));
  }

  /** The timer fired: what is missing first is sent again, whatever was sent before. */
  onTimeout(flow: number): void {
    this.recover(flow);
  }

  private recover(flow: number): void {
    this.until[flow] = this.flows.nextBytes[flow];
    this.lost[flow] = this.flows.ackedBytes[flow];
  }

  /** The first packet from an offset on that is missing below the highest that arrived. */
  private missing(flow: number, from: number): number {
    for (let offset = from; offset < this.highest[flow]; offset += this.payloadBytes)
      if (!this.arrived.has(flow, offset / this.payloadBytes)) return offset;
    return -1;
  }
}

/** Packets that a window has at most: what fits on the longest way, and the one that ends it. */
export function windowPackets(capBytes: Float64Array, payloadBytes: number): number {
  return Math.ceil(capBytes.reduce((most, each) => Math.max(most, each), 0) / payloadBytes) + 2;
}
