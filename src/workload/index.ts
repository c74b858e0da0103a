/**
 * Workloads: a description of traffic, what drives the verbs with it on any provider, and the Measurement that comes out,
 * with the verdict.
 *
 * @example
 * import { openTestbedFor } from 'kelpie/testbeds';
 * import { parseWorkload, runWorkload } from 'kelpie/workload';
 *
 * const text = 'tenants: [{ name: bulk, opcode: READ, qps: 8, sizes: [65536] }]';
 * const workload = parseWorkload(text, 'bulk.yaml'); // a fault names the file, the line and the field
 * const testbed = await openTestbedFor(workload, { subsystem: 'collie-f' });
 * const { total, verdict } = await runWorkload(workload, testbed, { seed: 42 });
 * console.log(total.goodputGbps > 180, verdict.anomaly); // true false
 * await testbed.close();
 *
 * @module
 */
export {
  deviceNamesOf,
  hostsNeeded,
  type MeasureOptions,
  OPERATIONS,
  type Operation,
  operationMix,
  placementOf,
  type SettingOverrides,
  type Tenant,
  type TenantInput,
  type Workload,
  type WorkloadInput,
} from './description/description.js';
export { type DeviceName, hostName, MAX_HOSTS, parseDeviceName, placeOf } from './description/device-name.js';
export {
  parseWorkload,
  parseWorkloadInput,
  refusedInFile,
  resolveWorkload,
  workloadJsonSchema,
} from './description/load.js';
export { l2BytesOf, packetsOf } from './description/message-plan.js';
export { LatencyLog } from './measure/latency-log.js';
export { type LatencySummary, SAMPLES_NEEDED } from './measure/latency-summary.js';
export type { LevelSeries, LinkSeries, QueueSeries } from './measure/level-log.js';
export type { LimitingPart, LimitKind } from './measure/limiting-parts.js';
export type { Limits } from './measure/limits.js';
export {
  type CounterSeries,
  type DeviceMeasurement,
  type DirectionRates,
  deterministicPart,
  type HostMeasurement,
  type Measurement,
  type MeasurementSeries,
  type PortRates,
  type Rates,
  type TenantMeasurement,
} from './measure/measurement.js';
export { METRICS_IN_WORDS, type MetricReader, metricReader } from './measure/metric.js';
export type { SteadyState } from './measure/steady-state.js';
export { type DeviceBounds, judge, type Limit, type Verdict, type VerdictFacts } from './measure/verdict.js';
export { type MemoryLimits, type MemoryNeed, memoryNeed } from './program/memory-need.js';
export { WorkloadRefusedError } from './program/refusal.js';
export { type Progress, type RunOptions, runWorkload } from './run.js';
export {
  type DeviceParts,
  type DeviceProbe,
  type LinkUse,
  NO_PROBE,
  type QueueUse,
  type Testbed,
  type TestbedDevice,
  type TestbedHost,
} from './testbed.js';
