import { parentPort } from 'node:worker_threads';
import { crewWorker, type ToWorker } from '../../laboratory/index.js';
import { memoryLimits } from '../../node/index.js';

// A thread of `kelpie serve`: one task at a time, as the crew hands them out.
const port = parentPort!;
const heard = crewWorker({
  post: (message) => port.postMessage(message),
  wallClock: () => performance.now() / 1000,
  memory: memoryLimits(),
});
port.on('message', (message: ToWorker) => void heard(message));
