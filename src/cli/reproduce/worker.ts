import { parentPort, workerData } from 'node:worker_threads';
import { runTask, type Task } from '../../jobs/reproduce/index.js';
import { simulatedBench } from './open.js';
import type { WorkerAnswer } from './pool.js';

// One task at a time, as the pool hands them out; ends when the pool closes the port or terminates the thread.
const port = parentPort!;
const { seed } = workerData as { seed: number };
port.on('message', async ({ index, task }: { index: number; task: Task }) => {
  let answer: WorkerAnswer;
  try {
    answer = { index, outcome: await runTask(task, simulatedBench(seed)) };
  } catch (error) {
    answer = { index, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  port.postMessage(answer);
});
