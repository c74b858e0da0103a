import { parentPort } from 'node:worker_threads';
import { type JobTask, runJobTask } from '../jobs/index.js';
import { failureOf } from '../jobs/pool/index.js';
import { registerProvider } from '../testbeds/index.js';
import { examineHost } from './host/examination.js';
import { memoryLimits } from './memory-limits.js';
import { softwareProvider } from './software-testbed.js';
import type { WorkerOrder, WorkerProgress, WorkerReply } from './thread-pool.js';

// One task at a time, as the pool hands them out.
registerProvider(softwareProvider);
const port = parentPort!;
let underway: AbortController | null = null;
port.on('message', (order: WorkerOrder) => {
  if ('giveUp' in order) underway?.abort();
  else void run(order.task);
});

async function run(task: JobTask): Promise<void> {
  underway = new AbortController();
  const { signal } = underway;
  const onProgress = (progress: number) => reply({ progress });
  try {
    const answer = await runJobTask(task, { memory: memoryLimits(), examineHost, signal, onProgress });
    underway = null;
    reply({ answer });
  } catch (error) {
    underway = null;
    reply({ failure: failureOf(error) });
  }
}

function reply(message: WorkerReply | WorkerProgress): void {
  port.postMessage(message);
}
