/**
 * Reproduces what papers measured: their rows on the simulator, paper beside simulator. Runs in a browser; who has threads
 * passes a pool in.
 *
 * @example
 * import { reproduce } from 'kelpie/reproduce';
 *
 * const [row] = await reproduce(['H9'], { seed: 1 });
 * console.log(row?.id, row?.ok); // H9 true
 *
 * @module
 */
export { Bench, type BenchOptions, InterruptedRow, type Opener, type OpenOptions } from './bench.js';
export {
  type Board,
  boardHeadline,
  boardSeeds,
  boardText,
  differing,
  makeBoard,
  renderBoard,
  showValue,
  turnedRed,
} from './board/board.js';
export { type AblationFinding, type Cause, collieCauses } from './board/causes.js';
export { type ParameterSweep, type SweepFinding, sweeps } from './board/sweeps.js';
export { openSimulated } from './open.js';
export { papers } from './papers.js';
export type { PendingRow } from './pending.js';
export {
  type ReproduceOptions,
  type ReproduceTask,
  reproduce,
  runReproduceTask,
  runTasks,
} from './reproduce.js';
export type { RowOutcome, Row, Value } from './row.js';
export { SEARCH_SEEDS, type SearchRow, searchRows } from './rows/collie/search.js';
export { ciRows, findRow, findSearchRow, pending, rows } from './rows.js';
export { compareSearches, type SearchOptions, type SearchOutcome, type SearchProgress } from './searches.js';
export { boardTasks, type RowResult, runTask, type Task, type TaskResult } from './task.js';
