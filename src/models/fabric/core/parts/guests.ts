import type { FlowTable } from '../../nic/flow-table.js';
import { PAUSE_BYTES } from '../../switching/switch-plane.js';
import type { PortPlan } from '../../topology/port-plan.js';
import type { Wheel } from '../events/wheel.js';
import type { Lanes } from '../ports/lanes.js';
import {
  ACK,
  ARRIVED,
  FLOW,
  GUEST,
  KIND_MASK,
  LANE_MASK,
  LANE_SHIFT,
  MARKED,
  META,
  NACK,
  PAUSE,
  PORT,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SEQ,
  SIZE,
  STAMP,
} from '../records.js';
import type { GuestHosts, GuestWays } from './guest-hosts.js';

/** A data packet of a light flow to a guest. */
export interface LightPacket {
  flow: number;
  /** Where it belongs in its flow. */
  offset: number;
  /** Bytes on the wire. */
  bytes: number;
  marked: boolean;
  /** When it was sent: the low 32 bits of nanoseconds. */
  stamp: number;
  /** The words of its telemetry; null unless it carries any. */
  telemetry: Int32Array | null;
  arrivalNs: number;
}

/** What a guest answers to a light flow. */
export interface LightAnswer {
  /** Whether it asks for what it has not got. */
  readonly isNak: boolean;
  /** Everything below has arrived. */
  readonly seq: number;
  readonly bytes: number;
  readonly marked: boolean;
  readonly stamp: number;
  readonly telemetry: Int32Array | null;
  readonly arrivalNs: number;
}

/** The simulation that drives the guests. Times are of the fabric's clock, and never before the end of a window. */
export interface GuestSide {
  /** A packet reaches a guest. */
  arrive(guest: number, packet: number, marked: boolean, arrivalNs: number): void;
  /** A packet of a light flow reaches a guest. The object is filled in again and again. */
  arriveLight(guest: number, packet: LightPacket): void;
  /** A pause or resume of a class reaches a guest. */
  pause(guest: number, trafficClass: number, pauses: boolean, arrivalNs: number): void;
  /** A packet was dropped or lost on the way. */
  lost(packet: number): void;
}

/** The part of a fabric that a guest's packets enter. */
interface Entrance {
  readonly records: Records;
  readonly wheel: Wheel;
}

/** The door between a fabric and the simulation of its guests. Guests are known by their place in the list. */
export class Guests {
  /** What the fabric does reaches no guest within this many nanoseconds: both sides may run apart for as long. */
  readonly windowNs: number;
  /** Packets that came in, and that reached a guest. */
  sentPackets = 0;
  arrivedPackets = 0;
  /** Data of light flows that reached a guest: packets, and their bytes on the wire. */
  lightPackets = 0;
  lightBytes = 0;
  private readonly light: LightPacket = {
    flow: 0,
    offset: 0,
    bytes: 0,
    marked: false,
    stamp: 0,
    telemetry: null,
    arrivalNs: 0,
  };
  private readonly flows: FlowTable;
  private readonly lanes: Lanes;
  private readonly ways: GuestWays;
  private readonly side: GuestSide;
  /** By port of a host: the guest; -1 for others. */
  private readonly guestOf: Int32Array;
  /** By guest: the port of the switch that its cable ends at, and the domain of that. */
  private readonly switchPort: Int32Array;
  private readonly domainOf: readonly Entrance[];

  constructor(parts: {
    hosts: GuestHosts;
    plan: PortPlan;
    lanes: Lanes;
    ways: GuestWays;
    side: GuestSide;
    flows: FlowTable;
    /** The domain of a node. */
    domainOf: (node: number) => Entrance;
  }) {
    const { hosts, plan, domainOf } = parts;
    this.lanes = parts.lanes;
    this.ways = parts.ways;
    this.side = parts.side;
    this.flows = parts.flows;
    this.guestOf = new Int32Array(plan.hostPorts).fill(-1);
    this.switchPort = Int32Array.from(hosts.nodes, (node) => plan.peer[plan.portBegin[node]]);
    this.domainOf = hosts.nodes.map((_, guest) => domainOf(plan.node[this.switchPort[guest]]));
    for (const [guest, node] of hosts.nodes.entries()) this.guestOf[plan.portBegin[node]] = guest;
    this.windowNs = this.switchPort.reduce((least, port) => Math.min(least, plan.delayNs[port]), Infinity);
  }

  /** A packet of a guest reaches the switch at the end of its cable. `hash` tells its flow. */
  send(
    guest: number,
    target: number,
    packet: number,
    bytes: number,
    trafficClass: number,
    hash: number,
    arrivalNs: number,
  ): void {
    const lane = this.lanes.laneOf[trafficClass];
    this.sentPackets++;
    // Not `DATA`: it carries no telemetry and is none of the flows' bytes.
    this.put(guest, bytes, ACK | GUEST | (lane << LANE_SHIFT), arrivalNs, packet, target, hash);
  }

