import type { Random, Simulation } from '../../engine/index.js';
import type { TelemetryFormat } from '../../transport/congestion/rates/feedback.js';
import { type CableOptions, CableSide, PRIORITIES } from './cable-side.js';
import { BUSY, PortQueues, pausedBit } from './core/ports/port-queues.js';
import {
  ACK,
  DATA,
  FLOW,
  GUEST,
  KIND_MASK,
  LANE_MASK,
  LANE_SHIFT,
  MARKED,
  META,
  PAUSE,
  PORT,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SIZE,
} from './core/records.js';
import type { FabricPackets } from './fabric-packets.js';
import { Passage, type PassageSwitch } from './passage.js';
import type { BufferPolicy } from './switching/buffer-policy.js';
import { LaneShares } from './switching/lane-shares.js';
import { Marking, type MarkingThresholds } from './switching/marking.js';
import { SwitchPlane } from './switching/switch-plane.js';
import type { Transmitter } from './switching/transmitter.js';

const PS_PER_NS = 1000;
/** The classes follow lane 0, which is of pause frames. */
const FIRST_LANE = 1;
/** A PFC frame on the wire (802.1Qbb), padded to Ethernet's least. */
const PFC_BYTES = 64;

/** Queues of a switch's buffer policy are numbered `(port << QUEUE_SHIFT) | lane`; class 0 is lane 1. */
export const QUEUE_SHIFT = Math.ceil(Math.log2(FIRST_LANE + PRIORITIES));

/** What a switch of a world is made of. */
export interface WorldSwitchOptions {
  name: string;
  /** How many ports it has. */
  ports: number;
  /** Who may use its memory. */
  buffer: BufferPolicy;
  /** When it marks packets; null: never. */
  marking: MarkingThresholds | null;
  /** How packets carry telemetry; null: they do not. */
  telemetry: TelemetryFormat | null;
  /** Weights of the classes; default: equal. */
  weights?: readonly number[];
  /** Classes that go before all others, the highest first; default: none. */
  strict?: readonly number[];
}

/** A cable at a switch: what it sends by, and how it pauses the other end. */
export interface SwitchCable extends CableOptions {
  /** Called with (`target.port`, class, 1 to pause or 0 to resume) when a pause frame has reached the other end. */
  pauseHandler: number;
  /** How long a pause frame is under way. */
  pauseDelayPs: number;
}

/** The sending side of a cable at a switch. */
export class SwitchSide extends CableSide {
  readonly pauseHandler: number;
  readonly pauseDelayPs: number;
  readonly port: number;
  /** When what it has on its wire has left, as far as events sent it. */
  freePs = 0;
  /** The way without events to this port; null where there is none. */
  passage: Passage | null = null;
  private readonly queues: PortQueues;

  constructor(cable: SwitchCable, port: number, queues: PortQueues) {
    super(cable);
    this.pauseHandler = cable.pauseHandler;
    this.pauseDelayPs = cable.pauseDelayPs;
    this.port = port;
    this.queues = queues;
  }

  queuedBytesOf(priority: number): number {
    const passing = this.passage?.waitingBytes(this.port, priority) ?? 0;
    return passing + this.queues.queueBytes[(this.port << QUEUE_SHIFT) | (priority + FIRST_LANE)];
  }

  isPaused(priority: number): boolean {
    return this.queues.isPaused(this.port, priority + FIRST_LANE);
  }

  override settle(): void {
    this.passage?.settle(this.port);
  }
}

/**
 * A switch of a simulated world: the fabric's {@link SwitchPlane} on the simulation's clock, between cables whose packets
 * are those of devices. A packet has a record of the plane while it is in the switch.
 */
export class WorldSwitch implements Transmitter, PassageSwitch {
  readonly name: string;
  readonly arrivalHandler: number;
  /** The other end of a port pauses or resumes a class: called with (port, class, 1 or 0). */
  readonly pauseHandler: number;
  /** Packets for a node that it knows no way to; they are dropped. */
  unroutable = 0;
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly records: Records;
  private readonly plane: SwitchPlane;
  private readonly queues: PortQueues;
  private readonly buffer: BufferPolicy;
  private readonly rateBps: Float64Array;
  /** The sending sides of its cables, by port. */
  readonly sides: SwitchSide[] = [];
  /** Egress ports by node; undefined where no way is known. */
  private readonly routes: (readonly number[] | undefined)[] = [];
  /** Makes the hash of each switch another, so that flows that met at one part at the next. */
  private readonly hashSeed: number;
  private readonly freeHandler: number;
  private readonly marking: MarkingThresholds | null;
  /** Whether packets carry telemetry, which is written as they leave. */
  private readonly measures: boolean;
  private passage: Passage | null = null;

