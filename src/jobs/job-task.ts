import type { CampaignTask, runCampaignTask, TaskRun } from './campaign/index.js';
import type { CompareTask, runCompareTask } from './compare/index.js';
import type { EvidenceTask, HuntTask, runEvidenceTask, runHuntTask } from './hunt/index.js';
import type { IsolateTask, runIsolateTask } from './isolate/index.js';
import type { PingTask, runPingTask } from './ping/index.js';
import { InProcessPool, type Pool, type TaskOptions } from './pool/index.js';
import type { ReproduceTask, runReproduceTask } from './reproduce/index.js';

/** A task of any job. */
export type JobTask =
  | CampaignTask
  | CompareTask
  | EvidenceTask
  | HuntTask
  | PingTask
  | IsolateTask
  | ReproduceTask;

/** What a task gives. */
export type JobAnswer<Task extends JobTask> = Awaited<
  Task extends HuntTask
    ? ReturnType<typeof runHuntTask>
    : Task extends IsolateTask
      ? ReturnType<typeof runIsolateTask>
      : Task extends CompareTask
        ? ReturnType<typeof runCompareTask>
        : Task extends CampaignTask
          ? ReturnType<typeof runCampaignTask>
          : Task extends EvidenceTask
            ? ReturnType<typeof runEvidenceTask>
            : Task extends PingTask
              ? ReturnType<typeof runPingTask>
              : ReturnType<typeof runReproduceTask>
>;

/** A pool that runs the tasks of every job. */
export type JobPool = Pool<HuntTask, JobAnswer<HuntTask>> &
  Pool<EvidenceTask, JobAnswer<EvidenceTask>> &
  Pool<IsolateTask, JobAnswer<IsolateTask>> &
  Pool<CampaignTask, JobAnswer<CampaignTask>> &
  Pool<PingTask, JobAnswer<PingTask>> &
  Pool<CompareTask, JobAnswer<CompareTask>> &
  Pool<ReproduceTask, JobAnswer<ReproduceTask>>;

/** How a task is run. */
export type JobTaskOptions = TaskRun & Pick<TaskOptions, 'onProgress' | 'signal'>;

/**
 * Runs a task of any job: all that a worker has to do.
 *
 * @example
 * self.onmessage = async ({ data }) => self.postMessage(await runJobTask(data));
 */
export function runJobTask<Task extends JobTask>(
  task: Task,
  run: JobTaskOptions = {},
): Promise<JobAnswer<Task>> {
  return answerOf(task, run) as Promise<JobAnswer<Task>>;
}

/** A worker loads the jobs whose tasks it gets: most processes run one, and all of them take half a second to load. */
async function answerOf(task: JobTask, options: JobTaskOptions): Promise<unknown> {
  const { onProgress, ...run } = options;
  switch (task.job) {
    case 'campaign':
      return (await import('./campaign/index.js')).runCampaignTask(task, run);
    case 'hunt':
      return (await import('./hunt/index.js')).runHuntTask(task, { ...run, onProgress });
    case 'evidence':
      return (await import('./hunt/index.js')).runEvidenceTask(task, run);
    case 'isolate':
      return (await import('./isolate/index.js')).runIsolateTask(task, run);
    case 'ping':
      return (await import('./ping/index.js')).runPingTask(task, { ...run, onProgress });
    case 'compare':
      return (await import('./compare/index.js')).runCompareTask(task, run);
    case 'reproduce':
      return (await import('./reproduce/index.js')).runReproduceTask(task, run);
  }
}

/** A pool that runs the tasks of every job here, one at a time. */
export function inProcessJobs(run: TaskRun = {}): JobPool {
  // What a task gives depends on its kind, which the class cannot say.
  return new InProcessPool((task: JobTask, { onProgress, signal = run.signal }) =>
    runJobTask(task, { ...run, onProgress, signal }),
  ) as unknown as JobPool;
}
