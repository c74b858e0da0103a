import type { Simulation } from '../../engine/index.js';
import type { DeviceConstants } from '../../profiles/index.js';
import type { EgressPort } from '../fabric/egress-port.js';
import type { FabricPackets } from '../fabric/fabric-packets.js';
import { IndexQueue } from '../resource/index-queue.js';
import type { WireFormat } from './parts/wire-format.js';
import type { NicQueuePair } from './queue-pair/nic-queue-pair.js';
import { ReceiveBuffer } from './receive/receive-buffer.js';
import type { PayloadOwner } from './rnic-client.js';
import type { RnicCounters } from './rnic-counters.js';

/** HPCC's header: the telemetry of five hops and their count (SIGCOMM 2019, §4.1). */
const TELEMETRY_BYTES = 42;

/** Who hears that packets left the transmit buffer. */
export interface SentListener {
  /** A packet has left; `lane` is where its room was. */
  sent(pair: NicQueuePair, wireBytes: number, lane: number): void;
}

/** Where arrived packets go. */
export interface ArrivalListener {
  /** A packet is in the receive buffer. */
  arrive(packet: number): void;
  /** A packet turned around inside the device. */
  arriveLoopback(packet: number): void;
}

/** What a port is made of. */
export interface NicPortParts {
  name: string;
  node: number;
  simulation: Simulation;
  constants: DeviceConstants;
  counters: RnicCounters;
  packets: FabricPackets;
  payloads: PayloadOwner;
  /** By index. */
  pairs: readonly NicQueuePair[];
  wire: WireFormat;
  /** Whether it may pause the other end. */
  lossless: boolean;
  /** Whether packets that find the receive buffer filled are marked. */
  marking: boolean;
}

/** The port of a device: frames on their way out, round inside the device, and into the receive buffer. */
export class NicPort {
  readonly buffer: ReceiveBuffer;
  /** The event of a packet that arrives. */
  readonly arrivalHandler: number;
  /** Events: a packet is ready to leave, behind or before those that wait. */
  private readonly readyHandler: number;
  private readonly urgentHandler: number;
  private readonly simulation: Simulation;
  private readonly node: number;
  private readonly counters: RnicCounters;
  private readonly packets: FabricPackets;
  private readonly payloads: PayloadOwner;
  /** How its packets look. */
  readonly wire: WireFormat;
  private readonly headerBytes: Uint16Array;
  private readonly pairs: readonly NicQueuePair[];
  private readonly loopbackBufferBytes: number;
  private readonly loopbackWaiting = new IndexQueue();
  private loopbackBytes = 0;
  private readonly marking: boolean;
  private egress: EgressPort | null = null;
  private pausePeer: (priority: number, paused: boolean) => void = () => {};
  private sender!: SentListener;
  private receiver!: ArrivalListener;

  constructor(parts: NicPortParts) {
    const { name, simulation, constants } = parts;
    this.simulation = simulation;
    this.node = parts.node;
    this.counters = parts.counters;
    this.packets = parts.packets;
    this.payloads = parts.payloads;
    this.wire = parts.wire;
    this.headerBytes = parts.wire.headerBytes;
    this.pairs = parts.pairs;
    this.loopbackBufferBytes = constants.loopbackBufferBytes;
    this.marking = parts.marking;
    this.buffer = new ReceiveBuffer(simulation, {
      xoffBytes: constants.xoffBytes,
      xonBytes: constants.xonBytes,
      bufferBytes: constants.receiveBufferBytes,
      lossless: parts.lossless,
      pause: (priority, paused) => this.pausePeer(priority, paused),
    });
    this.readyHandler = simulation.register(`${name}/ready`, (packet) => this.transmit(packet));
    this.urgentHandler = simulation.register(`${name}/urgent`, (packet) => this.transmit(packet, true));
    this.arrivalHandler = simulation.register(`${name}/arrive`, (packet) => this.onArrive(packet));
  }

  /** Joins the port to the parts of its device that are made after it. */
  join(sender: SentListener, receiver: ArrivalListener): void {
    this.sender = sender;
    this.receiver = receiver;
  }

