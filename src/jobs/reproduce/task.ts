import { Bench, type BenchOptions, InterruptedRow } from './bench.js';
import { type AblationFinding, ablate, collieCauses } from './board/causes.js';
import { runSweep, type SweepFinding, sweeps } from './board/sweeps.js';
import type { RowOutcome, Row, Value } from './row.js';
import { findRow, rows } from './rows.js';

/** One piece of work that depends on no other: plain data, so that it can go to another thread. */
export interface Task {
  kind: 'row' | 'ablation' | 'sweep';
  id: string;
  /** Of this task; that of the bench unless set. */
  seed?: number;
}

/** A row that was run, as it is printed and kept. */
export interface RowResult {
  id: string;
  ok: boolean;
  paper: Value;
  simulated: Value;
  unit: string;
  tolerance: string;
  /** The symptom is there, or the trend holds; null where the source gives none. */
  trend: boolean | null;
  /** The numbers are near those of the source; null where it gives none. */
  magnitude: boolean | null;
  /** Set where only a part of the row was run: what is missing. */
  partly?: string;
  /** Set where a setting or a constant says the outcome and no mechanism yields it: which. */
  encoded?: string;
  /** Why it is red. */
  reason?: string;
}

/** What came of a task: plain data. */
export type TaskResult =
  | { kind: 'row'; result: RowResult; seed: number }
  | { kind: 'ablation'; result: AblationFinding }
  | { kind: 'sweep'; result: SweepFinding };

/** Runs one task. A row whose run fails is red with the failure as its reason. */
export async function runTask(task: Task, options: BenchOptions): Promise<TaskResult> {
  const seed = task.seed ?? options.seed ?? 1;
  const bench = new Bench({ ...options, seed });
  if (task.kind === 'ablation') return { kind: 'ablation', result: await ablate(bench, task.id) };
  if (task.kind === 'sweep') return { kind: 'sweep', result: await runSweep(bench, task.id) };
  const row = findRow(task.id);
  return { kind: 'row', result: resultOf(row, await row.run(bench).catch(failed)), seed };
}

/** A row with its outcome, as it is printed and kept. */
function resultOf(row: Row, { ok, simulated, marks, partly, reason }: RowOutcome): RowResult {
  const { trend, magnitude } = marks ?? {
    trend: row.numeric ? null : ok,
    magnitude: row.numeric ? ok : null,
  };
  const because = [partly, reason].filter((each) => each !== undefined).join('; ');
  return {
    ...{ id: row.id, ok: ok && partly === undefined, paper: row.expected, simulated },
    ...{ unit: row.unit, tolerance: row.tolerance, trend, magnitude },
    ...(partly === undefined ? {} : { partly }),
    ...(row.encoded === undefined ? {} : { encoded: row.encoded }),
    ...(because === '' ? {} : { reason: because }),
  };
}

function failed(error: unknown): RowOutcome {
  if (error instanceof InterruptedRow) throw error;
  const reason = `the run failed: ${error instanceof Error ? error.message : String(error)}`;
  return { simulated: 'nothing', ok: false, reason };
}

/** Everything that a board is made of. */
export function boardTasks(seeds: readonly number[]): Task[] {
  return [
    ...seeds.flatMap((seed) => rows.map(({ id }): Task => ({ kind: 'row', id, seed }))),
    ...Object.keys(collieCauses).map((id): Task => ({ kind: 'ablation', id })),
    ...sweeps.map(({ id }): Task => ({ kind: 'sweep', id })),
  ];
}
