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
