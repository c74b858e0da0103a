import type { Random, Simulation } from '../../engine/index.js';
import {
  type DmaPath,
  type FabricPackets,
  type HostModel,
  type Mechanism,
  NicQueuePair,
  type ReceiveRing,
  Rnic,
  type RnicClient,
} from '../../models/index.js';
import type { FaultEffect, HostConstants, Settings, Subsystem } from '../../profiles/index.js';
import {
  copyAttributes,
  createEndpoint,
  NO_REFERENCE,
  noCongestionControl,
  resetAttributes,
  type TransportContext,
  transportContext,
} from '../../transport/index.js';
import {
  type AddressSpace,
  type BaseAddressHandle,
  type BaseCompletionQueue,
  type BaseContext,
  type BaseQueuePair,
  isLocal,
  NO_SLOT,
  type Poster,
  QpNumbers,
  type QueuePairCarrier,
  type ReceiveQueue,
} from '../../verbs/base/index.js';
import type { CompletionQueue } from '../../verbs/index.js';
import type { ConnectionService } from '../cm/index.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { CompletionWrites } from './completion-writes.js';
import { counterNames, readCounters } from './counters.js';
import { notificationPoint, ReactionPoint } from './dcqcn.js';
import type { PayloadSlab } from './payload-slab.js';
import { coreCosts, coreDoorbell, Posting } from './posting.js';
import { RegionControl } from './region-control.js';
import type { SimulatedHost } from './simulated-host.js';
import { SimulatedThread } from './thread.js';
import { SimulatedTransportDevice } from './transport-device.js';

/** What a device stands in. */
export interface SimulatedDeviceOptions {
  name: string;
  /** The name that its random numbers are drawn by. */
  alias: string;
  node: number;
  /** The host that it is in. */
  host: SimulatedHost;
  /** The RNIC of the host's graph that this device is. */
  rnic: string;
  subsystem: Subsystem;
  time: VirtualTime;
  packets: FabricPackets;
  payloads: PayloadSlab;
  random: Random;
  ablate: readonly Mechanism[];
  /** Rate limits of the functions of the device, by number. */
  functionGbps: readonly number[];
  /** Shares of the functions, where devices account by tenant; null where they do not. */
  tenantShares: readonly number[] | null;
  /** The node that has a GID, -1 where none has. */
  nodeOf(gid: string): number;
}

/**
 * One simulated device: joins the queue pairs of the verbs, the endpoints of the transport and the timing of the RNIC
 * model.
 */
export class SimulatedDevice implements QueuePairCarrier, RnicClient {
  readonly name: string;
  readonly alias: string;
  readonly node: number;
  readonly simulation: Simulation;
  /** The model of the host that it is in, with which its other devices share it. */
  readonly host: HostModel;
  /** What it is, where it is and how it is set up. */
  readonly subsystem: Subsystem;
  /** The RNIC of the host's graph that it is. */
  readonly rnic: string;
  readonly qpNumbers = new QpNumbers();
  /** What the values of `readCounters` are called. */
  readonly counterNames = counterNames;
  nic!: Rnic;
  /** Its connection management, once a program uses it. */
  connections: ConnectionService | null = null;
  private readonly options: SimulatedDeviceOptions;
  private readonly packets: FabricPackets;
  private readonly payloads: PayloadSlab;
  private context!: BaseContext;
  private transport!: TransportContext;
  private transportDevice!: SimulatedTransportDevice;
  private reaction: ReactionPoint | null = null;
  /** By queue pair number. */
  private readonly byNumber: (NicQueuePair | null)[] = [];
  /** By the tag of the receive queue. */
  private readonly rings: ReceiveRing[] = [];
  private completions!: CompletionWrites;
  private posting!: Posting;
  private regions!: RegionControl;
  private readonly paths: (DmaPath | undefined)[] = [];
  private threads = 0;
  /** Faults that are there now. */
  private readonly faults: FaultEffect[] = [];

  constructor(options: SimulatedDeviceOptions) {
    this.options = options;
    this.name = options.name;
    this.alias = options.alias;
    this.node = options.node;
    this.subsystem = options.subsystem;
    this.rnic = options.rnic;
    this.simulation = options.time.simulation;
    this.packets = options.packets;
    this.payloads = options.payloads;
    this.host = options.host.model;
    const { settings, host } = options.subsystem;
    if (settings.ats !== host.settings.ats) this.host.setAts(options.rnic, settings.ats);
  }

