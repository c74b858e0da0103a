/**
 * Ping: loopback probes between every RNIC and every memory endpoint of a host, and localisers that point at the slow
 * link (Hostping, NSDI 2023).
 *
 * @example
 * const plan = planOf(resolveHost(findProfile('host', 'hostping')));
 * const { readings } = await new Prober(plan, contextOf).sweep();
 * const statuses = statusesOf(plan, readings, baseline);
 * localiseBinary(plan, statuses).suspects;
 *
 * @module
 */

export { type CauseClass, type FaultKind, type FaultPlaceKind, faultKinds, findFault } from './catalogue.js';
export { type Admission, type Diagnosis, type DiagnosisInput, diagnose, type Finding } from './diagnose.js';
export { type AskedFault, parseFault, placesOf } from './fault-text.js';
export * from './localisation.js';
export { localiseBinary } from './localise-binary.js';
export { localiseCapacity } from './localise-capacity.js';
export * from './plan.js';
export * from './probe.js';
export * from './reading.js';
export * from './status.js';
export * from './thresholds.js';
