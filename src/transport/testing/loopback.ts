import { Random, Simulation } from '../../engine/index.js';
import { VirtualTime } from '../../providers/time/virtual-time.js';
import {
  AddressSpace,
  type BaseAddressHandle,
  BaseContext,
  type BaseQueuePair,
  capabilitiesWithout,
  QpNumbers,
} from '../../verbs/base/index.js';
import type { DeviceAttr, PortAttr } from '../../verbs/index.js';
import { formatGid, ICRC_BYTES, OPCODE, parseGid } from '../../wire/index.js';
import {
  type CongestionControl,
  type Endpoint,
  PacketCodec,
  PacketFlag,
  PacketPool,
  type TransportOptions,
} from '../index.js';
import { Channel, type Faults, PERFECT } from './channel.js';
import { Checkers } from './checkers.js';
import { LoopbackDevice } from './loopback-device.js';
import { LoopbackEngine } from './loopback-engine.js';

const PS_PER_NS = 1000;
const NO_BYTES = new Uint8Array(0);

/** Choices when a loopback is made. */
export interface LoopbackOptions {
  faults?: Partial<Faults>;
  seed?: number;
  /** Time between two packets of a queue pair. */
  gapPs?: number;
  transport?: Partial<TransportOptions>;
  congestion?: () => CongestionControl;
  /** Nothing is sent unless a test pulls it out of an endpoint. */
  manual?: boolean;
  /** Share of packets that arrive marked 'congestion experienced'. */
  marking?: number;
}

const MISSING = {
  unbackedMemory: 'packets carry bytes here',
  placements: 'there is one memory',
  queuePlacements: 'there is one memory',
  connectionManager: 'there is no queue pair 1',
};
const IN_ORDER = capabilitiesWithout(MISSING);
const IN_PLACE = capabilitiesWithout({ ...MISSING, inOrderPlacement: 'selective repeat places early' });

const LIMITS: DeviceAttr = {
  maxQp: 1 << 16,
  maxQpWr: 1 << 12,
  maxSge: 16,
  maxSgeRd: 16,
  maxCq: 1 << 16,
  maxCqe: 1 << 16,
  maxMr: 1 << 16,
  maxMrBytes: 2 ** 32,
  maxMw: 1 << 16,
  maxPd: 1 << 16,
  maxAh: 1 << 16,
  maxSrq: 1 << 16,
  maxSrqWr: 1 << 12,
  maxSrqSge: 16,
  maxQpRdAtom: 16,
  maxQpInitRdAtom: 16,
  maxInlineData: 256,
  maxMessageBytes: 2 ** 31,
  physPortCnt: 1,
};

const PORT: PortAttr = { state: 'ACTIVE', activeMtu: 4096, maxMtu: 4096, gidTableLength: 1 };

/**
 * Two devices with the whole verbs on top, joined by a channel that loses, duplicates, delays and reorders as told.
 * Every packet crosses the channel as bytes.
 */
export class Loopback {
  readonly simulation = new Simulation();
  readonly time = new VirtualTime(this.simulation, PS_PER_NS);
  readonly packets = new PacketPool();
  readonly checkers = new Checkers(this.packets);
  readonly options: LoopbackOptions;
  private readonly selective: boolean;
  readonly channel: Channel;
  readonly contexts: BaseContext[] = [];
  readonly devices: LoopbackDevice[] = [];
  readonly onPump: number;
  readonly onTimer: number;
  private readonly onArrive: number;
  private readonly codec: PacketCodec;
  private readonly payloads = new Map<number, Uint8Array>();
  private readonly senders = new Map<number, LoopbackDevice>();
  private readonly flying = new Map<number, Uint8Array>();
  private readonly random: Random;
  private nextFlight = 0;

  constructor(options: LoopbackOptions = {}) {
    this.options = options;
    this.selective = options.transport?.lossRecovery?.selective ?? false;
    this.codec = new PacketCodec(this.packets, this.selective);
    this.random = new Random(options.seed ?? 1);
    this.channel = new Channel({ ...PERFECT, ...options.faults }, this.random.split('channel'));
    this.onPump = this.simulation.register('pump', (device, qpn) => this.devices[device].pump(qpn));
    this.onTimer = this.simulation.register('timer', (device, qpn) => this.devices[device].fire(qpn));
    this.onArrive = this.simulation.register('arrive', (flight, from, to) => this.arrive(flight, from, to));
    const addresses = new AddressSpace();
    for (let index = 0; index < 2; index++) this.open(index, addresses);
  }

