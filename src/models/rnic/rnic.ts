import type { Simulation } from '../../engine/index.js';
import type { DeviceNumbers } from '../../profiles/index.js';
import type { MemoryTable } from '../../verbs/base/index.js';
import { PRIORITIES } from '../fabric/cable-side.js';
import type { EgressPort } from '../fabric/egress-port.js';
import type { FabricPackets } from '../fabric/fabric-packets.js';
import type { DmaPath } from '../pcie/dma-path.js';
import type { PciePort, PciePortOptions } from '../pcie/pcie-port.js';
import { ContextKeys } from './memory/context-keys.js';
import { MissUnit } from './memory/miss-unit.js';
import { RegionAccess } from './memory/region-access.js';
import { NicPort } from './nic-port.js';
import { PacketProcessors } from './packets/packet-processors.js';
import { type ContextStore, Side } from './parts/context-store.js';
import type { NicParts, TrafficClasses } from './parts/nic-parts.js';
import type { ReceiveRingOptions, ReceiveWqeSource } from './parts/receive-wqe-source.js';
import { Member, type SendPath } from './parts/send-path.js';
import type { TranslationStore } from './parts/translation-store.js';
import { type NicEndpoint, NicQueuePair } from './queue-pair/nic-queue-pair.js';
import { AckGenerator } from './receive/ack-generator.js';
import { ReceivePath } from './receive/receive-path.js';
import type { ReceiveRing } from './receive/receive-ring.js';
import { WqeReads } from './receive/wqe-reads.js';
import { RnicCounters } from './rnic-counters.js';
import type { RnicOptions } from './rnic-options.js';
import { FunctionLimiter } from './tenants/function-limiter.js';
import { TenantShares } from './tenants/tenant-shares.js';

/** Bytes of a completion as it is written to host memory. */
const CQE_BYTES = 64;

/** A completion queue as the device writes it. */
export interface CompletionTarget {
  readonly contextKey: number;
  readonly tenant: number;
  /** The way to the queue. */
  readonly path: DmaPath;
  /** When the bus takes the last write, and how many completions are in it. */
  acceptedPs: number;
  written: number;
}

/**
 * A simulated RDMA NIC: when things happen. What happens is the transport's.
 *
 * It puts its parts together and has none of their work: a part gets the parts that it uses, those made later by `join`.
 */
export class Rnic {
  readonly name: string;
  readonly simulation: Simulation;
  readonly packets: FabricPackets;
  readonly constants: DeviceNumbers;
  readonly memory: MemoryTable;
  readonly queuePath: DmaPath;
  readonly counters = new RnicCounters();
  /** By index. */
  readonly pairs: NicQueuePair[] = [];
  /** Who shares the device. */
  readonly shares: TenantShares;
  readonly pcie: PciePort;
  readonly contexts: ContextStore;
  readonly translations: TranslationStore;
  readonly regions: RegionAccess;
  readonly port: NicPort;
  readonly receiveWqes: ReceiveWqeSource;
  readonly receivePath: ReceivePath;
  readonly acks: AckGenerator;
  readonly sendPath: SendPath;
  private readonly processors: PacketProcessors | null;
  private readonly completionLatencyPs: number;
  private readonly completionsPerWrite: number;
  private readonly invalidationHoldPs: number;
  private readonly limiters: readonly (FunctionLimiter | null)[];
  private nextContextKey = 0;

  constructor(options: RnicOptions) {
    const { name, constants, simulation, client, packets, wqes, memory, queuePath } = options;
    const architecture = options.architecture.parts;
    const ablated: ReadonlySet<string> = new Set(options.ablate ?? []);
    const { counters, pairs } = this;
    this.name = name;
    this.simulation = simulation;
    this.packets = packets;
    this.constants = constants;
    this.memory = memory;
    this.queuePath = queuePath;
    this.completionLatencyPs = options.completionLatencyPs;
    this.completionsPerWrite = constants.completionsPerWrite;
    this.invalidationHoldPs = ablated.has('invalidation-hold')
      ? 0
      : Math.round(constants.invalidationHoldNs * 1000);
    const shares = new TenantShares(simulation, options.tenantShares ?? null);
    const pcie = architecture.bus.make({ constants, port: portOptions(options, ablated) });
    let misses: MissUnit | null = null;
    const parts: NicParts = {
      name,
      simulation,
      constants,
      random: options.random,
      ablated,
      counters,
      shares,
      classes: classesOf(options),
      pcie,
      memory,
      misses(constants) {
        misses ??= new MissUnit(constants, pcie, queuePath, shares);
        return misses;
      },
    };
    this.shares = shares;
    this.pcie = pcie;
    this.contexts = architecture.contexts.make(parts);
    this.translations = architecture.translations.make(parts);
    const wqeReads = new WqeReads(constants, pcie, shares, options.random);
    this.receiveWqes = architecture.receives.make({ ...parts, wqeReads });
    this.regions = new RegionAccess({
      wqes,
      memory,
      translations: this.translations,
      defaultPath: queuePath,
      placements: client,
    });
    const shared = constants.sharedPacketProcessors > 0 && !ablated.has('shared-processors');
    this.processors = shared
      ? new PacketProcessors(constants.sharedPacketProcessors, constants.packetProcessorNs, options.node)
      : null;
    const { node, lossless, marking } = options;
    const wire = architecture.wire.make({ constants });
    this.port = new NicPort({ ...parts, node, lossless, marking, packets, pairs, payloads: client, wire });
    const { contexts, regions, processors, port } = this;
    const inward = { ...parts, packets, wqes, pairs, router: client, port };
    this.receivePath = new ReceivePath({ ...inward, contexts, regions, wqeReads, processors });
    this.acks = new AckGenerator({ ...inward, receiver: this.receivePath });
    this.sendPath = architecture.sends.make({
      ...inward,
      contexts,
      regions,
      processors,
      receiver: this.receivePath,
      acks: this.acks,
      queues: client,
      doorbellsWaitingMax: options.doorbellsWaitingMax,
    });
    const { scheduler, requests } = this.sendPath;
    port.join(scheduler, this.receivePath);
    this.receivePath.join(requests);
    this.acks.join(scheduler);
    this.limiters = (options.functionGbps ?? []).map((gbps, number) =>
      gbps === 0
        ? null
        : new FunctionLimiter(simulation, `${name}/function${number}`, gbps, (entry) =>
            scheduler.release(entry),
          ),
    );
  }

