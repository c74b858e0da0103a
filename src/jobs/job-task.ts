import { type CampaignTask, runCampaignTask, type TaskRun } from './campaign/index.js';
import { type CompareTask, runCompareTask } from './compare/index.js';
import { type EvidenceTask, type HuntTask, runEvidenceTask, runHuntTask } from './hunt/index.js';
import { type IsolateTask, runIsolateTask } from './isolate/index.js';
import { type PingTask, runPingTask } from './ping/index.js';
import { InProcessPool, type Pool, type TaskOptions } from './pool/index.js';
import { type ReproduceTask, runReproduceTask } from './reproduce/index.js';

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

function answerOf(task: JobTask, options: JobTaskOptions): Promise<unknown> {
  const { onProgress, ...run } = options;
  switch (task.job) {
    case 'campaign':
      return runCampaignTask(task, run);
    case 'hunt':
      return runHuntTask(task, { ...run, onProgress });
    case 'evidence':
      return runEvidenceTask(task, run);
    case 'isolate':
      return runIsolateTask(task, run);
    case 'ping':
      return runPingTask(task, { ...run, onProgress });
    case 'compare':
      return runCompareTask(task, run);
    case 'reproduce':
      return runReproduceTask(task, run);
  }
}

/** A pool that runs the tasks of every job here, one at a time. */
export function inProcessJobs(run: TaskRun = {}): JobPool {
  // What a task gives depends on its kind, which the class cannot say.
  return new InProcessPool((task: JobTask, { onProgress, signal = run.signal }) =>
    runJobTask(task, { ...run, onProgress, signal }),
  ) as unknown as JobPool;
}