  private open(index: number, addresses: AddressSpace): void {
    const gid = `::ffff:10.0.0.${index + 1}`;
    const qpNumbers = new QpNumbers();
    const device = new LoopbackDevice(this, index, parseGid(gid), qpNumbers);
    const random = this.random.split(`keys/${index}`);
    const context = new BaseContext({
      deviceName: `loopback${index}`,
      capabilities: this.selective ? IN_PLACE : IN_ORDER,
      clock: this.time,
      device: LIMITS,
      ports: [{ attr: PORT, gids: [gid] }],
      carrier: new LoopbackEngine(this, device),
      qpNumbers,
      addresses,
      random: () => random.nextUint32(),
      parseGid,
    });
    device.attach(context);
    this.devices.push(device);
    this.contexts.push(context);
  }

  /** The device that a connected queue pair's path leads to. */
  peerOf(qp: BaseQueuePair): LoopbackDevice | undefined {
    return this.deviceAt(qp.attr.ahAttr?.dgid);
  }

  private deviceAt(gid: string | undefined): LoopbackDevice | undefined {
    if (gid === undefined) return undefined;
    const wanted = formatGid(parseGid(gid));
    return this.devices.find((device) => formatGid(device.gid) === wanted);
  }

  newPayload(packet: number, bytes: number): Uint8Array {
    const payload = new Uint8Array(bytes);
    this.payloads.set(packet, payload);
    return payload;
  }

  payloadOf(packet: number): Uint8Array {
    return this.payloads.get(packet) ?? NO_BYTES;
  }

  /** Notes who sent a packet. */
  own(packet: number, sender: LoopbackDevice): void {
    this.senders.set(packet, sender);
  }

  senderOf(packet: number): LoopbackDevice {
    return this.senders.get(packet)!;
  }

  /** Frees a packet and what belongs to it. */
  discard(packet: number): void {
    this.payloads.delete(packet);
    this.senders.delete(packet);
    this.packets.free(packet);
  }

  /** Puts a packet on the channel, as bytes. */
  send(from: LoopbackDevice, to: LoopbackDevice | undefined, packet: number): void {
    const flying = this.encode(packet);
    this.discard(packet);
    if (to === undefined) return;
    for (let copies = this.channel.copies(); copies > 0; copies--) {
      const flight = this.nextFlight++;
      this.flying.set(flight, flying);
      this.simulation.after(this.channel.delayPs(), this.onArrive, flight, from.index, to.index);
    }
  }

  /** Where a packet of an endpoint goes; a datagram's request says, all others follow the connection. */
  destination(from: LoopbackDevice, endpoint: Endpoint, wqe: number): LoopbackDevice | undefined {
    if (endpoint.type !== 'UD') return this.peerOf(from.qpNumbers.get(endpoint.qpn)!);
    const handle = from.base.wqes.addressOf(wqe) as BaseAddressHandle;
    return this.deviceAt(handle.address.dgid);
  }

  private encode(packet: number): Uint8Array {
    const payload = this.payloadOf(packet);
    const padded = (payload.length + 3) & ~3;
    const headers = this.codec.headerBytes[this.packets.opcode[packet]];
    const bytes = new Uint8Array(headers + padded + ICRC_BYTES);
    const at = this.codec.encode(packet, bytes, 0);
    bytes.set(payload, at);
    return bytes;
  }

  private arrive(flight: number, from: number, to: number): void {
    const bytes = this.flying.get(flight)!;
    this.flying.delete(flight);
    const packet = this.packets.take();
    const refused = this.codec.decode(bytes, 0, bytes.length, packet);
    if (refused !== null) throw new Error(`refused, ${refused}`);
    const marking = this.options.marking ?? 0;
    if (marking > 0 && this.packets.opcode[packet] !== OPCODE.CNP && this.random.nextFloat() < marking) {
      this.packets.flags[packet] |= PacketFlag.ECN_CE;
    }
    this.payloads.set(packet, bytes.subarray(this.codec.payloadOffset, this.codec.payloadEnd));
    this.own(packet, this.devices[from]);
    this.devices[to].deliver(packet, this.devices[from]);
    this.discard(packet);
  }
}
