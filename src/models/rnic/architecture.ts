import type { Simulation } from '../../engine/index.js';
import type {
  ArchitectureTable,
  ConstantTable,
  DeviceConstants,
  NicSlot,
  PartTable,
  Settings,
  Values,
} from '../../profiles/index.js';
import type { LossRecovery, TelemetryFormat } from '../../transport/index.js';
import type { DmaPath } from '../pcie/dma-path.js';
import type { PciePort, PciePortOptions } from '../pcie/pcie-port.js';
import type { CongestionFactory } from './parts/congestion-factory.js';
import type { ContextStore } from './parts/context-store.js';
import type { MemoryLedger, MemoryUse } from './parts/memory-ledger.js';
import type { NicParts, ReceiveWqeParts, SendPathParts } from './parts/nic-parts.js';
import type { ReceiveWqeSource } from './parts/receive-wqe-source.js';
import type { SendPath } from './parts/send-path.js';
import type { TranslationStore } from './parts/translation-store.js';
import type { WireFormat } from './parts/wire-format.js';
import type { RnicCounters } from './rnic-counters.js';

/** What the loss recovery of a device depends on: the device that it is of, where software has a part in it. */
export interface RecoveryNeeds {
  readonly constants: DeviceConstants;
  readonly name: string;
  readonly simulation: Simulation;
  readonly counters: RnicCounters;
  readonly pcie: PciePort;
  /** The way to the queues between the device and software. */
  readonly queuePath: DmaPath;
}

/** What the format of packets depends on. */
export interface WireNeeds {
  readonly constants: DeviceConstants;
}

/** What the congestion control of a device depends on. */
export interface CongestionOptions {
  readonly constants: DeviceConstants;
  /** Rate of the device's port. */
  readonly portBps: number;
  readonly control: Settings['congestionControl'];
  /** The longest round trip of its world without queues: what windows are made for. */
  roundTripNs(): number;
  /** How packets of its world carry telemetry, where a control needs it. */
  readonly telemetry: TelemetryFormat;
}

/** One part of a NIC: how it is made, and the memory that its structures take. */
export interface NicPart<Needs, Made> extends PartTable {
  readonly slot: NicSlot;
  make(needs: Needs): Made;
  ledger(constants: DeviceConstants, use: MemoryUse): MemoryLedger;
}

/** What the bus of a device depends on. */
export interface BusNeeds {
  readonly constants: DeviceConstants;
  /** What every PCIe port is made of, from the constants, the slot and the host. */
  readonly port: PciePortOptions;
}

/** The parts that architectures differ in. */
export interface NicPartSet {
  readonly bus: NicPart<BusNeeds, PciePort>;
  readonly contexts: NicPart<NicParts, ContextStore>;
  readonly translations: NicPart<NicParts, TranslationStore>;
  readonly sends: NicPart<SendPathParts, SendPath>;
  readonly receives: NicPart<ReceiveWqeParts, ReceiveWqeSource>;
  readonly wire: NicPart<WireNeeds, WireFormat>;
  readonly recovery: NicPart<RecoveryNeeds, LossRecovery>;
  readonly congestion: NicPart<CongestionOptions, CongestionFactory>;
}

/**
 * How a NIC is built. The device profile names one (`architecture`), and may put parts of others in place of its own. The
 * rest of a NIC (port, receive engine, acknowledgements, PCIe, accounts of tenants) is the same for all.
 */
export interface NicArchitecture extends ArchitectureTable {
  readonly parts: NicPartSet;
  readonly others?: { readonly [Slot in keyof NicPartSet]?: readonly NicPartSet[Slot][] };
}

/** What a part is given, with the constants of its own table. */
type WithTable<Slot extends NicSlot, Table extends ConstantTable> = Parameters<
  NicPartSet[Slot]['make']
>[0] & {
  readonly constants: DeviceConstants & Values<Table>;
};

/**
 * A part for one of the slots, which reads the constants of its table: a profile of a device with it must give them.
 *
 * @example
 * const group = 'Contexts';
 * const constants = { contextNs: real(group, 'ns', [0, 1000], 'To find a context.') };
 * const table = { name: 'slow', constants };
 * const contexts = nicPart('contexts', table, ({ constants: { contextNs } }) => ({
 *   lookUp: (nowPs) => nowPs + contextNs * 1000,
 *   warm() {},
 * }));
 */
export function nicPart<Slot extends NicSlot, Table extends ConstantTable>(
  slot: Slot,
  table: PartTable<Table>,
  make: (needs: WithTable<Slot, Table>) => ReturnType<NicPartSet[Slot]['make']>,
  ledger: (constants: DeviceConstants & Values<Table>, use: MemoryUse) => MemoryLedger = () => [],
): NicPartSet[Slot] {
  return { ...table, slot, make, ledger } as unknown as NicPartSet[Slot];
}
