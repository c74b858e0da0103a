import { Worker } from 'node:worker_threads';
import { InterruptedRow, runTask, type Task, type TaskResult } from '../../jobs/reproduce/index.js';
import { simulatedBench } from './open.js';

/** What a worker sends back. */
export type WorkerAnswer = { index: number; outcome: TaskResult } | { index: number; failure: string };

/** How tasks are run. */
export interface PoolOptions {
  seed: number;
  /** Threads; 1 runs in this one. */
  jobs: number;
  signal: AbortSignal;
  /** Called after each task. */
  onDone?: (task: Task, finished: number) => void;
  /** The compiled worker; tests pass one that they built. */
  workerUrl?: URL;
}

/**
 * Runs tasks and returns what came of them in the order of the tasks, whatever the number of threads; where the signal
 * was raised, undefined for those that had not finished.
 */
export async function runTasks(
  tasks: readonly Task[],
  options: PoolOptions,
): Promise<(TaskResult | undefined)[]> {
  const jobs = Math.min(options.jobs, tasks.length);
  return jobs <= 1 ? runHere(tasks, options) : runOnThreads(tasks, jobs, options);
}

async function runHere(
  tasks: readonly Task[],
  { seed, signal, onDone }: PoolOptions,
): Promise<(TaskResult | undefined)[]> {
  const results: (TaskResult | undefined)[] = tasks.map(() => undefined);
  for (const [index, task] of tasks.entries()) {
    if (signal.aborted) break;
    try {
      results[index] = await runTask(task, simulatedBench(seed, signal));
    } catch (error) {
      if (!(error instanceof InterruptedRow)) throw error;
      break;
    }
    onDone?.(task, index + 1);
  }
  return results;
}

async function runOnThreads(
  tasks: readonly Task[],
  jobs: number,
  { seed, signal, onDone, workerUrl = new URL('./worker.js', import.meta.url) }: PoolOptions,
): Promise<(TaskResult | undefined)[]> {
  const results: (TaskResult | undefined)[] = tasks.map(() => undefined);
  let next = 0;
  let finished = 0;
  const serve = (worker: Worker) =>
    new Promise<void>((resolve, reject) => {
      const hand = () => {
        if (next >= tasks.length || signal.aborted) return resolve();
        const index = next++;
        worker.postMessage({ index, task: tasks[index] });
      };
      worker.on('error', reject);
      worker.on('exit', () => resolve());
      worker.on('message', (answer: WorkerAnswer) => {
        if ('failure' in answer)
          return reject(new Error(`${tasks[answer.index].id} failed on its thread: ${answer.failure}`));
        results[answer.index] = answer.outcome;
        onDone?.(tasks[answer.index], ++finished);
        hand();
      });
      hand();
    });
  const workers = Array.from({ length: jobs }, () => new Worker(workerUrl, { workerData: { seed } }));
  const end = () => Promise.all(workers.map((worker) => worker.terminate()));
  // A thread in the middle of a row is ended: what it has is worth nothing.
  signal.addEventListener('abort', end, { once: true });
  try {
    await Promise.all(workers.map(serve));
  } finally {
    signal.removeEventListener('abort', end);
    await end();
  }
  return results;
}
