/**
 * Finds the anomalies of an RDMA subsystem, their minimal feature sets and what clears them (Collie, NSDI 2022), on any
 * testbed. Runs in a browser; who has threads and a disk passes a pool and a store in.
 *
 * @example
 * import { hunt } from 'kelpie/hunt';
 *
 * let watched = 0;
 * const answer = await hunt({ testbed: { subsystem: 'collie-f-as-tested' }, budget: '10', seed: 1 }, {
 *   onExperiment: () => {
 *     watched++;
 *   },
 * });
 * console.log(answer.experiments === watched, answer.anomalies.length >= 0); // true true
 *
 * @module
 */
export type { Advice } from './answer/advice.js';
export { compareWorkload, type Nearness } from './answer/advise-workload.js';
export {
  type Anomaly,
  huntAnswerOf,
  cumulativeHours,
  deterministicAnswer,
  type HuntAnswer,
  rowsOf,
} from './answer/answer.js';
export { type CollieRow, collieRows, matchRows, tableColumn } from './answer/collie-rows.js';
export { HuntArchive, type HuntEntry, orderOf } from './archive.js';
export { parseBudget } from './budget.js';
export type { CounterKind, MovedCounter } from './counters.js';
export type { CounterLine, AnomalyEvidence, EvidenceRun, VerifiedCause } from './evidence/evidence.js';
export { type EvidenceOptions, gatherEvidence } from './evidence/gather.js';
export { type EvidenceTask, runEvidenceTask } from './evidence/task.js';
export type { DeliveredSoFar } from './experiments/cost.js';
export {
  type Experiment,
  type ExperimentOptions,
  type ExperimentOrder,
  type Outcome,
  outcomeOf,
} from './experiments/experiment.js';
export type { ExperimentRecord, KeptExperiment } from './experiments/record.js';
export { type HuntTask, type HuntTaskOptions, type HuntTestbed, runHuntTask } from './experiments/task.js';
export { type HuntOptions, hunt } from './hunt.js';
export type { HuntState } from './hunt-state.js';
export { NO_BASELINE, type Observation, observe, type Symptom } from './observation.js';
export { HUNTED_SUBSYSTEM, type HuntOrder, type HuntRequest, orderHunt } from './order.js';
export { readSets } from './answer/read-sets.js';
export { planFor, spaceOf } from './plan.js';
export { bytes, type Feature, isSameSet, showFeature } from './reduce/feature.js';
export { type Corner, type Find, type KnownSet, knownSetsOf } from './reduce/known-finds.js';
export {
  type Budget,
  type HuntHost,
  type HuntPlan,
  type HuntResult,
  runPlan,
  type Strategy,
} from './run-plan.js';
export {
  type SearchSummary,
  type SearchVariant,
  searchVariants,
  summarise,
} from './search/compare.js';
export type { Point } from './space/point.js';
export { workloadInputOf, workloadOf } from './space/point-workload.js';
export { collieSpace, limitedSpace, type Space } from './space/space.js';
export { narrowSpace, spaceJsonSchema } from './space/space-file.js';
