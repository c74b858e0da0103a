/**
 * Models: when things happen in an RDMA subsystem. Resources with service times, caches that are caches, credits that
 * are counted; what happens is the transport's.
 *
 * @module
 */
export { CableSide, type EgressTarget, PRIORITIES } from './fabric/cable-side.js';
export { Records } from './fabric/core/records.js';
export { EgressPort } from './fabric/egress-port.js';
export { FabricPackets } from './fabric/fabric-packets.js';
export { PacketLoss } from './fabric/packet-loss.js';
export { Routes } from './fabric/routes.js';
export type { BufferPolicy, BufferPorts } from './fabric/switching/buffer-policy.js';
export { ThresholdBuffer } from './fabric/switching/threshold-buffer.js';
export { QUEUE_SHIFT, WorldSwitch } from './fabric/world-switch.js';
export type { DirectionReading } from './host/host-link.js';
export { HostModel } from './host/host-model.js';
export { type PartSettings, WHOLE_HOST } from './host/host-settings.js';
export type { LinkReading } from './host/link-reading.js';
export { DmaPath } from './pcie/dma-path.js';
export type { OrderingPointOptions } from './pcie/ordering-point.js';
export { Changes } from './resource/changes.js';
export { type Mechanism, mechanisms } from './rnic/ablation.js';
export { type NicArchitecture, type NicPart, type NicPartSet, nicPart } from './rnic/architecture.js';
export { nicArchitectures } from './rnic/architectures.js';
export { connectx } from './rnic/connectx/connectx.js';
export { counterTable } from './rnic/counter-table.js';
export { ledgerOf } from './rnic/ledger.js';
export type { CongestionFactory } from './rnic/parts/congestion-factory.js';
export type { ContextStore } from './rnic/parts/context-store.js';
export type { LedgerRow, MemoryLedger, MemoryUse } from './rnic/parts/memory-ledger.js';
export type { NicQueuePair } from './rnic/queue-pair/nic-queue-pair.js';
export type { ReceiveRing } from './rnic/receive/receive-ring.js';
export { type CompletionTarget, Rnic } from './rnic/rnic.js';
export type { RnicClient } from './rnic/rnic-client.js';