  /** Joins the port to its link: the egress that it sends by, and how it pauses the other end. */
  attach(egress: EgressPort, pausePeer: (priority: number, paused: boolean) => void): void {
    this.egress = egress;
    this.pausePeer = pausePeer;
  }

  /** Time that the other end has held this side in a class, up to now. */
  pausedPs(priority: number): number {
    return this.egress?.pausedUntilNowPs(priority) ?? 0;
  }

  /** Makes a frame of a packet: its size on the wire and whose it is. */
  frame(packet: number, pair: NicQueuePair): void {
    const { packets } = this;
    const payload = packets.payloadBytes[packet];
    const telemetry = packets.telemetryStride > 0 ? TELEMETRY_BYTES : 0;
    packets.wireBytes[packet] = this.headerBytes[packets.opcode[packet]] + ((payload + 3) & ~3) + telemetry;
    packets.source[packet] = this.node;
    packets.deviceFirst[packet] = pair.index;
  }

  launch(packet: number, delayPs: number, isUrgent: boolean): void {
    const { egress } = this;
    const destination = this.packets.destination[packet];
    const leaves = destination >= 0 && destination !== this.node && !isUrgent;
    if (leaves && egress?.sendLater(packet, delayPs)) return;
    this.simulation.after(delayPs, isUrgent ? this.urgentHandler : this.readyHandler, packet);
  }

  /** Sends a packet whose payload is on chip: to the link, or round inside the device. */
  transmit(packet: number, isUrgent = false): void {
    const destination = this.packets.destination[packet];
    if (destination < 0) {
      // No neighbour has the address: the packet never gets a link-layer destination.
      this.leftTransmitBuffer(packet);
      this.freePacket(packet);
      return;
    }
    if (destination === this.node) {
      this.loopbackWaiting.push(packet);
      this.turnRound();
      return;
    }
    if (isUrgent) this.egress?.sendFirst(packet);
    else this.egress?.send(packet);
  }

  /** The last bit of a packet has left the port. */
  onSent(packet: number): void {
    this.countSent(this.packets.wireBytes[packet]);
    this.leftTransmitBuffer(packet);
  }

  /** Acknowledgements are built at the port and never were in the transmit buffer. */
  awaits(packet: number): boolean {
    return this.packets.deviceSecond[packet] !== 0;
  }

  countSent(wireBytes: number): void {
    this.counters.tx_bytes_phy += wireBytes;
    this.counters.tx_packets_phy++;
  }

  /** Brings the counters up to now. */
  settle(): void {
    this.egress?.settle();
  }

  /** Loopback packets were placed. */
  loopbackReleased(bytes: number): void {
    this.loopbackBytes -= bytes;
    this.turnRound();
  }

  /** Ends a packet. */
  freePacket(packet: number): void {
    this.payloads.releasePayload(packet);
    this.packets.free(packet);
  }

  private turnRound(): void {
    while (this.loopbackWaiting.length > 0) {
      const packet = this.loopbackWaiting.peek();
      const bytes = this.packets.wireBytes[packet];
      if (this.loopbackBytes > 0 && this.loopbackBytes + bytes > this.loopbackBufferBytes) return;
      this.loopbackWaiting.shift();
      this.loopbackBytes += bytes;
      this.counters.vport_loopback_bytes += bytes;
      this.counters.vport_loopback_packets++;
      this.leftTransmitBuffer(packet);
      this.receiver.arriveLoopback(packet);
    }
  }

  private leftTransmitBuffer(packet: number): void {
    const { deviceFirst, deviceSecond, wireBytes } = this.packets;
    const room = deviceSecond[packet];
    if (room === 0) return;
    deviceSecond[packet] = 0;
    this.sender.sent(this.pairs[deviceFirst[packet]], wireBytes[packet], room - 1);
  }

  private onArrive(packet: number): void {
    const { packets, counters } = this;
    const bytes = packets.wireBytes[packet];
    counters.rx_bytes_phy += bytes;
    counters.rx_packets_phy++;
    if (this.marking && this.buffer.isFilled(packets.priority[packet])) packets.mark(packet);
    if (this.buffer.admit(bytes, packets.priority[packet])) this.receiver.arrive(packet);
    else this.freePacket(packet);
  }
}
