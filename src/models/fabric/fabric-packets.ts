import { PacketFlag, PacketPool } from '../../transport/index.js';
import { grown } from '../../verbs/base/queues/column.js';

/** The packets of a whole simulation: the transport's columns, and what the way through a fabric adds. */
export class FabricPackets extends PacketPool {
  /** The node that the packet is for. */
  destination = new Int32Array(0);
  /** The node that sent it. */
  source = new Int32Array(0);
  /** Traffic class, 0 to 7. */
  priority = new Uint8Array(0);
  /** The field of that name in the IP header, as the address vector has it: DSCP and ECN bits. */
  ipTrafficClass = new Uint8Array(0);
  /** The port of a switch that it came in by. */
  ingress = new Int32Array(0);
  /** The port that it leaves by. */
  egress = new Int32Array(0);
  /** How far the receiving device is with it. */
  stage = new Uint8Array(0);
  /** When the receive WQE that it took is on chip. */
  receivePs = new Float64Array(0);
  /** Called when a packet ends other than by delivery; whoever owns its payload frees it. */
  onDrop: (packet: number) => void = (packet) => this.free(packet);

  /** Ends a packet that the fabric lost. */
  drop(packet: number): void {
    this.onDrop(packet);
  }

  /** Sets the 'congestion experienced' mark of the IP header. */
  mark(packet: number): void {
    this.flags[packet] |= PacketFlag.ECN_CE;
  }

  /**
   * A hash of the flow that a packet belongs to: its two nodes and queue pairs, which on a wire are the addresses and
   * the UDP source port (RoCEv2, A17.9.2). All packets of a flow in one direction have the same.
   */
  flowHash(packet: number, seed: number): number {
    let hash = Math.imul(this.source[packet] ^ seed, 0x9e3779b1);
    hash = Math.imul((hash ^ (hash >>> 15)) + this.destination[packet], 0x85ebca6b);
    hash = Math.imul((hash ^ (hash >>> 13)) + this.srcQpn[packet], 0xc2b2ae35);
    hash = Math.imul((hash ^ (hash >>> 16)) + this.destQpn[packet], 0x27d4eb2f);
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  protected override growColumns(capacity: number): void {
    super.growColumns(capacity);
    this.destination = grown(this.destination, capacity);
    this.source = grown(this.source, capacity);
    this.priority = grown(this.priority, capacity);
    this.ipTrafficClass = grown(this.ipTrafficClass, capacity);
    this.ingress = grown(this.ingress, capacity);
    this.egress = grown(this.egress, capacity);
    this.stage = grown(this.stage, capacity);
    this.receivePs = grown(this.receivePs, capacity);
  }
}
