import type { RunOptions } from '../workload/index.js';
import { type HuntTask, runHuntTask } from './hunt/index.js';
import { type IsolateTask, runIsolateTask } from './isolate/index.js';
import { InProcessPool, type Pool } from './pool/index.js';
import { type ReproduceTask, runReproduceTask } from './reproduce/index.js';

/** A task of any job. */
export type JobTask = HuntTask | IsolateTask | ReproduceTask;

/** What a task gives. */
export type JobAnswer<Task extends JobTask> = Awaited<
  Task extends HuntTask
    ? ReturnType<typeof runHuntTask>
    : Task extends IsolateTask
      ? ReturnType<typeof runIsolateTask>
      : ReturnType<typeof runReproduceTask>
>;

/** A pool that runs the tasks of every job. */
export type JobPool = Pool<HuntTask, JobAnswer<HuntTask>> &
  Pool<IsolateTask, JobAnswer<IsolateTask>> &
  Pool<ReproduceTask, JobAnswer<ReproduceTask>>;

/**
 * Runs a task of any job: all that a worker has to do.
 *
 * @example
 * self.onmessage = async ({ data }) => self.postMessage(await runJobTask(data));
 */
export function runJobTask<Task extends JobTask>(
  task: Task,
  run: Pick<RunOptions, 'signal' | 'memory'> = {},
): Promise<JobAnswer<Task>> {
  const answer =
    task.job === 'hunt'
      ? runHuntTask(task, run)
      : task.job === 'isolate'
        ? runIsolateTask(task, run)
        : runReproduceTask(task, run);
  return answer as Promise<JobAnswer<Task>>;
}

/** A pool that runs the tasks of every job here, one at a time. */
export function inProcessJobs(run: Pick<RunOptions, 'signal' | 'memory'> = {}): JobPool {
  // What a task gives depends on its kind, which the class cannot say.
  return new InProcessPool((task: JobTask) => runJobTask(task, run)) as unknown as JobPool;
}
