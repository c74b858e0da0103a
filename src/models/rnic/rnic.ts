import type { Simulation } from '../../engine/index.js';
import type { DeviceConstants } from '../../profiles/index.js';
import { type MemoryTable, Op, type WqePool } from '../../verbs/base/index.js';
import { EntryCache } from '../cache/entry-cache.js';
import type { EgressPort } from '../fabric/egress-port.js';
import type { FabricPackets } from '../fabric/fabric-packets.js';
import type { DmaPath } from '../pcie/dma-path.js';
import { PciePort } from '../pcie/pcie-port.js';
import { IndexQueue } from '../resource/index-queue.js';
import { Contexts, Side } from './contexts.js';
import { Member, type NicQueuePair } from './nic-queue-pair.js';
import { headerBytesOf } from './packet-kinds.js';
import { PacketProcessors } from './packet-processors.js';
import { AckGenerator } from './receive/ack-generator.js';
import { ReceiveBuffer } from './receive/receive-buffer.js';
import { ReceivePath } from './receive/receive-path.js';
import { ReceiveRing, type ReceiveRingParts } from './receive/receive-ring.js';
import { RnicCounters } from './rnic-counters.js';
import type { RnicClient, RnicOptions } from './rnic-options.js';
import { Doorbells } from './send/doorbells.js';
import { SendScheduler } from './send/send-scheduler.js';
import { SendWqes } from './send/send-wqes.js';
import { FunctionLimiter } from './tenants/function-limiter.js';
import { TenantShares } from './tenants/tenant-shares.js';

/** Bytes of a completion as it is written to host memory. */
const CQE_BYTES = 64;

/** A simulated RDMA NIC: when things happen. What happens is the transport's. */
export class Rnic {
  readonly name: string;
  readonly node: number;
  readonly simulation: Simulation;
  readonly packets: FabricPackets;
  readonly constants: DeviceConstants;
  readonly client: RnicClient;
  readonly wqes: WqePool;
  readonly memory: MemoryTable;
  readonly queuePath: DmaPath;
  readonly pcie: PciePort;
  readonly ablated: ReadonlySet<string>;
  readonly counters = new RnicCounters();
  /** Who shares the device. */
  readonly shares: TenantShares;
  readonly contexts: Contexts;
  readonly processors: PacketProcessors | null;
  readonly doorbells: Doorbells;
  readonly scheduler: SendScheduler;
  readonly sendWqes: SendWqes;
  readonly receivePath: ReceivePath;
  readonly acks: AckGenerator;
  readonly buffer: ReceiveBuffer;
  readonly queuePairs: NicQueuePair[] = [];
  /** Event numbers that parts of the device share. */
  readonly readyHandler: number;
  readonly arrivalHandler: number;
  readonly dmaLagPs: number;
  readonly receiveMissPs: number;
  readonly rnrHoldReliablePs: number;
  readonly rnrHoldUnreliablePs: number;
  readonly atomicWindowPs: number;
  readonly atomicFencePs: number;
  private egress: EgressPort | null = null;
  private pausePeer: (priority: number, paused: boolean) => void = () => {};
  private readonly completionLatencyPs: number;
  private readonly receiveRings: ReceiveRingParts;
  private readonly limiters: readonly (FunctionLimiter | null)[];
  private nextReceiveEntry = 0;
  private nextContextKey = 0;
  private loopbackBytes = 0;
  private readonly loopbackWaiting = new IndexQueue();