  /** Gives the device its tables; called once, when the context that owns them was made. */
  bind(context: BaseContext): void {
    const { options } = this;
    const { constants } = options.subsystem.device;
    const hostConstants = options.subsystem.host.constants;
    const { settings } = options.subsystem;
    this.context = context;
    this.nic = new Rnic({
      name: this.name,
      node: this.node,
      simulation: this.simulation,
      packets: this.packets,
      constants,
      random: options.random,
      client: this,
      wqes: context.wqes,
      memory: context.memory,
      queuePath: this.host.path(options.rnic, options.subsystem.placement.memory),
      ...orderingOf(hostConstants, settings.ordering),
      completionLatencyPs: Math.round(hostConstants.completionLatencyNs * 1000),
      pcieGbps: Math.min(constants.pcieGbps, this.host.slotGbps(options.rnic)),
      lossless: settings.pfc === 'enabled',
      doorbellsWaitingMax: hostConstants.doorbellsWaitingMax,
      functionGbps: options.functionGbps,
      tenantShares: options.tenantShares,
      ablate: options.ablate,
    });
    this.nic.pcie.storePath = this.host.storePath(options.rnic);
    this.configure();
    this.completions = new CompletionWrites(this.name, this.simulation, this.nic);
    this.posting = new Posting(this.nic, context.wqes, coreDoorbell(hostConstants));
    this.regions = new RegionControl({
      name: this.name,
      simulation: this.simulation,
      host: this.host,
      nic: this.nic,
      context,
      memoryName: options.subsystem.placement.memory,
    });
    const controlled = settings.congestionControl === 'dcqcn';
    this.reaction = controlled ? new ReactionPoint(constants, context.ports[0].attr.lineRateBps!) : null;
    this.transportDevice = new SimulatedTransportDevice(
      this.nic,
      context,
      this.payloads,
      controlled ? notificationPoint(constants) : null,
    );
    this.transport = transportContext(this.packets, context.wqes, context.memory, this.transportDevice, {
      ackRequestInterval: constants.ackRequestPackets,
    });
  }

  // The verbs' side.

  created(qp: BaseQueuePair): void {
    const { nic } = this;
    const endpoint = createEndpoint(qp.qpType, this.transport, {
      qpn: qp.qpNum,
      pd: qp.pd.handle,
      attributes: resetAttributes(),
      congestion: this.reaction?.control(-1) ?? noCongestionControl,
    });
    const keys = nic.constants.readContextEntries + 1;
    const firstKey = nic.newContextKey(keys);
    const functionNumber = this.regions.functionOf(qp.pd.handle);
    nic.shares.heard(nic.shares.tenantOf(functionNumber));
    nic.contexts.warm(firstKey, nic.shares.tenantOf(functionNumber));
    const pair = new NicQueuePair(nic.queuePairs.length, endpoint, firstKey, keys, nic.queuePath);
    pair.processor = nic.processors?.processorOf(pair.index) ?? 0;
    endpoint.tag = pair.index;
    nic.queuePairs.push(pair);
    nic.assignFunction(pair, functionNumber);
    this.transportDevice.add(qp);
    this.byNumber[qp.qpNum] = pair;
    this.completions.assignTenant(qp.sendCq, pair.tenant);
    this.completions.assignTenant(qp.recvCq, pair.tenant);
    pair.sendQueuePath = nic.pathTo(qp.sendPlacement);
    pair.receives = this.ringOf(qp);
  }

  posted(qp: BaseQueuePair, count: number, poster: Poster | null): void {
    this.posting.sends(qp, this.pairOf(qp), count, poster);
    this.sendReady(qp);
  }

  sendReady(qp: BaseQueuePair): void {
    const pair = this.pairOf(qp);
    pair.localBlocked = false;
    pair.endpoint.allowSends();
  }

  receivesPosted(queue: ReceiveQueue, count: number, poster: Poster | null): void {
    this.posting.receives(count, poster);
    // Of a shared queue that no queue pair uses yet the device hears with the first that does.
    if (queue.tag >= 0) this.announce(queue, this.rings[queue.tag], count);
  }

  modified(qp: BaseQueuePair): void {
    this.copyAttributes(this.pairOf(qp), qp);
  }

  stateChanged(qp: BaseQueuePair): void {
    const pair = this.pairOf(qp);
    this.copyAttributes(pair, qp);
    if (qp.state === 'RESET' || qp.state === 'ERR' || qp.state === 'SQE') this.nic.sendWqes.forget(pair);
    if ((qp.state === 'RESET' || qp.state === 'ERR') && qp.srq === null) pair.receives?.abandon();
    pair.endpoint.modified(qp.state);
  }

