import type { Simulation } from '../../../engine/index.js';
import {
  type FabricPackets,
  type HostModel,
  type NicArchitecture,
  type OrderingPointOptions,
  Rnic,
} from '../../../models/index.js';
import type { FaultEffect, Subsystem } from '../../../profiles/index.js';
import {
  copyAttributes,
  createEndpoint,
  DEFAULT_TRANSPORT_OPTIONS,
  type Endpoint,
  resetAttributes,
  type TransportContext,
  transportContext,
} from '../../../transport/index.js';
import {
  type AddressSpace,
  type Awaited,
  type BaseCompletionQueue,
  type BaseContext,
  type BaseQueuePair,
  type Poster,
  QpNumbers,
  type QueuePairCarrier,
  type ReceiveQueue,
} from '../../../verbs/base/index.js';
import { type CompletionQueue, type Context, VerbsError } from '../../../verbs/index.js';
import type { ConnectionService } from '../../cm/index.js';
import { type CorePosting, SimulatedThread } from '../host/thread.js';
import { CompletionWrites } from './completion-writes.js';
import { counterNames, readCounters } from './counters.js';
import type { SimulatedDeviceOptions } from './device-options.js';
import { NicClient } from './nic-client.js';
import { orderingOf, recoveryOf } from './nic-options.js';
import type { PayloadSlab } from './payload-slab.js';
import { coreCosts, coreDoorbell, Posting } from './posting.js';
import { QueuePairControls } from './queue-pair-controls.js';
import { QueuePairTable } from './queue-pair-table.js';
import { ReceiveRings } from './receive-rings.js';
import { RegionControl } from './region-control.js';
import { SimulatedTransportDevice } from './transport-device.js';

/**
 * One simulated device: joins the queue pairs of the verbs, the endpoints of the transport and the timing of the RNIC
 * model.
 */
