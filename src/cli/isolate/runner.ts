import { type ExperimentResult, type ExperimentTask, runExperiment } from '../../jobs/isolate/index.js';
import type { ChosenTestbed } from '../providers.js';
import { ThreadPool } from '../thread-pool.js';
import { benchOf } from './bench.js';

/** Experiments on some threads. */
export interface IsolateRunner {
  run(task: ExperimentTask): Promise<ExperimentResult>;
  close(): Promise<void>;
}

/** Starts worker threads; one thread is this one. */
export function startRunner(
  chosen: ChosenTestbed,
  threads: number,
  signal: AbortSignal,
  workerUrl: URL = new URL('./worker.js', import.meta.url),
): IsolateRunner {
  if (threads > 1) {
    const pool = new ThreadPool<ExperimentTask, ExperimentResult>(workerUrl, threads, chosen);
    return { run: (task) => pool.run(task), close: () => pool.close() };
  }
  const bench = benchOf(chosen, signal);
  return { run: (task) => runExperiment(task, bench), close: async () => {} };
}
