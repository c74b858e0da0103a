import { InProcessPool, type Pool } from '../pool/index.js';
import { InterruptedRow } from './bench.js';
import { simulatedBench } from './open.js';
import { rows } from './rows.js';
import { type RowResult, runTask, type Task, type TaskResult } from './task.js';

/** A task of the board, as plain data that can go to another thread. */
export interface ReproduceTask extends Task {
  job: 'reproduce';
  seed: number;
}

/** Who runs tasks and watches. */
export interface ReproduceOptions {
  /** Seeds everything that is drawn; 1 unless set. */
  seed?: number;
  /** Runs the tasks; here, one at a time, unless set. Stays open. */
  pool?: Pool<ReproduceTask, TaskResult>;
  signal?: AbortSignal;
  /** Called after each task. */
  onDone?: (task: Task, finished: number, result: TaskResult) => void;
}

/** Runs one task of the board on the simulator. */
export function runReproduceTask(
  { seed, kind, id }: ReproduceTask,
  { signal }: { signal?: AbortSignal } = {},
): Promise<TaskResult> {
  return runTask({ kind, id }, simulatedBench(seed, signal));
}

/**
 * Runs tasks and returns what came of them in the order of the tasks, whoever runs them; undefined for those that had not
 * ended when the signal was raised.
 */
export async function runTasks(
  tasks: readonly Task[],
  { seed = 1, pool, signal, onDone }: ReproduceOptions = {},
): Promise<(TaskResult | undefined)[]> {
  const own = signal === undefined ? {} : { signal };
  const runner = pool ?? new InProcessPool((task: ReproduceTask) => runReproduceTask(task, own));
  const results: (TaskResult | undefined)[] = tasks.map(() => undefined);
  const isAborted = () => signal?.aborted === true;
  let next = 0;
  let finished = 0;
  const work = async (): Promise<void> => {
    while (next < tasks.length && !isAborted()) {
      const index = next++;
      const task = tasks[index];
      try {
        results[index] = await runner.run({ job: 'reproduce', seed, ...task });
      } catch (error) {
        // A row in the middle is worth nothing.
        if (isAborted() || error instanceof InterruptedRow) return;
        throw error;
      }
      onDone?.(task, ++finished, results[index]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(runner.size, tasks.length) }, work));
  return results;
}

/**
 * Runs rows of the papers on the simulator: paper beside simulator.
 *
 * @example
 * const [row] = await reproduce(['H9']);
 * console.log(row?.paper, row?.simulated, row?.ok);
 */
export async function reproduce(
  ids: readonly string[] = rows.map(({ id }) => id),
  options: ReproduceOptions = {},
): Promise<RowResult[]> {
  const results = await runTasks(
    ids.map((id): Task => ({ kind: 'row', id })),
    options,
  );
  return results.flatMap((each) => (each?.kind === 'row' ? [each.result] : []));
}