  /** Joins the device to its link: the egress that it sends by, and how it pauses the other end. */
  attach(egress: EgressPort, pausePeer: (priority: number, paused: boolean) => void): void {
    this.port.attach(egress, pausePeer);
  }

  /** A key of the context store for one more object. */
  newContextKey(entries = 1): number {
    const key = this.nextContextKey;
    this.nextContextKey += entries;
    return key;
  }

  /** A queue pair was made, in a function of the device; its context is on chip. */
  add(endpoint: NicEndpoint, functionNumber: number): NicQueuePair {
    const keys = this.constants.readContextEntries + 1;
    const context = new ContextKeys(this.newContextKey(keys), keys);
    const pair = new NicQueuePair(this.pairs.length, endpoint, context, this.queuePath);
    pair.processor = this.processors?.processorOf(pair.index) ?? 0;
    this.pairs.push(pair);
    this.sendPath.add(pair);
    this.assignFunction(pair, functionNumber);
    this.shares.heard(pair.tenant);
    this.contexts.warm(context.next(), pair.tenant);
    return pair;
  }

  /** A queue pair failed, was reset or is gone. */
  forget(pair: NicQueuePair): void {
    this.sendPath.forget(pair);
    pair.receive.lostPsn = -1;
    pair.receive.nextPsn = -1;
  }

  /** The device's view of a new receive queue, of a function of the device. */
  newReceiveRing(options: Omit<ReceiveRingOptions, 'tenant'>, functionNumber: number): ReceiveRing {
    const { depth, elements, datagrams, queuePath } = options;
    const tenant = this.shares.tenantOf(functionNumber);
    return this.receiveWqes.newRing({ depth, elements, datagrams, queuePath, tenant });
  }

  /** Puts a queue pair under a function, whose rate limit it then shares. */
  assignFunction(pair: NicQueuePair, number: number): void {
    pair.functionNumber = number;
    pair.tenant = this.shares.tenantOf(number);
    pair.limiter = this.limiters[number] ?? null;
  }

  /** The transport has requests to send where it had none. May be called from inside an endpoint. */
  requestReady(pair: NicQueuePair): void {
    this.sendPath.scheduler.ready(pair, Member.REQUESTS);
  }

  /**
   * When a completion that the device generates now is seen by software. One that finds the last of its queue still waiting
   * for the bus goes with it, so that a full bus carries less of them than an idle one.
   */
  completionPs(queue: CompletionTarget): number {
    const now = this.simulation.now;
    const context = this.contexts.lookUp(now, queue.contextKey, Side.REQUESTER, queue.tenant);
    if (now < queue.acceptedPs && queue.written < this.completionsPerWrite) queue.written++;
    else {
      queue.acceptedPs = this.pcie.write(now, CQE_BYTES, queue.path);
      queue.written = 1;
    }
    return Math.max(context, queue.acceptedPs) + this.completionLatencyPs;
  }

  /** Whether anything was ever sent or received: before, caches hold nothing that could be lost. */
  get hasTraffic(): boolean {
    const { tx_packets_phy, rx_packets_phy, vport_loopback_packets } = this.counters;
    return tx_packets_phy + rx_packets_phy + vport_loopback_packets > 0;
  }

  /** Memory was registered in a function of the device. */
  registered(region: number, functionNumber = 0): void {
    this.translations.registered(region, this.shares.tenantOf(functionNumber), this.hasTraffic);
  }

  /** Memory was deregistered; as a control verb outranks data, that stops the send scheduler: for the tenant. */
  deregistered(region: number, functionNumber = 0): void {
    const { hasTraffic, invalidationHoldPs } = this;
    const tenant = this.shares.tenantOf(functionNumber);
    this.translations.deregistered(region, tenant, hasTraffic);
    if (!hasTraffic || invalidationHoldPs === 0) return;
    this.sendPath.scheduler.hold(this.simulation.now + invalidationHoldPs, tenant);
  }
}

function portOptions(options: RnicOptions, ablated: ReadonlySet<string>): PciePortOptions {
  const { constants } = options;
  return {
    gbps: options.pcieGbps * (ablated.has('pcie-up-link') ? 2 : 1),
    maxPayloadBytes: constants.pcieMaxPayloadBytes,
    maxReadRequestBytes: constants.pcieMaxReadRequestBytes,
    tlpOverheadBytes: constants.pcieTlpOverheadBytes,
    writeGapPs: constants.pcieWriteGapNs * 1000,
    readOutstandingBytes: ablated.has('read-credit')
      ? Number.MAX_SAFE_INTEGER
      : constants.readOutstandingBytes,
    ordering: ablated.has('pcie-ordering') ? null : options.ordering,
    random: options.random.split('pcie'),
  };
}

/** How the classes of the port share it: those that no weight is given for have 1. */
function classesOf({ trafficClassWeights = [], strictTrafficClasses = [] }: RnicOptions): TrafficClasses {
  const weights = Array.from({ length: PRIORITIES }, (_, priority) => trafficClassWeights[priority] ?? 1);
  return { weights, strict: strictTrafficClasses };
}
