import { parentPort, workerData } from 'node:worker_threads';
import type { Measurement } from '../../workload/index.js';
import { failureOf } from '../failure.js';
import { type ChosenTestbed, registerAll } from '../providers.js';
import type { PoolReply } from '../thread-pool.js';
import { type ExperimentTask, runExperiment } from './experiments.js';

// One experiment at a time, as the pool hands them out.
registerAll();
const port = parentPort!;
port.on('message', async (task: ExperimentTask) => {
  let reply: PoolReply<Measurement>;
  try {
    reply = { answer: await runExperiment(workerData as ChosenTestbed, task) };
  } catch (error) {
    reply = { failure: failureOf(error) };
  }
  port.postMessage(reply);
});
