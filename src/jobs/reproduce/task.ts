import { Bench, type BenchOptions, InterruptedRow } from './bench.js';
import { type AblationFinding, ablate, collieCauses } from './causes.js';
import type { Finding, Value } from './row.js';
import { findRow, rows } from './rows.js';
import { runSweep, type SweepFinding, sweeps } from './sweeps.js';

/** One piece of work that depends on no other: plain data, so that it can go to another thread. */
export interface Task {
  kind: 'row' | 'ablation' | 'sweep';
  id: string;
}

/** A row that was run, as it is printed and kept. */
export interface RowResult {
  id: string;
  ok: boolean;
  paper: Value;
  simulated: Value;
  unit: string;
  tolerance: string;
  /** Why it is red. */
  reason?: string;
}

/** What came of a task: plain data. */
export type TaskResult =
  | { kind: 'row'; result: RowResult }
  | { kind: 'ablation'; result: AblationFinding }
  | { kind: 'sweep'; result: SweepFinding };

/** Runs one task. A row whose run fails is red with the failure as its reason. */
export async function runTask(task: Task, options: BenchOptions): Promise<TaskResult> {
  const bench = new Bench(options);
  if (task.kind === 'ablation') return { kind: 'ablation', result: await ablate(bench, task.id) };
  if (task.kind === 'sweep') return { kind: 'sweep', result: await runSweep(bench, task.id) };
  const row = findRow(task.id);
  const { ok, simulated, reason } = await row.run(bench).catch(failed);
  const result = { id: row.id, ok, paper: row.expected, simulated, unit: row.unit, tolerance: row.tolerance };
  return { kind: 'row', result: reason === undefined ? result : { ...result, reason } };
}

function failed(error: unknown): Finding {
  if (error instanceof InterruptedRow) throw error;
  const reason = `the run failed: ${error instanceof Error ? error.message : String(error)}`;
  return { simulated: 'nothing', ok: false, reason };
}

/** Everything that a board is made of. */
export function boardTasks(): Task[] {
  return [
    ...rows.map(({ id }): Task => ({ kind: 'row', id })),
    ...Object.keys(collieCauses).map((id): Task => ({ kind: 'ablation', id })),
    ...sweeps.map(({ id }): Task => ({ kind: 'sweep', id })),
  ];
}
