/**
 * Workloads: a description of traffic, the engine that drives the verbs with it on any provider, and the Measurement
 * that comes out, with the verdict.
 *
 * @example
 * const workload = parseWorkload(text, 'incast.yaml');
 * const measurement = await runWorkload(workload, testbed, { seed: 42 });
 * if (measurement.verdict.anomaly) console.log(measurement.verdict.symptom, measurement.verdict.why);
 *
 * @module
 */
export {
  hostsOf,
  type MeasureOptions,
  OPERATIONS,
  type Operation,
  operationMix,
  type SettingOverrides,
  type Tenant,
  type TenantInput,
  type Workload,
  type WorkloadInput,
} from './description.js';
export { type Progress, type RunOptions, runWorkload } from './engine.js';
export { LatencyLog, type LatencySummary } from './latency-log.js';
export { parseWorkload, resolveWorkload, workloadJsonSchema } from './load.js';
export {
  type DirectionRates,
  deterministicPart,
  type HostMeasurement,
  type Measurement,
  type MeasurementSeries,
  type Rates,
  type TenantMeasurement,
} from './measurement.js';
export { l2BytesOf, packetsOf } from './message-plan.js';
export type { SteadyState } from './steady-state.js';
export type { Testbed, TestbedHost } from './testbed.js';
export { type DeviceBounds, judge, type Limit, type Verdict, type VerdictFacts } from './verdict.js';
