import type { Random, Simulation } from '../../engine/index.js';
import type { DeviceConstants } from '../../profiles/index.js';
import type { MemoryTable, WqePool } from '../../verbs/base/index.js';
import type { FabricPackets } from '../fabric/fabric-packets.js';
import type { DmaPath } from '../pcie/dma-path.js';
import type { Mechanism } from './ablation.js';
import type { NicQueuePair } from './nic-queue-pair.js';

/** What the device that a model times does for it: the side of the verbs. */
export interface RnicClient {
  /** The first request of a send queue that the transport has not taken. */
  firstUntaken(qp: NicQueuePair): number;
  /** Executes the first untaken request, which the device does alone; false where it must wait. */
  executeLocal(qp: NicQueuePair): boolean;
  /** `count` more requests are on chip: the transport may take them. */
  wqesVisible(qp: NicQueuePair, count: number): void;
  /** The queue pair that an arrived packet is for, null where there is none or it hears another peer. */
  findQueuePair(packet: number): NicQueuePair | null;
  /** Writes where a packet goes: node and class. */
  route(packet: number, qp: NicQueuePair, wqe: number): void;
  /** The way to a placement, by its number. */
  pathTo(placement: number): DmaPath;
  /** A packet ends: frees what its payload refers to. */
  releasePayload(packet: number): void;
}

/** What a device is made of and stands in. */
export interface RnicOptions {
  name: string;
  node: number;
  simulation: Simulation;
  packets: FabricPackets;
  constants: DeviceConstants;
  random: Random;
  client: RnicClient;
  wqes: WqePool;
  memory: MemoryTable;
  /** Where contexts lie, and queues by default. */
  queuePath: DmaPath;
  /** Strict ordering of the host; both 0 with relaxed ordering. */
  orderingWindowPs: number;
  orderingStallPs: number;
  orderingShortBytes: number;
  completionLatencyPs: number;
  /** The slower of device and slot. */
  pcieGbps: number;
  lossless: boolean;
  /** Doorbells that may wait for their context; a core that rings another waits with them. */
  doorbellsWaitingMax: number;
  /** Rate limits of functions by their number, 0 for none; all have none where left out. */
  functionGbps?: readonly number[];
  /** Shares of the functions by number, on a device that accounts by tenant; null or left out: it does not. */
  tenantShares?: readonly number[] | null;
  ablate?: readonly Mechanism[];
}
