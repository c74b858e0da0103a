/**
 * A packet-level RDMA fabric: thousands of hosts with light NICs, switches with shared buffers, priority flow control,
 * ECN, ECMP and congestion control. With ns-3's order of events, random numbers and rounding it answers as HPCC's
 * simulator does, to the nanosecond.
 *
 * @module
 */
export type { ControlSpec } from '../../transport/congestion/rates/control-spec.js';
export { type ControlName, controlNames } from '../../transport/congestion/rates/presets.js';
export type { Rounding } from './core/events/rounding.js';
export { Fabric } from './core/fabric.js';
export type { EventOrder, FabricSpec, RandomSource } from './core/fabric-spec.js';
export type { LinkChange } from './core/link-changes.js';
export { type GuestHosts, guestClasses } from './core/parts/guest-hosts.js';
export type { GuestSide, Guests, LightPacket } from './core/parts/guests.js';
export type { HeldPort } from './core/ports/held-ports.js';
export {
  LONGEST_PAUSE_QUANTA,
  type PauseOptions,
  type PauseStorm,
  pauseNs,
} from './core/ports/pause-options.js';
export type { RunningFabric } from './core/running-fabric.js';
export { checkSettled } from './core/settle.js';
export type { FlowSpec } from './nic/flow-spec.js';
export * from './nic/generations.js';
export { IRN, type RecoveryOptions } from './nic/recovery-options.js';
export { type LinkDown, type Ns3Config, readConfig } from './ns3/config.js';
export { readFlows } from './ns3/flow-file.js';
export { notesOf } from './ns3/notes.js';
export { firstHostLink, type Ns3Run, ns3Run } from './ns3/ns3-spec.js';
export { fctLines, idealNs, pfcLines } from './ns3/output-files.js';
export {
  type PresetTerms,
  presetBuffer,
  presetControl,
  presetMarking,
  presetNic,
} from './ns3/presets.js';
export { readTopology } from './ns3/topology-file.js';
export { readTrace } from './ns3/trace-file.js';
export { obey, type RemoteMember, type TeamCommand, TeamFabric } from './parallel/team-fabric.js';
export { TeamMember } from './parallel/team-member.js';
export { planTeam, type TeamPlan } from './parallel/team-plan.js';
export * from './report/pause-graph.js';
export { type CompletionReport, completionReport, type Percentiles } from './report/slowdown.js';
export type { BufferSpec } from './switching/buffer-spec.js';
export * from './switching/headroom.js';
export type { MarkingThresholds } from './switching/marking.js';
export { AZURE_LISTING, SonicBuffer, type SonicBufferOptions } from './switching/sonic-buffer.js';
export * from './switching/watchdog-options.js';
export * from './topology/clos.js';
export { type DragonflyOptions, dragonfly } from './topology/dragonfly.js';
export type { Cable } from './topology/graph-builder.js';
export { PortPlan } from './topology/port-plan.js';
export { Reach } from './topology/reach.js';
export * from './topology/region.js';
export { longestRoundTripNs } from './topology/routing.js';
export { type FabricLink, nameOf, type Topology } from './topology/topology.js';
export * from './workload/collectives.js';
export * from './workload/patterns.js';
export * from './workload/published-distributions.js';
export * from './workload/size-distribution.js';
