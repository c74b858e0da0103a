/**
 * Ping: loopback probes between every RNIC and every memory endpoint of a host, and localisers that point at the slow
 * link (Hostping, NSDI 2023).
 *
 * @example
 * import { SimulatedProvider } from 'kelpie';
 * import { baselineOf, diagnose, parseFault, planOf, Prober, statusesOf } from 'kelpie/ping';
 * import { type FaultDescription, findProfile, resolveHost } from 'kelpie/profiles';
 *
 * const plan = planOf(resolveHost(findProfile('host', 'hostping')));
 * const sweep = async (faults: FaultDescription[]) => {
 *   const world = { hosts: [{ host: 'hostping', device: 'connectx-6-200g' }], faults };
 *   const provider = new SimulatedProvider({ world });
 *   const contexts = await Promise.all(plan.rnics.map((rnic) => provider.open(`h0/${rnic}`)));
 *   const prober = new Prober(plan, (rnic) => contexts[plan.rnics.indexOf(rnic)]!, { smallBytes: 64, repetitions: 3 });
 *   const { readings } = await prober.sweep();
 *   return readings.map((reading) => reading!);
 * };
 * const baseline = baselineOf([await sweep([])], 'the same host without faults');
 * const readings = await sweep([parseFault('pcie-width@rnic2:0.25', plan).description]);
 * const statuses = statusesOf(plan, readings, baseline);
 * const { findings } = diagnose({ plan, readings, statuses, baseline });
 * console.log(findings.map(({ links, cause }) => `${links}: ${cause}`)); // [ 'rnic2-up: pcie-link' ]
 *
 * @module
 */

export * from './agent/index.js';
export { type CauseClass, type FaultKind, type FaultPlaceKind, faultKinds, findFault } from './catalogue.js';
export { type Admission, type Diagnosis, type DiagnosisInput, diagnose, type Finding } from './diagnose.js';
export {
  type EvaluatedFault,
  type Evaluation,
  type EvaluationOptions,
  evaluate,
  JITTER_NS,
} from './evaluate.js';
export { type AskedFault, parseFault, placesOf } from './fault-text.js';
export { type SweepLoad, sweepLoad } from './load.js';
export * from './localisation.js';
export { localiseBinary } from './localise-binary.js';
export { localiseCapacity } from './localise-capacity.js';
export * from './plan.js';
export * from './probe.js';
export * from './reading.js';
export * from './server.js';
export { admissionsOf } from './settings.js';
export * from './status.js';
export * from './thresholds.js';