  constructor(
    simulation: Simulation,
    packets: FabricPackets,
    records: Records,
    random: Random,
    options: WorldSwitchOptions,
  ) {
    const { name, ports, buffer, marking } = options;
    this.simulation = simulation;
    this.packets = packets;
    this.records = records;
    this.name = name;
    this.marking = marking;
    this.measures = options.telemetry !== null;
    this.buffer = buffer;
    this.hashSeed = nameHash(name);
    this.queues = new PortQueues(ports, QUEUE_SHIFT);
    this.rateBps = new Float64Array(ports);
    const coins = { toss: () => random.nextFloat(), onPauseFrame() {} };
    const weights = Array.from({ length: PRIORITIES }, (_, priority) => options.weights?.[priority] ?? 1);
    this.plane = new SwitchPlane({
      records,
      wire: this,
      ports: this.queues,
      rateBps: this.rateBps,
      policy: buffer,
      marking: new Marking(new Array(ports).fill(marking ?? undefined), coins, 'arrival'),
      telemetry: options.telemetry,
      cellBytes: 0,
      pauseBytes: PFC_BYTES,
      onPauseFrame: () => {},
      repeats: null,
      shares: new LaneShares(
        ports,
        [...new Array(FIRST_LANE).fill(0), ...weights],
        (options.strict ?? []).map((priority) => priority + FIRST_LANE),
      ),
      watched: false,
      onGuestLost: (packet) => this.drop(packet),
    });
    this.arrivalHandler = simulation.register(`${name}/arrive`, (packet, port) => this.arrive(packet, port));
    this.freeHandler = simulation.register(`${name}/sent`, (port) => this.onFree(port));
    this.pauseHandler = simulation.register(`${name}/pause`, (port, priority, paused) =>
      this.hold(port, priority + FIRST_LANE, paused === 1),
    );
  }

  get nowNs(): number {
    return Math.floor(this.simulation.now / PS_PER_NS);
  }

  /** Packets that found the buffer full. On a lossless class that is a fault of the configuration. */
  get drops(): number {
    return this.plane.drops;
  }

  get marks(): number {
    return this.plane.marks;
  }

  /** Pauses and resumes that it sent. */
  get pauseFrames(): number {
    return this.plane.pauseFrames + this.plane.resumeFrames;
  }

  /** Bytes in it. */
  get occupancyBytes(): number {
    let passing = 0;
    if (this.passage !== null)
      for (const { port } of this.sides) passing += this.passage.waitingBytes(port, -1);
    return passing + this.buffer.heldBytes();
  }

  /** How many ports are joined. */
  get portCount(): number {
    return this.sides.length;
  }

  /** Joins the next port to its cable. */
  addPort(cable: SwitchCable): CableSide {
    const side = new SwitchSide(cable, this.sides.length, this.queues);
    this.rateBps[this.sides.length] = cable.gbps * 1e9;
    this.sides.push(side);
    return side;
  }

  /** Sends what is for a node out of one of these ports: each flow out of one, by a hash (equal-cost multipath). */
  route(node: number, ports: readonly number[]): void {
    this.routes[node] = ports;
  }

  /**
   * Opens a way without events between the devices at its two ports, whose numbers are given; null where there can be
   * none. All that comes in must take it.
   */
  openPassage(nodes: readonly number[]): Passage | null {
    const calmBytes = this.buffer.calmBytes?.(nodes.length) ?? 0;
    if (this.sides.length !== 2 || nodes.length !== 2 || this.measures || calmBytes === 0) return null;
    if (nodes.some((node, port) => this.routes[node]?.length !== 1 || this.routes[node][0] !== port))
      return null;
    const before = Math.min(calmBytes, this.marking?.minBytes ?? calmBytes);
    const calm = { before, within: calmBytes };
    this.passage = new Passage(this.simulation, this.packets, this, this.sides, nodes, calm);
    for (const side of this.sides) side.passage = this.passage;
    return this.passage;
  }

  /** Whether nothing waits, and nobody is paused. */
  get isQuiet(): boolean {
    const { queues } = this;
    for (let port = 0; port < queues.count; port++)
      if (queues.waiting(port) !== 0 || queues.paused(port) !== 0) return false;
    return this.buffer.pausedQueues() === 0;
  }

