import type { Random, Simulation } from '../../../engine/index.js';
import type { DeviceConstants, MissConstants } from '../../../profiles/index.js';
import type { MemoryTable, WqePool } from '../../../verbs/base/index.js';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import type { PciePort } from '../../pcie/pcie-port.js';
import type { MissUnit } from '../memory/miss-unit.js';
import type { RegionAccess } from '../memory/region-access.js';
import type { NicPort } from '../nic-port.js';
import type { PacketProcessors } from '../packets/packet-processors.js';
import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import type { AckGenerator } from '../receive/ack-generator.js';
import type { ReceiveJobs } from '../receive/receive-jobs.js';
import type { WqeReads } from '../receive/wqe-reads.js';
import type { PacketRouter, SendQueues } from '../rnic-client.js';
import type { RnicCounters } from '../rnic-counters.js';
import type { TenantShares } from '../tenants/tenant-shares.js';
import type { ContextStore } from './context-store.js';

/** How traffic classes share a port. */
export interface TrafficClasses {
  /** By class. */
  readonly weights: readonly number[];
  /** Classes that go before all others, the highest first. */
  readonly strict: readonly number[];
}

/** What every part of a device may be made of. A part asks for what it uses: see the parts' own interfaces. */
export interface NicParts {
  readonly name: string;
  readonly simulation: Simulation;
  readonly constants: DeviceConstants;
  readonly random: Random;
  /** Names of the mechanisms that are switched off. */
  readonly ablated: ReadonlySet<string>;
  readonly counters: RnicCounters;
  /** Who shares the device. */
  readonly shares: TenantShares;
  /** The traffic classes of its port. */
  readonly classes: TrafficClasses;
  readonly pcie: PciePort;
  /** Regions and windows. */
  readonly memory: MemoryTable;
  /** What reads state that lies in host memory: one for all parts of the device that have such. */
  misses(constants: MissConstants): MissUnit;
}

/** What a source of receive WQEs may be made of. */
export interface ReceiveWqeParts extends NicParts {
  readonly wqeReads: WqeReads;
}

/** What a send path may be made of. */
export interface SendPathParts extends NicParts {
  /** By index. */
  readonly pairs: readonly NicQueuePair[];
  readonly packets: FabricPackets;
  readonly wqes: WqePool;
  readonly contexts: ContextStore;
  readonly regions: RegionAccess;
  /** Null where transmitted and received packets share none. */
  readonly processors: PacketProcessors | null;
  readonly port: NicPort;
  /** The receive path, which does some work for the send side. */
  readonly receiver: ReceiveJobs;
  /** What sends the answers that are no READ data. */
  readonly acks: AckGenerator;
  readonly queues: SendQueues;
  readonly router: PacketRouter;
  /** Doorbells that may wait for their context; whoever rings another waits with them. */
  readonly doorbellsWaitingMax: number;
}
