/**
 * Congestion controls as rates: one interface with marks, round-trip times, in-band telemetry and windows, for many
 * flows at once.
 *
 * @module
 */
export { type ControlSpec, createControl } from './control-spec.js';
export { TimedDcqcn, type TimedDcqcnParameters } from './dcqcn.js';
export { Dctcp, type DctcpParameters } from './dctcp.js';
export * from './feedback.js';
export { Hpcc, type HpccParameters } from './hpcc.js';
export { NicDcqcn } from './nic-dcqcn.js';
export * from './nic-dcqcn-parameters.js';
export { LineRate } from './none.js';
export { type ControlName, controlNames, controlPreset } from './presets.js';
export { type FlowTerms, RateControl, type RateLimits, type WindowMode } from './rate-control.js';
export { type RateSlot, RateSlots } from './rate-slots.js';
export { Swift, type SwiftParameters } from './swift.js';
export { Timely, type TimelyParameters } from './timely.js';
