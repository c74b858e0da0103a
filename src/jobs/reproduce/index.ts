/**
 * Reproduces what papers measured: their rows, run on a subsystem that the caller opens, paper beside simulator. Knows
 * no provider.
 *
 * @example
 * const { result } = await runTask({ kind: 'row', id: 'H9' }, { open, seed: 1 });
 *
 * @module
 */
export { Bench, type BenchOptions, InterruptedRow, type Opener, type OpenOptions } from './bench.js';
export {
  type Board,
  boardText,
  differing,
  makeBoard,
  renderBoard,
  showValue,
  turnedRed,
} from './board.js';
export { type AblationFinding, type Cause, collieCauses } from './causes.js';
export { SEARCH_SEEDS, type SearchRow, searchRows } from './collie-search.js';
export type { PendingRow } from './pending.js';
export type { Finding, Row, Value } from './row.js';
export { ciRows, findRow, findSearchRow, pending, rows } from './rows.js';
export { type Sweep, type SweepFinding, sweeps } from './sweeps.js';
export { boardTasks, type RowResult, runTask, type Task, type TaskResult } from './task.js';