  destroyed(qp: BaseQueuePair): void {
    const pair = this.pairOf(qp);
    pair.endpoint.modified('RESET');
    this.transportDevice.clearTimer(pair.endpoint);
    this.nic.sendWqes.forget(pair);
    this.byNumber[qp.qpNum] = null;
    this.transportDevice.queuePairs[pair.index] = null;
  }

  regionAdded(slot: number): void {
    this.regions.added(slot, this.context.poster);
  }

  regionRemoved(slot: number): void {
    this.regions.removed(slot, this.context.poster);
  }

  settle(): void {
    this.options.time.settle();
  }

  waiting(): void {
    this.options.time.drive();
  }

  holdCompletion(cq: BaseCompletionQueue, cqe: number, solicited: boolean): void {
    this.completions.hold(cq, cqe, solicited);
  }

  counters(): Readonly<Record<string, number>> {
    const row = new Float64Array(counterNames.length);
    this.readCounters(row);
    return Object.fromEntries(counterNames.map((name, place) => [name, row[place]]));
  }

  /** Writes every counter as it stands. */
  readCounters(into: Float64Array): void {
    readCounters(this.transportDevice.counters, this.nic, this.host, into);
  }

  /** Payload bytes that were placed for a queue pair so far. */
  placedBytes(qpNum: number): number {
    return this.byNumber[qpNum]?.placedBytes ?? 0;
  }

  /** Time that the send queues which ever sent had nothing to send, or no receive to send it to, summed. */
  idleSendQueueNs(): number {
    const now = this.simulation.now;
    let totalPs = 0;
    for (const qp of this.nic.queuePairs) {
      if (qp.hasPosted) totalPs += qp.idleUntilPs(now);
    }
    return totalPs / 1000;
  }

  /** Puts a queue pair under a function of the device. */
  assignFunction(qpNum: number, number: number): void {
    const pair = this.byNumber[qpNum];
    if (pair) this.nic.assignFunction(pair, number);
  }

  /** Everything that is made in this protection domain is of a function. */
  assignDomain(handle: number, number: number): void {
    this.regions.assignDomain(handle, number);
  }

  /** A fault changes what its PCIe port is set to. Returns what ends it. */
  inject(effect: FaultEffect): () => void {
    this.faults.push(effect);
    this.configure();
    return () => {
      const place = this.faults.indexOf(effect);
      if (place >= 0) this.faults.splice(place, 1);
      this.configure();
    };
  }

  /** A new thread of a program on this host. */
  createThread(name?: string): SimulatedThread {
    const { constants } = this.options.subsystem.host;
    const costs = coreCosts(constants);
    return new SimulatedThread(this, name ?? `thread${this.threads++}`, costs, coreDoorbell(constants));
  }

  /** Completions on a queue wake a thread. */
  watch(cq: CompletionQueue, thread: SimulatedThread): void {
    this.completions.watch(cq as BaseCompletionQueue, thread);
  }

  /** The verbs that are called from now on, of any device of the host, cost this thread's time; null: nobody's. */
  enterThread(thread: SimulatedThread | null): void {
    for (const device of this.options.host.devices) device.context.poster = thread;
  }

  /** Memory of the host has the same addresses for all its devices. */
  get addresses(): AddressSpace {
    return this.options.host.addresses;
  }

  // The model's side.

  firstUntaken(pair: NicQueuePair): number {
    return this.transportDevice.queuePairs[pair.index]?.sends.next ?? NO_SLOT;
  }

  executeLocal(pair: NicQueuePair): boolean {
    const qp = this.transportDevice.queuePairs[pair.index];
    if (!qp) return false;
    const { sends } = qp;
    const wqe = sends.next;
    if (wqe === NO_SLOT || pair.untaken <= 0 || !isLocal(this.context.wqes.opcode[wqe])) return false;
    const before = sends.taken;
    sends.take(1);
    const taken = (sends.taken - before) >>> 0;
    pair.localBlocked = taken === 0;
    if (taken === 0) return false;
    // One that failed has flushed the queue, and with it what was on chip.
    pair.untaken = Math.max(0, pair.untaken - taken);
    this.nic.sendWqes.issued(pair, wqe, false);
    return true;
  }

  wqesVisible(pair: NicQueuePair): void {
    pair.endpoint.allowSends();
  }

  findQueuePair(packet: number): NicQueuePair | null {
    const { packets } = this;
    const pair = this.byNumber[packets.destQpn[packet]] ?? null;
    if (pair === null) return null;
    // A connected queue pair hears its peer alone (specification 9.6.1.5).
    const stranger = pair.endpoint.type !== 'UD' && pair.peerNode !== packets.source[packet];
    return stranger ? null : pair;
  }

