import type { EventId, Simulation } from '../../engine/index.js';
import type { CableSide } from './cable-side.js';
import type { FabricPackets } from './fabric-packets.js';

/** Packets that a way holds at first; a power of two. */
const FIRST_CAPACITY = 32;
/** Packets that are under way for longer are carried by events: an event cannot stand as of a time so far ahead. */
const LONGEST_PS = 2 ** 29;

/** What a passage needs of its switch. */
export interface PassageSwitch {
  readonly arrivalHandler: number;
  /** Whether no port holds or sends what a packet would have to wait for, other than by its own side's `freePs`. */
  readonly isQuiet: boolean;
  /** When what a port has on its wire has left. */
  freePs(port: number): number;
  /** A port has a packet on its wire until then. */
  continue(port: number, untilPs: number): void;
  /** A packet came in by a port at a time that has passed, and still waits. */
  readmit(packet: number, port: number, arrivedPs: number): void;
}

/** How long packets may wait so that a switch neither drops, pauses nor marks, as bytes of one direction. */
export interface CalmBytes {
  /** Before a packet. */
  readonly before: number;
  /** With it. */
  readonly within: number;
}

/** Packets on their way through one port of a switch that have not begun to leave it, oldest first. */
class PassageWay {
  /** When the port is free of all that are on their way. */
  freePs = 0;
  /** The class of the last packet, and when it comes in. */
  priority = 0;
  lastArrivePs = 0;
  readonly beforePs: number;
  readonly withinPs: number;
  private readonly side: CableSide;
  private count = 0;
  private head = 0;
  private packet = new Int32Array(FIRST_CAPACITY);
  private bytes = new Int32Array(FIRST_CAPACITY);
  private arrivePs = new Float64Array(FIRST_CAPACITY);
  private startPs = new Float64Array(FIRST_CAPACITY);
  /** Their arrivals at the other end of the cable. */
  private arrivals: Float64Array = new Float64Array(FIRST_CAPACITY);
  /** When the last that has begun to leave has left. */
  private sentPs = 0;

  constructor(side: CableSide, calm: CalmBytes) {
    this.side = side;
    this.beforePs = side.transferPs(calm.before);
    this.withinPs = side.transferPs(calm.within);
  }

  push(packet: number, bytes: number, arrivePs: number, startPs: number, arrival: EventId): void {
    if (this.count === this.packet.length) this.grow();
    const place = (this.head + this.count++) & (this.packet.length - 1);
    this.packet[place] = packet;
    this.bytes[place] = bytes;
    this.arrivePs[place] = arrivePs;
    this.startPs[place] = startPs;
    this.arrivals[place] = arrival;
  }

  /** Counts and forgets those that have begun to leave. */
  settle(nowPs: number): void {
    while (this.count > 0) {
      const { head } = this;
      const start = this.startPs[head];
      if (start > nowPs) return;
      this.sentPs = this.side.begin(this.bytes[head], start);
      this.side.waitedPs += start - this.arrivePs[head];
      this.head = (head + 1) & (this.packet.length - 1);
      this.count--;
    }
  }

  /** Bytes of a class, or of any where it is -1, that wait in the switch. */
  waitingBytes(nowPs: number, packets: FabricPackets, priority: number): number {
    let bytes = 0;
    for (let index = 0; index < this.count; index++) {
      const place = (this.head + index) & (this.packet.length - 1);
      const isIn = this.arrivePs[place] <= nowPs && nowPs < this.startPs[place];
      if (isIn && (priority < 0 || packets.priority[this.packet[place]] === priority))
        bytes += this.bytes[place];
    }
    return bytes;
  }

  /** Hands all packets over to the events that would have carried them; returns how many. */
  handOver(simulation: Simulation, fabricSwitch: PassageSwitch, ingress: number, port: number): number {
    const { now } = simulation;
    this.settle(now);
    if (this.sentPs > now) fabricSwitch.continue(port, this.sentPs);
    const { count } = this;
    for (; this.count > 0; this.count--) {
      const { head } = this;
      const arrivePs = this.arrivePs[head];
      simulation.cancel(this.arrivals[head]);
      if (arrivePs > now)
        simulation.after(arrivePs - now, fabricSwitch.arrivalHandler, this.packet[head], ingress);
      else fabricSwitch.readmit(this.packet[head], ingress, arrivePs);
      this.head = (head + 1) & (this.packet.length - 1);
    }
    return count;
  }

