/**
 * Finds the anomalies of an RDMA subsystem, their minimal feature sets and what clears them (Collie, NSDI 2022), on
 * whatever runs its experiments. Knows no provider.
 *
 * @example
 * const plan = { ...defaultPlan, space: collieSpace(['memory0']), seed: 1 };
 * const result = await hunt(plan, { experiment: (workload, seed) => runSomewhere(workload, seed) });
 * console.log(answerOf('my-subsystem', plan, result, 0).anomalies);
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