  constructor(options: RnicOptions) {
    const { constants, simulation } = options;
    this.name = options.name;
    this.node = options.node;
    this.simulation = simulation;
    this.packets = options.packets;
    this.constants = constants;
    this.client = options.client;
    this.wqes = options.wqes;
    this.memory = options.memory;
    this.queuePath = options.queuePath;
    this.completionLatencyPs = options.completionLatencyPs;
    this.ablated = new Set(options.ablate ?? []);
    this.shares = new TenantShares(simulation, options.tenantShares ?? null);
    const ordered = this.ablated.has('pcie-ordering');
    this.pcie = new PciePort({
      gbps: options.pcieGbps * (this.ablated.has('pcie-up-link') ? 2 : 1),
      maxPayloadBytes: constants.pcieMaxPayloadBytes,
      maxReadRequestBytes: constants.pcieMaxReadRequestBytes,
      tlpOverheadBytes: constants.pcieTlpOverheadBytes,
      readOutstandingBytes: this.ablated.has('read-credit')
        ? Number.MAX_SAFE_INTEGER
        : constants.readOutstandingBytes,
      orderingWindowPs: ordered ? 0 : options.orderingWindowPs,
      orderingStallPs: ordered ? 0 : options.orderingStallPs,
      orderingShortBytes: ordered ? 0 : options.orderingShortBytes,
    });
    this.dmaLagPs = Math.round(constants.dmaLagNs * 1000);
    this.receiveMissPs = Math.round(constants.receiveWqeMissNs * 1000);
    const holds = !this.ablated.has('rnr-hold');
    this.rnrHoldReliablePs = holds ? Math.round(constants.rnrHoldReliableNs * 1000) : 0;
    this.rnrHoldUnreliablePs = holds ? Math.round(constants.rnrHoldUnreliableNs * 1000) : 0;
    this.atomicWindowPs = Math.round(constants.atomicFenceWindowNs * 1000);
    this.atomicFencePs = this.ablated.has('atomic-fence')
      ? 0
      : Math.round(constants.atomicReadFenceNs * 1000);
    this.receiveRings = {
      constants,
      cache: this.ablated.has('receive-wqe-cache')
        ? null
        : new EntryCache(
            constants.receiveWqeCacheBytes,
            options.random.split('receive WQEs'),
            this.shares.kept ? (tenant) => this.shares.partOf(tenant, constants.receiveWqeCacheBytes) : null,
          ),
      random: this.ablated.has('receive-wqe-window') ? null : options.random.split('receive windows'),
    };
    this.contexts = new Contexts(
      constants,
      this.counters,
      this.pcie,
      options.queuePath,
      options.random,
      this.ablated,
      this.shares,
    );
    const shared = constants.sharedPacketProcessors > 0 && !this.ablated.has('shared-processors');
    this.processors = shared
      ? new PacketProcessors(constants.sharedPacketProcessors, constants.packetProcessorNs, options.node)
      : null;
    this.scheduler = new SendScheduler(this);
    this.sendWqes = new SendWqes(this);
    this.receivePath = new ReceivePath(this);
    this.acks = new AckGenerator(this);
    this.buffer = new ReceiveBuffer(simulation, {
      xoffBytes: constants.xoffBytes,
      xonBytes: constants.xonBytes,
      bufferBytes: constants.receiveBufferBytes,
      lossless: options.lossless,
      pause: (priority, paused) => this.pausePeer(priority, paused),
    });
    this.doorbells = new Doorbells(this, options.doorbellsWaitingMax);
    this.limiters = (options.functionGbps ?? []).map((gbps, number) =>
      gbps === 0
        ? null
        : new FunctionLimiter(simulation, `${this.name}/function${number}`, gbps, (entry) =>
            this.scheduler.release(entry),
          ),
    );
    this.readyHandler = simulation.register(`${this.name}/ready`, (packet) => this.transmit(packet));
    this.arrivalHandler = simulation.register(`${this.name}/arrive`, (packet) => this.onArrive(packet));
  }

  /** Time that the other end has held this side in a class, up to now. */
  pausedPs(priority: number): number {
    return this.egress?.pausedUntilNowPs(priority) ?? 0;
  }

  /** Joins the device to its link: the egress that it sends by, and how it pauses the other end. */
  attach(egress: EgressPort, pausePeer: (priority: number, paused: boolean) => void): void {
    this.egress = egress;
    this.pausePeer = pausePeer;
  }

  /** A key of the context cache for one more object. */
  newContextKey(entries = 1): number {
    const key = this.nextContextKey;
    this.nextContextKey += entries;
    return key;
  }

