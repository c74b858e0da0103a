import type { Random, Simulation } from '../../engine/index.js';
import type { DeviceNumbers } from '../../profiles/index.js';
import type { MemoryTable, WqePool } from '../../verbs/base/index.js';
import type { FabricPackets } from '../fabric/fabric-packets.js';
import type { DmaPath } from '../pcie/dma-path.js';
import type { OrderingPointOptions } from '../pcie/ordering-point.js';
import type { Mechanism } from './ablation.js';
import type { NicArchitecture } from './architecture.js';
import type { RnicClient } from './rnic-client.js';

/** What a device is made of and stands in. */
export interface RnicOptions {
  name: string;
  node: number;
  simulation: Simulation;
  packets: FabricPackets;
  architecture: NicArchitecture;
  constants: DeviceNumbers;
  random: Random;
  client: RnicClient;
  wqes: WqePool;
  memory: MemoryTable;
  /** Where contexts lie, and memory and queues unless set otherwise. */
  queuePath: DmaPath;
  /** The ordering point of the host; null with relaxed ordering. */
  ordering: OrderingPointOptions | null;
  completionLatencyPs: number;
  /** The slower of device and slot. */
  pcieGbps: number;
  lossless: boolean;
  /** Whether packets that find the receive buffer filled are marked. */
  marking: boolean;
  /** Doorbells that may wait for their context; whoever rings another waits with them. */
  doorbellsWaitingMax: number;
  /** Rate limits of functions by their number, 0 for none; default: none has a limit. */
  functionGbps?: readonly number[];
  /** Weights of the traffic classes at the port, and those that go first; default: all alike. */
  trafficClassWeights?: readonly number[];
  strictTrafficClasses?: readonly number[];
  /** Shares of the functions by number, on a device that accounts by tenant; default: it does not. */
  tenantShares?: readonly number[] | null;
  ablate?: readonly Mechanism[];
}
