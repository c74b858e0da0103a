import { PacketFlag, PacketPool } from '../../transport/index.js';
import { grown } from '../../verbs/base/queues/slots.js';

/** The packets of a whole simulation: the transport's columns, and what the way through a fabric adds. */
export class FabricPackets extends PacketPool {
  /** The node that the packet is for. */
  destination = new Int32Array(0);
  /** The node that sent it. */
  source = new Int32Array(0);
  /** Traffic class, 0 to 7. */
  priority = new Uint8Array(0);
  /** The port of a switch that it came in by. */
  ingress = new Int32Array(0);
  /** How far the receiving device is with it. */
  stage = new Uint8Array(0);
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

  protected override growColumns(capacity: number): void {
    super.growColumns(capacity);
    this.destination = grown(this.destination, capacity);
    this.source = grown(this.source, capacity);
    this.priority = grown(this.priority, capacity);
    this.ingress = grown(this.ingress, capacity);
    this.stage = grown(this.stage, capacity);
  }
}
