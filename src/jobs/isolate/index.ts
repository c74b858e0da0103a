/**
 * Does one tenant hurt another? Husky's attackers against its victims (NSDI 2023), under any scheme, on any testbed. Runs
 * in a browser; who has threads passes a pool in.
 *
 * @example
 * import { isolate } from 'kelpie/isolate';
 *
 * const { pairs } = await isolate({ attackers: 'PU-RNR_UC-RNR', victims: 'large_bw_write' });
 * console.log(pairs.map(({ outcome, resource }) => `${outcome}: ${resource}`)); // [ 'violated: error handling' ]
 *
 * @module
 */
export { ISOLATED_SUBSYSTEM, type IsolateTestbed } from './bench.js';
export {
  type ExperimentBench,
  type ExperimentResult,
  type ExperimentTask,
  runExperiment,
  type TimeLine,
  TWIN,
} from './experiment.js';
export { choose, findAttacker, findVictim } from './find.js';
export {
  type IsolateOptions,
  type IsolateOrder,
  type IsolateRequest,
  isolate,
  orderIsolation,
} from './isolate.js';
export {
  type ColumnSummary,
  type MatrixOptions,
  type MatrixResult,
  measureMatrix,
  type PairResult,
  summarize,
} from './matrix.js';
export { huskyHolds, type Predicate, requireAlpha, thresholdGbps, type VictimFacts } from './predicate.js';
export { exhausted, type Resource, type ResourceBounds, type ResourceUse, resourceUse } from './resources.js';
export {
  type AttackClass,
  type Attacker,
  attackers,
  COLUMNS,
  type Column,
  type Victim,
  victims,
} from './suite/index.js';
export { paperRow, TABLE3_SCHEMES } from './table3.js';
export { type IsolateTask, runIsolateTask } from './task.js';
export { refusalOf, requireApplies, underScheme } from './under-scheme.js';