  route(packet: number, pair: NicQueuePair, wqe: number): void {
    const { packets } = this;
    packets.priority[packet] = pair.priority;
    if (pair.endpoint.type === 'UD' && wqe !== NO_SLOT) {
      const address = this.context.wqes.addressOf(wqe) as BaseAddressHandle;
      packets.destination[packet] = this.options.nodeOf(address.address.dgid);
      packets.priority[packet] = (address.address.sl ?? 0) & 7;
    } else packets.destination[packet] = pair.peerNode;
  }

  pathTo(placement: number): DmaPath {
    let path = this.paths[placement];
    if (path === undefined) {
      path = this.host.path(this.options.rnic, this.host.placements[placement]);
      this.paths[placement] = path;
    }
    return path;
  }

  releasePayload(packet: number): void {
    this.payloads.release(this.packets.payload[packet]);
    this.packets.payload[packet] = NO_REFERENCE;
  }

  private copyAttributes(pair: NicQueuePair, qp: BaseQueuePair): void {
    const { attributes } = pair.endpoint;
    const { attr } = qp;
    copyAttributes(attr, attributes);
    if (attr.pathMtu === undefined) attributes.pathMtu = qp.datagramBytes;
    // Real devices round short timeouts up (device profile, minAckTimeoutCode).
    if (attributes.timeout > 0)
      attributes.timeout = Math.max(attributes.timeout, this.nic.constants.minAckTimeoutCode);
    const peerNode = attr.ahAttr === undefined ? -1 : this.options.nodeOf(attr.ahAttr.dgid);
    if (peerNode !== pair.peerNode && this.reaction !== null)
      pair.endpoint.congestion = this.reaction.control(peerNode);
    pair.peerNode = peerNode;
    pair.priority = (attr.ahAttr?.sl ?? 0) & 7;
  }

  /** The device hears of `count` new receives of a queue. */
  private announce(queue: ReceiveQueue, ring: ReceiveRing, count: number): void {
    this.nic.shares.heard(ring.tenant);
    ring.post(count);
    ring.path = this.pathOfReceive(queue) ?? ring.path;
    this.nic.receivePath.receivesPosted(ring);
  }

  /** The way to the buffers of a receive queue, by its oldest receive. */
  private pathOfReceive(queue: ReceiveQueue): DmaPath | null {
    const { wqes, memory } = this.context;
    const wqe = queue.head;
    if (wqe === NO_SLOT || wqes.sgeCount[wqe] === 0) return null;
    const region = memory.slotOf(wqes.sges.lkey[wqes.sgeStart[wqe]]);
    return region < 0 ? null : this.nic.pathOf(region);
  }

  /** Sets the PCIe port up: as its profile has it, with the faults that are there now over that. */
  private configure(): void {
    const { settings, host } = this.subsystem;
    const last = <Name extends keyof FaultEffect>(name: Name) =>
      this.faults.findLast((effect) => effect[name] !== undefined)?.[name];
    const { maxPayloadBytes, maxReadRequestBytes } = {
      maxPayloadBytes: last('maxPayloadBytes'),
      maxReadRequestBytes: last('maxReadRequestBytes'),
    };
    const ordered = this.options.ablate.includes('pcie-ordering');
    this.nic?.pcie.configure({
      ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
      ...(maxReadRequestBytes === undefined ? {} : { maxReadRequestBytes }),
      ...orderingOf(host.constants, ordered ? 'relaxed' : (last('ordering') ?? settings.ordering)),
    });
  }

  private pairOf(qp: BaseQueuePair): NicQueuePair {
    return this.byNumber[qp.qpNum]!;
  }

  private ringOf(qp: BaseQueuePair): ReceiveRing {
    const { receives } = qp;
    if (receives.tag >= 0) return this.rings[receives.tag];
    receives.tag = this.rings.length;
    const functionNumber = this.regions.functionOf(qp.pd.handle);
    const { maxWr, maxSge, placement } = receives;
    const path = this.nic.pathTo(placement);
    const ring = this.nic.newReceiveRing(maxWr, maxSge, qp.qpType === 'UD', functionNumber, path);
    this.rings.push(ring);
    if (receives.waiting > 0) this.announce(receives, ring, receives.waiting);
    return ring;
  }
}

/** What strict ordering costs in a host. */
function orderingOf(constants: HostConstants, ordering: Settings['ordering']) {
  const strict = ordering === 'strict';
  return {
    orderingWindowPs: strict ? Math.round(constants.orderingWindowNs * 1000) : 0,
    orderingStallPs: strict ? Math.round(constants.orderingStallNs * 1000) : 0,
    orderingShortBytes: strict ? constants.orderingShortBytes : 0,
  };
}
