import { parentPort, workerData } from 'node:worker_threads';
import { type ExperimentResult, type ExperimentTask, runExperiment } from '../../jobs/isolate/index.js';
import { failureOf } from '../failure.js';
import { type ChosenTestbed, registerAll } from '../providers.js';
import type { PoolReply } from '../thread-pool.js';
import { benchOf } from './bench.js';

// One experiment at a time, as the pool hands them out.
registerAll();
const port = parentPort!;
const bench = benchOf(workerData as ChosenTestbed);
port.on('message', async (task: ExperimentTask) => {
  let reply: PoolReply<ExperimentResult>;
  try {
    reply = { answer: await runExperiment(task, bench) };
  } catch (error) {
    reply = { failure: failureOf(error) };
  }
  port.postMessage(reply);
});