  /** A pause or resume of a guest reaches the switch at the end of its cable. */
  sendPause(guest: number, trafficClass: number, pauses: boolean, arrivalNs: number): void {
    const { records, wheel } = this.domainOf[guest];
    const record = records.take();
    const at = record << RECORD_SHIFT;
    const { words } = records;
    words[at + SIZE] = PAUSE_BYTES;
    words[at + META] = PAUSE | (this.lanes.laneOf[trafficClass] << LANE_SHIFT);
    words[at + PORT] = this.switchPort[guest];
    words[at + ROUTE] = pauses ? 1 : 0;
    wheel.after(arrivalNs - wheel.nowNs, record);
  }

  /** Whether a port of a host is a guest's. */
  has(port: number): boolean {
    return port < this.guestOf.length && this.guestOf[port] >= 0;
  }

  /** Hands a record that leaves the fabric to the other side; the record stays its domain's. */
  leave(records: Records, record: number, port: number, arrivalNs: number): void {
    const at = record << RECORD_SHIFT;
    const meta = records.words[at + META];
    const guest = this.guestOf[port];
    if ((meta & KIND_MASK) === PAUSE) {
      const trafficClass = this.lanes.classOf[(meta >>> LANE_SHIFT) & LANE_MASK];
      this.side.pause(guest, trafficClass, records.words[at + ROUTE] === 1, arrivalNs);
      return;
    }
    if ((meta & GUEST) === 0) {
      this.leaveLight(records, record, guest, arrivalNs);
      return;
    }
    this.arrivedPackets++;
    this.side.arrive(guest, records.ends[at + FLOW], (meta & MARKED) !== 0, arrivalNs);
  }

  /** An answer of a guest to a light flow reaches the switch at the end of its cable. */
  answer(guest: number, flow: number, given: LightAnswer): void {
    const { flows } = this;
    const { records, wheel } = this.domainOf[guest];
    const record = records.take();
    const at = record << RECORD_SHIFT;
    const { words, ends } = records;
    if (given.seq > flows.expectedBytes[flow]) flows.expectedBytes[flow] = given.seq;
    words[at + SIZE] = given.bytes;
    words[at + META] =
      (given.isNak ? NACK : ACK) | (given.marked ? MARKED : 0) | (flows.lane[flow] << LANE_SHIFT);
    words[at + PORT] = this.switchPort[guest];
    words[at + ROUTE] = flows.routeBack[flow];
    ends[at + FLOW] = flow;
    ends[at + SEQ] = given.seq | 0;
    ends[at + STAMP] = given.stamp;
    ends[at + ARRIVED] = given.seq | 0;
    const { telemetryStride: stride } = records;
    if (stride > 0) records.telemetry.fill(0, record * stride, (record + 1) * stride);
    if (given.telemetry !== null) records.telemetry.set(given.telemetry, record * stride);
    wheel.after(given.arrivalNs - wheel.nowNs, record);
  }

  /** Data of a light flow leaves the fabric. */
  private leaveLight(records: Records, record: number, guest: number, arrivalNs: number): void {
    const { light, flows } = this;
    const at = record << RECORD_SHIFT;
    const { words, ends, telemetryStride: stride } = records;
    const flow = ends[at + FLOW];
    this.lightPackets++;
    this.lightBytes += words[at + SIZE];
    light.flow = flow;
    // Offsets are 32 bits: the nearest to what the guest has.
    const expected = flows.expectedBytes[flow];
    light.offset = expected + ((ends[at + SEQ] - (expected | 0)) | 0);
    light.bytes = words[at + SIZE];
    light.marked = (words[at + META] & MARKED) !== 0;
    light.stamp = ends[at + STAMP];
    light.telemetry = stride > 0 ? records.telemetry.subarray(record * stride, (record + 1) * stride) : null;
    light.arrivalNs = arrivalNs;
    this.side.arriveLight(guest, light);
  }

  /** A packet of a guest was dropped or lost. */
  lost(packet: number): void {
    this.side.lost(packet);
  }

  private put(
    guest: number,
    bytes: number,
    meta: number,
    arrivalNs: number,
    packet: number,
    target: number,
    hash: number,
  ): void {
    const { records, wheel } = this.domainOf[guest];
    const record = records.take();
    const at = record << RECORD_SHIFT;
    const { words, ends } = records;
    words[at + SIZE] = bytes;
    words[at + META] = meta;
    words[at + PORT] = this.switchPort[guest];
    words[at + ROUTE] = this.ways.routeOf(guest, target, hash, arrivalNs);
    ends[at + FLOW] = packet;
    wheel.after(arrivalNs - wheel.nowNs, record);
  }
}