  /** The device's view of a new receive queue. */
  newReceiveRing(
    depth: number,
    elements: number,
    datagrams: boolean,
    functionNumber: number,
    queuePath: DmaPath,
  ): ReceiveRing {
    const { constants } = this;
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(1, elements)));
    const strideBytes = datagrams
      ? constants.udReceiveWqeStrideBytes
      : constants.receiveWqeStrideBytes * rounded;
    const firstEntry = this.nextReceiveEntry;
    this.nextReceiveEntry += Math.max(1, depth);
    const tenant = this.shares.tenantOf(functionNumber);
    return new ReceiveRing(this.receiveRings, depth, strideBytes, firstEntry, queuePath, tenant);
  }

  /** Puts a queue pair under a function, whose rate limit it then shares. */
  assignFunction(qp: NicQueuePair, number: number): void {
    qp.functionNumber = number;
    qp.tenant = this.shares.tenantOf(number);
    qp.limiter = this.limiters[number] ?? null;
  }

  /** The transport has requests to send where it had none. May be called from inside an endpoint. */
  requestReady(qp: NicQueuePair): void {
    this.scheduler.ready(qp, Member.REQUESTS);
  }

  /** The transport has something to answer. */
  responseReady(qp: NicQueuePair): void {
    if (!qp.endpoint.canRespond()) return;
    if (qp.endpoint.nextResponseIsRead()) this.scheduler.ready(qp, Member.RESPONSES);
    else this.acks.ready(qp);
  }

  /** When a completion that the device generates now is seen by software; `path` leads to its queue. */
  completionPs(cqKey: number, side: number, tenant: number, path: DmaPath): number {
    const now = this.simulation.now;
    const context = this.contexts.context(now, cqKey, side, tenant);
    const accepted = this.pcie.write(now, CQE_BYTES, path);
    return Math.max(context, accepted) + this.completionLatencyPs;
  }

  /** When the translations of all elements of a queue pair's request are on chip. */
  translateList(qp: NicQueuePair, wqe: number, now: number, side: number): number {
    const { wqes, memory, contexts } = this;
    const first = wqes.sgeStart[wqe];
    const end = first + wqes.sgeCount[wqe];
    let ready = now;
    for (let index = first; index < end; index++) {
      const region = memory.slotOf(wqes.sges.lkey[index]);
      if (region < 0) continue;
      qp.path = this.pathOf(region);
      const done = contexts.translation(now, region, side, qp.tenant);
      if (done > ready) ready = done;
    }
    return ready;
  }

  /** When the translation that an arrived packet's remote key needs is on chip. */
  translateRemote(qp: NicQueuePair, packet: number, now: number): number {
    const region = this.memory.slotOf(this.packets.rkey[packet]);
    if (region < 0) return now;
    qp.inboundPath = this.pathOf(region);
    return this.contexts.translation(now, region, Side.RESPONDER, qp.tenant);
  }

  /** The way to a memory region. */
  pathOf(region: number): DmaPath {
    return this.pathTo(this.memory.placement[region]);
  }

  /** The way to a placement, by its number; to where queues lie by default where none is named. */
  pathTo(placement: number): DmaPath {
    return placement < 0 ? this.queuePath : this.client.pathTo(placement);
  }

  /** Whether a request is a READ or an atomic, which only sends a request packet. */
  isRead(wqe: number): boolean {
    return this.wqes.opcode[wqe] === Op.RDMA_READ;
  }

  /** Cache lines of a WQE: control and remote segments, 16 bytes an element (mlx5). */
  linesOf(wqe: number): number {
    return Math.ceil((32 + 16 * Math.max(1, this.wqes.sgeCount[wqe])) / this.constants.sendWqeCacheLineBytes);
  }

  /** Makes a frame of a packet: its size on the wire and whose it is. */
  frame(packet: number, qp: NicQueuePair): void {
    const { packets } = this;
    const payload = packets.payloadBytes[packet];
    packets.wireBytes[packet] = headerBytesOf[packets.opcode[packet]] + ((payload + 3) & ~3);
    packets.source[packet] = this.node;
    packets.deviceFirst[packet] = qp.index;
  }

  /** Sends a packet whose payload is on chip: to the port, or round inside the device. */
  transmit(packet: number): void {
    const destination = this.packets.destination[packet];
    if (destination < 0 || (this.egress === null && destination !== this.node)) {
      // No neighbour has the address, or no cable is in: the packet never gets a link-layer destination.
      this.leftTransmitBuffer(packet);
      this.freePacket(packet);
      return;
    }
    if (destination === this.node) {
      this.loopbackWaiting.push(packet);
      this.turnRound();
      return;
    }
    this.egress?.send(packet);
  }

  /** The last bit of a packet has left the port. */
  onSent(packet: number): void {
    this.counters.tx_bytes_phy += this.packets.wireBytes[packet];
    this.counters.tx_packets_phy++;
    this.leftTransmitBuffer(packet);
  }

  /** Loopback packets were placed. */
  loopbackReleased(bytes: number): void {
    this.loopbackBytes -= bytes;
    this.turnRound();
  }

  /** Ends a packet. */
  freePacket(packet: number): void {
    this.client.releasePayload(packet);
    this.packets.free(packet);
  }

  /** Whether anything was ever sent or received: before, caches hold nothing that could be lost. */
  get hasTraffic(): boolean {
    const { tx_packets_phy, rx_packets_phy, vport_loopback_packets } = this.counters;
    return tx_packets_phy + rx_packets_phy + vport_loopback_packets > 0;
  }

  /** Registering memory brings the translations of its pages in and pushes others out. */
  registered(region: number, functionNumber = 0): void {
    const { translations } = this.contexts;
    const { registrationEntries } = this.constants;
    if (translations === null || registrationEntries === 0) return;
    // Work requests name a region, not a page: one entry serves its lookups, the others only take room from others.
    const tenant = this.shares.tenantOf(functionNumber);
    translations.fill(region, tenant);
    if (!this.hasTraffic) return;
    this.counters.registrations++;
    translations.fillStrangers(registrationEntries - 1, tenant);
  }

  /**
   * Deregistering empties the translation cache and, as a control verb outranks data, stops the send scheduler: the
   * tenant's.
   */
  deregistered(region: number, functionNumber = 0): void {
    if (!this.hasTraffic) {
      this.contexts.translations?.evict(region);
      return;
    }
    this.counters.deregistrations++;
    const tenant = this.shares.tenantOf(functionNumber);
    this.contexts.translations?.clear(tenant);
    if (this.constants.invalidationHoldNs === 0 || this.ablated.has('invalidation-hold')) return;
    this.scheduler.hold(this.simulation.now + Math.round(this.constants.invalidationHoldNs * 1000), tenant);
  }

  private turnRound(): void {
    while (this.loopbackWaiting.length > 0) {
      const packet = this.loopbackWaiting.peek();
      const bytes = this.packets.wireBytes[packet];
      if (this.loopbackBytes > 0 && this.loopbackBytes + bytes > this.constants.loopbackBufferBytes) return;
      this.loopbackWaiting.shift();
      this.loopbackBytes += bytes;
      this.counters.vport_loopback_bytes += bytes;
      this.counters.vport_loopback_packets++;
      this.leftTransmitBuffer(packet);
      this.receivePath.arriveLoopback(packet);
    }
  }

  // Acknowledgements are built at the port and never were in the transmit buffer.
  private leftTransmitBuffer(packet: number): void {
    const { deviceFirst, deviceSecond, wireBytes } = this.packets;
    const room = deviceSecond[packet];
    if (room === 0) return;
    deviceSecond[packet] = 0;
    this.scheduler.sent(this.queuePairs[deviceFirst[packet]], wireBytes[packet], room - 1);
  }

  private onArrive(packet: number): void {
    const { packets, counters } = this;
    const bytes = packets.wireBytes[packet];
    counters.rx_bytes_phy += bytes;
    counters.rx_packets_phy++;
    if (this.buffer.admit(bytes, packets.priority[packet])) this.receivePath.arrive(packet);
    else this.freePacket(packet);
  }
}
