import { setImmediate } from 'node:timers/promises';
import type { Experiment } from '../../jobs/hunt/index.js';
import { openTestbedFor } from '../../testbeds/index.js';
import { type Measurement, runWorkload, type Workload } from '../../workload/index.js';
import type { ChosenTestbed } from '../providers.js';
import { ThreadPool } from '../thread-pool.js';

/** One experiment for a worker. */
export interface ExperimentTask {
  workload: Workload;
  seed: number;
}

/** Experiments on some threads. */
export interface ExperimentRunner {
  run: Experiment;
  close(): Promise<void>;
}

/** Runs one workload on a testbed of its own. */
export async function runExperiment(
  bench: ChosenTestbed,
  { workload, seed }: ExperimentTask,
): Promise<Measurement> {
  const testbed = await openTestbedFor(workload, { ...bench, seed });
  try {
    // Virtual time never waits: without a turn of the event loop Ctrl-C would not be heard.
    const measurement = await runWorkload(workload, testbed, {
      seed,
      onSlice: () => setImmediate(),
      watchLinks: false,
    });
    // A search has no use for the slices, and they are most of what would go between threads.
    return { ...measurement, series: { timeNs: [], tenants: {}, hosts: {} } };
  } finally {
    await testbed.close();
  }
}

/**
 * Experiments on worker threads; one thread is this one.
 *
 * @example
 * const runner = startExperiments({ provider: 'simulated' }, 2);
 */
export function startExperiments(
  bench: ChosenTestbed,
  threads: number,
  workerUrl: URL = new URL('./experiment-worker.js', import.meta.url),
): ExperimentRunner {
  if (threads > 1) {
    const pool = new ThreadPool<ExperimentTask, Measurement>(workerUrl, threads, bench);
    return { run: (workload, seed) => pool.run({ workload, seed }), close: () => pool.close() };
  }
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  const run: Experiment = (workload, seed) => {
    const next = last.then(() => {
      if (closed) throw new Error('the experiments were ended');
      return runExperiment(bench, { workload, seed });
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    run,
    async close() {
      closed = true;
    },
  };
}
