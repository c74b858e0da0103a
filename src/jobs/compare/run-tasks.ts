import { InProcessPool, type Pool } from '../pool/index.js';
import { type CompareAnswer, type CompareTask, runCompareTask } from './task.js';

/** Who runs tasks and watches. */
export interface TaskOptions {
  /** Runs them; here, one at a time, unless set. Stays open. */
  readonly pool?: Pool<CompareTask, CompareAnswer>;
  readonly signal?: AbortSignal;
}

/** Runs tasks on all threads of a pool, and tells of each answer as it comes; those after an interruption are not run. */
export async function runTasks(
  tasks: readonly CompareTask[],
  { pool, signal }: TaskOptions,
  onAnswer: (index: number, answer: NonNullable<CompareAnswer>) => void | Promise<void>,
): Promise<void> {
  const runner =
    pool ??
    new InProcessPool((task: CompareTask) => runCompareTask(task, signal === undefined ? {} : { signal }));
  const isAborted = () => signal?.aborted === true;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < tasks.length && !isAborted()) {
      const index = next++;
      const answer = await runner.run(tasks[index]).catch((error: unknown) => {
        // A pool that was closed by the signal gives no answers.
        if (isAborted()) return null;
        throw error;
      });
      if (answer === null) return;
      await onAnswer(index, answer);
    }
  };
  await Promise.all(Array.from({ length: Math.min(runner.size, tasks.length) }, work));
}
