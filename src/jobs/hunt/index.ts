/**
 * Finds the anomalies of an RDMA subsystem, their minimal feature sets and what clears them (Collie, NSDI 2022), on
 * whatever runs its experiments. Knows no provider.
 *
 * @example
 * import { answerOf, type Experiment, hunt, planFor } from 'kelpie/hunt';
 * import { findProfile, resolveSubsystem } from 'kelpie/profiles';
 * import { openTestbedFor } from 'kelpie/testbeds';
 * import { runWorkload } from 'kelpie/workload';
 *
 * const subsystem = resolveSubsystem(findProfile('subsystem', 'collie-f-as-tested'));
 * const experiment: Experiment = async (workload, seed) => {
 *   const testbed = await openTestbedFor(workload, { subsystem, seed });
 *   const measurement = await runWorkload(workload, testbed, { seed });
 *   await testbed.close();
 *   return measurement;
 * };
 * const plan = planFor(subsystem, { kind: 'experiments', amount: 10 }, { seed: 1 });
 * const result = await hunt(plan, { experiment });
 * const answer = answerOf(subsystem.name, plan, result, 0);
 * console.log(answer.experiments >= 10, answer.anomalies.length >= 0); // true true
 *
 * @module
 */
export type { Advice } from './answer/advice.js';
export { compareWorkload, type Nearness } from './answer/advise-workload.js';
export {
  type Anomaly,
  answerOf,
  cumulativeHours,
  deterministicAnswer,
  type HuntAnswer,
  rowsOf,
} from './answer/answer.js';
export { type CollieRow, collieRows, matchRows, tableColumn } from './answer/collie-rows.js';
export type { CounterKind, MovedCounter } from './counters.js';
export {
  type Budget,
  type Experiment,
  type ExperimentRecord,
  type HuntHost,
  type HuntPlan,
  type HuntResult,
  hunt,
  type Strategy,
} from './hunt.js';
export type { HuntState } from './hunt-state.js';
export { NO_BASELINE, type Observation, observe, type Symptom } from './observation.js';
export { planFor, spaceOf } from './plan.js';
export { bytes, type Feature, isSameSet, showFeature } from './reduce/feature.js';
export type { Corner, Find } from './reduce/known-finds.js';
export {
  type SearchSummary,
  type SearchVariant,
  searchVariants,
  summarise,
} from './search/compare.js';
export type { Point } from './space/point.js';
export { workloadOf } from './space/point-workload.js';
export { collieSpace, limitedSpace, type Space } from './space/space.js';
export { narrowSpace } from './space/space-file.js';
