import type { Random } from '../../../engine/index.js';
import type { FabricPackets, Mechanism, NicArchitecture } from '../../../models/index.js';
import type { Subsystem } from '../../../profiles/index.js';
import type { TelemetryFormat } from '../../../transport/index.js';
import type { VirtualTime } from '../../time/virtual-time.js';
import type { SimulatedHost } from '../host/simulated-host.js';
import type { PayloadSlab } from './payload-slab.js';

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
  /** How it is built, its parts put together. */
  architecture: NicArchitecture;
  time: VirtualTime;
  packets: FabricPackets;
  payloads: PayloadSlab;
  random: Random;
  ablate: readonly Mechanism[];
  /** Rate limits of the functions of the device, by number. */
  functionGbps: readonly number[];
  /** Weights of the traffic classes, and those that go first. */
  trafficClassWeights: readonly number[];
  strictTrafficClasses: readonly number[];
  /** Shares of the functions, where devices account by tenant; null where they do not. */
  tenantShares: readonly number[] | null;
  /** The longest round trip of its world without queues. */
  roundTripNs(): number;
  /** How packets carry telemetry, where a control needs it. */
  telemetry: TelemetryFormat;
  /** The node that has a GID, -1 where none has. */
  nodeOf(gid: string): number;
}
