import type { RunOptions } from '../../workload/index.js';
import { benchOf, type IsolateTestbed } from './bench.js';
import { type ExperimentResult, type ExperimentTask, runExperiment } from './experiment.js';

/** One experiment of a matrix, as plain data that can go to another thread. */
export interface IsolateTask extends ExperimentTask {
  job: 'isolate';
  testbed: IsolateTestbed;
}

/** Runs one experiment of a matrix on a testbed of its own. */
export function runIsolateTask(
  { testbed, job: _, ...task }: IsolateTask,
  run: Pick<RunOptions, 'signal' | 'onSlice' | 'memory'> = {},
): Promise<ExperimentResult> {
  return runExperiment(task, benchOf(testbed, run));
}
