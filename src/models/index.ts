/**
 * Models: when things happen in an RDMA subsystem. Resources with service times, caches that are caches, credits that
 * are counted; what happens is the transport's.
 *
 * @module
 */
export { EgressPort, type EgressTarget, PRIORITIES } from './fabric/egress-port.js';
export { FabricPackets } from './fabric/fabric-packets.js';
export { type FabricGraph, type NextHops, Routes } from './fabric/routes.js';
export { Switch, type SwitchOptions } from './fabric/switch.js';
export type { BufferPolicy, BufferPorts } from './fabric/switching/buffer-policy.js';
export { ThresholdBuffer } from './fabric/switching/threshold-buffer.js';
export type { DirectionReading } from './host/host-link.js';
export type { LinkReading } from './host/link-reading.js';
export { HostModel } from './host/host-model.js';
export { MemoryChannels } from './host/memory-channels.js';
export { DmaPath } from './pcie/dma-path.js';
export { type Change, Changes } from './resource/changes.js';
export { type Mechanism, mechanisms } from './rnic/ablation.js';
export { Side } from './rnic/contexts.js';
export { type CounterEntry, counterTable } from './rnic/counter-table.js';
export { NicQueuePair } from './rnic/nic-queue-pair.js';
export { headerBytesOf, Kind, kindOf } from './rnic/packet-kinds.js';
export type { ReceiveRing } from './rnic/receive/receive-ring.js';
export { Rnic } from './rnic/rnic.js';
export { RnicCounters } from './rnic/rnic-counters.js';
export type { RnicClient, RnicOptions } from './rnic/rnic-options.js';
