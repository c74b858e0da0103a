/**
 * Does one tenant hurt another? Husky's attackers against its victims (NSDI 2023), under any scheme, on whatever opens its
 * testbeds. Knows no provider.
 *
 * @example
 * import { type ExperimentBench, runExperiment } from 'kelpie/isolate';
 * import { openTestbed } from 'kelpie/testbeds';
 *
 * const bench: ExperimentBench = {
 *   open: async ({ hosts, seed, isolation }) => ({
 *     testbed: await openTestbed({ subsystem: 'husky', hosts, seed, isolation }),
 *     bounds: null,
 *   }),
 * };
 * const victim = { victim: 'large_bw_write', guaranteeGbps: 50, bypass: false, series: false, seed: 1 };
 * const alone = await runExperiment({ ...victim, scheme: 'none', attacker: null }, bench);
 * const beside = await runExperiment({ ...victim, scheme: 'none', attacker: 'PU-RNR_UC-RNR' }, bench);
 * if (alone.kind === 'measured' && beside.kind === 'measured')
 *   console.log(beside.gbps < 0.75 * Math.min(50, alone.gbps)); // true
 *
 * @module
 */
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
export { refusalOf, requireApplies, underScheme } from './under-scheme.js';
