import { parentPort } from 'node:worker_threads';
import { type JobTask, runJobTask } from '../jobs/index.js';
import { registerProvider } from '../testbeds/index.js';
import { failureOf } from '../jobs/pool/index.js';
import { memoryLimits } from './memory-limits.js';
import { softwareProvider } from './software-testbed.js';
import type { WorkerReply } from './thread-pool.js';

// One task at a time, as the pool hands them out.
registerProvider(softwareProvider);
const port = parentPort!;
port.on('message', async (task: JobTask) => {
  let reply: WorkerReply;
  try {
    reply = { answer: await runJobTask(task, { memory: memoryLimits() }) };
  } catch (error) {
    reply = { failure: failureOf(error) };
  }
  port.postMessage(reply);
});