  freePs(port: number): number {
    return this.sides[port].freePs;
  }

  continue(port: number, untilPs: number): void {
    if (this.sides[port].freePs >= untilPs) return;
    this.queues.status[port] |= BUSY;
    this.sides[port].freePs = untilPs;
    this.simulation.after(untilPs - this.simulation.now, this.freeHandler, port);
  }

  readmit(packet: number, port: number, arrivedPs: number): void {
    this.arrive(packet, port);
    this.packets.timePs[packet] = arrivedPs;
  }

  /** Something about its cables is about to change. */
  disturb(): void {
    this.passage?.close();
  }

  /** The port that a packet leaves by; -1 where no way is known. */
  portOf(packet: number): number {
    const { packets } = this;
    const ports = this.routes[packets.destination[packet]];
    if (ports === undefined || ports.length === 0) return -1;
    if (ports.length === 1) return ports[0];
    return ports[packets.flowHash(packet, this.hashSeed) % ports.length];
  }

  /** Puts a frame on the wire of a port: a packet, whose record ends here, or a pause. */
  send(port: number, record: number, bytes: number): void {
    const { simulation, packets, records } = this;
    const side = this.sides[port];
    const { now } = simulation;
    side.freePs = side.begin(bytes, now);
    const busyPs = side.freePs - now;
    this.queues.status[port] |= BUSY;
    simulation.after(busyPs, this.freeHandler, port);
    const at = record << RECORD_SHIFT;
    const meta = records.words[at + META];
    if ((meta & KIND_MASK) === PAUSE) {
      const priority = ((meta >>> LANE_SHIFT) & LANE_MASK) - FIRST_LANE;
      const pauses = records.words[at + ROUTE];
      records.free(record);
      simulation.after(busyPs + side.pauseDelayPs, side.pauseHandler, side.targetPort, priority, pauses);
      return;
    }
    this.passage?.left();
    const packet = records.ends[at + FLOW];
    if ((meta & KIND_MASK) === DATA) this.copyTelemetry(records.telemetry, record, packets.telemetry, packet);
    records.free(record);
    if ((meta & MARKED) !== 0) packets.mark(packet);
    side.waitedPs += now - packets.timePs[packet];
    if (side.loses(packets, packet)) packets.drop(packet);
    else simulation.after(busyPs + side.delayPs, side.targetHandler, packet, side.targetPort);
  }

  private arrive(packet: number, port: number): void {
    const { packets, records } = this;
    const egress = this.portOf(packet);
    if (egress < 0) {
      this.unroutable++;
      this.drop(packet);
      return;
    }
    packets.timePs[packet] = this.simulation.now;
    const record = records.take();
    const { words } = records;
    const at = record << RECORD_SHIFT;
    words[at + SIZE] = packets.wireBytes[packet];
    // Data is what switches add telemetry to.
    const kind = packets.telemetryStride > 0 && packets.payloadBytes[packet] > 0 ? DATA : ACK;
    words[at + META] = kind | GUEST | ((packets.priority[packet] + FIRST_LANE) << LANE_SHIFT);
    if (kind === DATA) this.copyTelemetry(packets.telemetry, packet, records.telemetry, record);
    words[at + PORT] = port;
    records.ends[at + FLOW] = packet;
    this.plane.receive(record, port, egress);
  }

  private copyTelemetry(from: Int32Array, index: number, to: Int32Array, at: number): void {
    const stride = this.records.telemetryStride;
    for (let word = 0; word < stride; word++) to[at * stride + word] = from[index * stride + word];
  }

  private drop(packet: number): void {
    this.passage?.left();
    this.packets.drop(packet);
  }

  private onFree(port: number): void {
    // The event of a packet behind which another has passed comes too early.
    if (this.simulation.now < this.sides[port].freePs) return;
    this.queues.status[port] &= ~BUSY;
    this.plane.serve(port);
  }

  private hold(port: number, lane: number, paused: boolean): void {
    const { queues } = this;
    this.passage?.close();
    if (paused) {
      queues.status[port] |= pausedBit(lane);
      return;
    }
    queues.status[port] &= ~pausedBit(lane);
    if (queues.isIdle(port)) this.plane.serve(port);
  }
}

/** FNV-1a of a name. */
function nameHash(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return hash;
}
