/**
 * Reproduces what papers measured: their rows, run on a subsystem that the caller opens, paper beside simulator. Knows
 * no provider.
 *
 * @example
 * import { type Opener, runTask } from 'kelpie/reproduce';
 * import { openTestbed } from 'kelpie/testbeds';
 *
 * const open: Opener = (subsystem, { settings, hosts, seed }) =>
 *   openTestbed({ subsystem, settings, hosts, seed });
 * const outcome = await runTask({ kind: 'row', id: 'S5' }, { open, seed: 1 });
 * console.log(outcome.kind); // row
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