  private grow(): void {
    this.packet = this.unrolled(this.packet, new Int32Array(2 * this.count));
    this.bytes = this.unrolled(this.bytes, new Int32Array(2 * this.count));
    this.arrivePs = this.unrolled(this.arrivePs, new Float64Array(2 * this.count));
    this.startPs = this.unrolled(this.startPs, new Float64Array(2 * this.count));
    this.arrivals = this.unrolled(this.arrivals, new Float64Array(2 * this.count));
    this.head = 0;
  }

  private unrolled<T extends Int32Array | Float64Array>(column: T, larger: T): T {
    larger.set(column.subarray(this.head));
    larger.set(column.subarray(0, this.head), column.length - this.head);
    return larger;
  }
}

/**
 * The way through a switch between two devices, as arithmetic instead of two events per packet. All that leaves by one
 * port came in by the other, so that as long as nobody is paused and little waits, a packet that leaves its device is
 * known to leave the switch once it has come in and those before it have left. What could change that (a pause, a fault,
 * another class, more bytes) hands all packets that are on their way over to events, which carry them from where they
 * are, and those that follow, until the switch is empty.
 */
export class Passage {
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly fabricSwitch: PassageSwitch;
  /** By port. */
  private readonly sides: readonly CableSide[];
  private readonly ways: readonly PassageWay[];
  /** The device behind each port. */
  private readonly nodes: readonly number[];
  private isOpen = true;
  /** Packets that events carry, from their device until they leave the switch. */
  private carried = 0;

  constructor(
    simulation: Simulation,
    packets: FabricPackets,
    fabricSwitch: PassageSwitch,
    sides: readonly CableSide[],
    nodes: readonly number[],
    calm: CalmBytes,
  ) {
    this.simulation = simulation;
    this.packets = packets;
    this.fabricSwitch = fabricSwitch;
    this.sides = sides;
    this.nodes = nodes;
    this.ways = sides.map((side) => new PassageWay(side, calm));
  }

  /** A packet has left a device and comes in this much later; false where the caller is to bring it there by an event. */
  take(packet: number, ingress: number, delayPs: number): boolean {
    if (!this.isOpen && !this.reopens()) {
      this.carried++;
      return false;
    }
    const { packets, simulation } = this;
    const port = 1 - ingress;
    const way = this.ways[port];
    const side = this.sides[port];
    const { now } = simulation;
    way.settle(now);
    const arrivePs = now + delayPs;
    const bytes = packets.wireBytes[packet];
    const priority = packets.priority[packet];
    const startPs = way.freePs > arrivePs ? way.freePs : arrivePs;
    const endPs = side.endPs(bytes, startPs);
    const laterPs = endPs - now + side.delayPs;
    if (
      laterPs > LONGEST_PS ||
      startPs - arrivePs > way.beforePs ||
      endPs - arrivePs > way.withinPs ||
      (startPs > arrivePs && priority !== way.priority) ||
      arrivePs < way.lastArrivePs ||
      packets.destination[packet] !== this.nodes[port]
    ) {
      this.close();
      this.carried++;
      return false;
    }
    way.freePs = endPs;
    way.priority = priority;
    way.lastArrivePs = arrivePs;
    simulation.afterAsOf(startPs - now, laterPs, side.targetHandler, packet, side.targetPort);
    way.push(packet, bytes, arrivePs, startPs, simulation.scheduled);
    return true;
  }

  /** A packet that an event brought has left the switch, or was dropped there. */
  left(): void {
    this.carried--;
  }

  /** Brings what a port has sent up to now. */
  settle(port: number): void {
    this.ways[port].settle(this.simulation.now);
  }

  /** Bytes of a class, or of any where it is -1, that wait for a port. */
  waitingBytes(port: number, priority: number): number {
    return this.ways[port].waitingBytes(this.simulation.now, this.packets, priority);
  }

  /** Something changes that packets on their way may be struck by: events carry them from now on. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { simulation, fabricSwitch, ways } = this;
    for (let port = 0; port < ways.length; port++)
      this.carried += ways[port].handOver(simulation, fabricSwitch, 1 - port, port);
  }

  private reopens(): boolean {
    if (this.carried > 0 || !this.fabricSwitch.isQuiet) return false;
    for (let port = 0; port < this.ways.length; port++) {
      if (!this.sides[port].isSteady) return false;
      this.ways[port].freePs = this.fabricSwitch.freePs(port);
      this.ways[port].lastArrivePs = 0;
    }
    this.isOpen = true;
    return true;
  }
}