export class SimulatedDevice implements QueuePairCarrier {
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
  /** Whether its loss recovery takes requests in order alone. */
  private refusesGaps = true;
  private transportDevice!: SimulatedTransportDevice;
  private controls!: QueuePairControls;
  private readonly queuePairs = new QueuePairTable();
  private rings!: ReceiveRings;
  private completions!: CompletionWrites;
  private posting!: Posting;
  private regions!: RegionControl;
  private threads = 0;
  /** Faults that are there now. */
  private readonly faults: FaultEffect[] = [];
  /** By placement, the version of the host in which it was found usable. */
  private readonly usableSince: number[] = [];
  /** What strict ordering costs in its host. */
  private readonly orderingPoint: OrderingPointOptions;

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
    this.orderingPoint = orderingOf(host.constants);
    if (settings.ats !== host.settings.ats) this.host.setAts(options.rnic, settings.ats);
  }

  /** The verbs on it. */
  get verbs(): Context {
    return this.context;
  }

  /** Whether it tells senders of marks by notifications. */
  get notifies(): boolean {
    return this.controls.factory.notification !== null;
  }

  /** The transport of a queue pair; undefined if there is none. */
  endpointOf(qpNum: number): Endpoint | undefined {
    const pair = this.queuePairs.find(qpNum);
    return pair === null ? undefined : this.queuePairs.endpoints[pair.index];
  }

  /** Whether its control needs packets to carry telemetry. */
  get usesTelemetry(): boolean {
    return this.controls.factory.telemetry !== null;
  }

  get architecture(): NicArchitecture {
    return this.options.architecture;
  }

  /** Gives the device its tables; called once, when the context that owns them was made. */
  bind(context: BaseContext): void {
    const { options } = this;
    const { constants } = options.subsystem.device;
    const hostConstants = options.subsystem.host.constants;
    const { settings } = options.subsystem;
    this.context = context;
    const { architecture } = this;
    const { queuePairs, packets, payloads, host } = this;
    const { wqes } = context;
    const { rnic, nodeOf } = options;
    this.nic = new Rnic({
      name: this.name,
      node: this.node,
      simulation: this.simulation,
      packets,
      architecture,
      constants,
      random: options.random,
      client: new NicClient({
        queuePairs,
        wqes,
        packets,
        payloads,
        host,
        rnic,
        nodeOf,
        classOf: (level) => this.classOf(level),
      }),
      wqes,
      memory: context.memory,
      queuePath: this.host.path(options.rnic, options.subsystem.placement.memory),
      ordering: settings.ordering === 'strict' ? this.orderingPoint : null,
      completionLatencyPs: Math.round(hostConstants.completionLatencyNs * 1000),
      pcieGbps: Math.min(constants.pcieGbps, this.host.slotGbps(options.rnic)),
      lossless: settings.pfc === 'enabled',
      marking: settings.receiverEcn === 'enabled',
      doorbellsWaitingMax: hostConstants.doorbellsWaitingMax,
      functionGbps: options.functionGbps,
      trafficClassWeights: options.trafficClassWeights,
      strictTrafficClasses: options.strictTrafficClasses,
      tenantShares: options.tenantShares,
      ablate: options.ablate,
    });
    this.nic.pcie.storePath = this.host.storePath(options.rnic);
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
    this.rings = new ReceiveRings(this.nic, context);
    const congestion = architecture.parts.congestion.make({
      constants,
      portBps: context.ports[0].attr.lineRateBps!,
      control: settings.congestionControl,
      roundTripNs: options.roundTripNs,
      telemetry: options.telemetry,
    });
    const { notification, echoMarks } = congestion;
    this.controls = new QueuePairControls(congestion, constants);
    const { nic } = this;
    this.transportDevice = new SimulatedTransportDevice({ nic, context, payloads, queuePairs, notification });
    const lossRecovery = recoveryOf(architecture, this.nic);
    this.refusesGaps = !lossRecovery.selective;
    this.transport = transportContext(packets, wqes, context.memory, this.transportDevice, {
      ackRequestInterval: constants.ackRequestPackets,
      echoMarks,
      lossRecovery,
    });
    this.configure();
  }

  // The verbs' side.

  created(qp: BaseQueuePair): void {
    const { nic } = this;
    const functionNumber = this.regions.functionOf(qp.pd.handle);
    const attributes = resetAttributes();
    const endpoint = createEndpoint(qp.qpType, this.transport, {
      qpn: qp.qpNum,
      pd: qp.pd.handle,
      attributes,
      congestion: this.controls.to(-1, attributes.pathMtu),
    });
    const pair = nic.add(endpoint, functionNumber);
    this.queuePairs.add(qp, endpoint, pair);
    this.completions.assignTenant(qp.sendCq, pair.tenant);
    this.completions.assignTenant(qp.recvCq, pair.tenant);
    pair.send.queuePath = nic.regions.pathTo(qp.sendPlacement);
    pair.receive.refusesGaps = this.refusesGaps && pair.isReliable;
    pair.receive.ring = this.rings.of(qp, functionNumber);
  }

  posted(qp: BaseQueuePair, count: number, poster: Poster | null): void {
    this.posting.sends(qp, this.queuePairs.pairOf(qp), count, poster);
    this.sendReady(qp);
  }

  sendReady(qp: BaseQueuePair): void {
    const pair = this.queuePairs.pairOf(qp);
    pair.send.localBlocked = false;
    pair.endpoint.allowSends();
  }

  receivesPosted(queue: ReceiveQueue, count: number, poster: Poster | null): void {
    this.posting.receives(count, poster);
    this.rings.posted(queue, count);
  }

  modified(qp: BaseQueuePair): void {
    this.copyAttributes(qp);
  }

  stateChanged(qp: BaseQueuePair): void {
    const pair = this.queuePairs.pairOf(qp);
    this.copyAttributes(qp);
    if (qp.state === 'RESET' || qp.state === 'ERR' || qp.state === 'SQE') this.nic.forget(pair);
    if ((qp.state === 'RESET' || qp.state === 'ERR') && qp.srq === null) pair.receive.ring?.abandon();
    this.queuePairs.endpointOf(qp).modified(qp.state);
  }

  destroyed(qp: BaseQueuePair): void {
    const endpoint = this.queuePairs.endpointOf(qp);
    endpoint.modified('RESET');
    endpoint.congestion.close();
    this.transportDevice.clearTimer(endpoint);
    this.nic.forget(this.queuePairs.pairOf(qp));
    this.queuePairs.remove(qp);
  }

  requirePlacement(placement: number): void {
    const { version } = this.host;
    if (this.usableSince[placement] === version) return;
    const name = this.host.placements[placement];
    const why = this.host.whyUnusable(name);
    if (why === null) {
      this.usableSince[placement] = version;
      return;
    }
    const detail = { field: 'placement', given: name, allowed: 'memory that the device can reach' };
    throw new VerbsError('OUT_OF_RANGE', why, detail);
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

  waiting(mailbox: Awaited): void {
    this.options.time.watch(mailbox);
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
    return this.queuePairs.find(qpNum)?.receive.placedBytes ?? 0;
  }

  /** Time that the send queues which ever sent had nothing to send, or no receive to send it to, summed. */
  idleSendQueueNs(): number {
    const now = this.simulation.now;
    let totalPs = 0;
    for (const { account } of this.nic.pairs) {
      if (account.hasPosted) totalPs += account.idleUntilPs(now);
    }
    return totalPs / 1000;
  }

  /** Puts a queue pair under a function of the device. */
  assignFunction(qpNum: number, number: number): void {
    const pair = this.queuePairs.find(qpNum);
    if (pair !== null) this.nic.assignFunction(pair, number);
  }

  /** Everything that is made in this protection domain is of a function. */
  assignDomain(handle: number, number: number): void {
    this.regions.assignDomain(handle, number);
  }

  /** A fault changes what it is set to. Returns what ends it. */
  inject(effect: FaultEffect): () => void {
    this.faults.push(effect);
    this.configure();
    return () => {
      const place = this.faults.indexOf(effect);
      if (place >= 0) this.faults.splice(place, 1);
      this.configure();
    };
  }

  /** A new thread of a program on this host, on a socket of its own choice or on the device's. */
  createThread(name?: string, socket?: number): SimulatedThread {
    const { host, random } = this.options;
    const number = this.threads++;
    return new SimulatedThread(
      this,
      name ?? `thread${number}`,
      socket ?? null,
      host.cores,
      random.split(`thread ${number}`),
    );
  }

  /** The socket that it hangs on. */
  get socket(): number {
    return this.host.socketNumber(this.rnic);
  }

  /** What posting costs a core of a socket; null: of the device's own. */
  coreOn(socket: number | null): CorePosting {
    const { host, rnic, subsystem } = this;
    const { constants } = subsystem.host;
    const at = socket ?? host.threadSocket(rnic);
    const distance = {
      deviceNs: host.detourNs(at, rnic),
      queuesNs: host.detourNs(at, subsystem.placement.memory),
    };
    const { wakeNs, clock } = host.cores;
    const costs = coreCosts(constants, distance, clock);
    return {
      version: host.version,
      costs,
      doorbell: coreDoorbell(constants, distance),
      pollPs: Math.round(costs.pollNs * 1000),
      noticePs: Math.round(constants.completionNoticeNs * 1000),
      wakePs: Math.round(wakeNs * 1000),
    };
  }

  /** Completions on a queue wake a thread. */
  watch(cq: CompletionQueue, thread: SimulatedThread): void {
    this.completions.watch(cq as BaseCompletionQueue, thread);
  }

  /** The verbs that are called from now on, of any device of the host, cost this thread's time; null: nobody's. */
  enterThread(thread: SimulatedThread | null): void {
    for (const device of this.options.host.devices)
      device.context.poster = thread === null ? null : thread.posterOn(device);
  }

  /** Memory of the host has the same addresses for all its devices. */
  get addresses(): AddressSpace {
    return this.options.host.addresses;
  }

  private copyAttributes(qp: BaseQueuePair): void {
    const pair = this.queuePairs.pairOf(qp);
    const endpoint = this.queuePairs.endpointOf(qp);
    const { attributes } = endpoint;
    const { attr } = qp;
    copyAttributes(attr, attributes);
    if (attr.pathMtu === undefined) attributes.pathMtu = qp.datagramBytes;
    // Real devices round short timeouts up (device profile, minAckTimeoutCode).
    if (attributes.timeout > 0)
      attributes.timeout = Math.max(attributes.timeout, this.nic.constants.minAckTimeoutCode);
    const peerNode = attr.ahAttr === undefined ? -1 : this.options.nodeOf(attr.ahAttr.dgid);
    if (peerNode !== pair.peerNode) {
      endpoint.congestion.close();
      endpoint.congestion = this.controls.to(peerNode, attributes.pathMtu);
    }
    pair.peerNode = peerNode;
    pair.priority = this.classOf(attr.ahAttr?.sl);
    pair.ipTrafficClass = attr.ahAttr?.trafficClass ?? 0;
  }

  /** The traffic class of a service level. */
  private classOf(serviceLevel = 0): number {
    return serviceLevel % this.subsystem.device.constants.trafficClasses;
  }

  /** Sets the device up: as its profile has it, with the faults that are there now over that. */
  private configure(): void {
    const { settings } = this.subsystem;
    const last = <Name extends keyof FaultEffect>(name: Name) =>
      this.faults.findLast((effect) => effect[name] !== undefined)?.[name];
    const [maxPayloadBytes, maxReadRequestBytes] = [last('maxPayloadBytes'), last('maxReadRequestBytes')];
    const relaxed = this.options.ablate.includes('pcie-ordering');
    if (this.transport === undefined) return;
    const { maxOutstandingPackets } = DEFAULT_TRANSPORT_OPTIONS;
    this.transport.options = {
      ...this.transport.options,
      maxOutstandingPackets: last('transmitWindowPackets') ?? maxOutstandingPackets,
    };
    this.controls.startAt(last('slowStartGbps'), this.queuePairs.endpoints);
    this.nic.port.buffer.resize(last('receiveBuffer') ?? 1);
    this.nic.pcie.configure({
      ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }),
      ...(maxReadRequestBytes === undefined ? {} : { maxReadRequestBytes }),
      ordering: !relaxed && (last('ordering') ?? settings.ordering) === 'strict' ? this.orderingPoint : null,
    });
  }
}
