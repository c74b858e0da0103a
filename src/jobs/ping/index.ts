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
export { type CheckUp, type CheckUpOptions, checkUp } from './check-up.js';
export { type Diagnosis, diagnose } from './diagnosis/diagnose.js';
export type { Admission, DiagnosisInput } from './diagnosis/diagnosis-input.js';
export type { Finding } from './diagnosis/finding.js';
export { admissionsOf } from './diagnosis/settings.js';
export {
  type Evaluation,
  type EvaluationHost,
  type EvaluationOptions,
  evaluate,
  evaluatePairs,
  type PairOptions,
} from './evaluate.js';
export {
  type EvaluatedPair,
  type EvaluatedServer,
  type HealthySweeps,
  JITTER_NS,
  type PairedFault,
  type PingAnswer,
  type PingTask,
  type PlacedFault,
  runPingTask,
} from './evaluate-task.js';
export { faultKinds, findFault } from './faults/catalogue.js';
export type { CauseClass, FaultKind, FaultPlaceKind } from './faults/fault-kind.js';
export { type AskedFault, parseFault, placesOf } from './faults/fault-text.js';
export type { EvaluatedFault } from './judge-fault.js';
export { type SweepLoad, sweepLoad } from './load.js';
export * from './localise/localisation.js';
export { localiseBinary } from './localise/localise-binary.js';
export { localiseCapacity } from './localise/localise-capacity.js';
export * from './mesh/mesh.js';
export { MESH_PORT, MESH_PROBES, MeshEnd, type MeshProbeOptions } from './mesh/mesh-end.js';
export * from './plan.js';
export * from './probe.js';
export * from './reading.js';
export { questionsOf } from './second-stage/questions.js';
export * from './second-stage/second-stage.js';
export type { Flow } from './second-stage/stream.js';
export * from './server.js';
export { parseService, serviceOf } from './service.js';
export * from './status.js';
export * from './thresholds.js';
