import { Worker } from 'node:worker_threads';
import type { FromWorker, Hire } from '../../laboratory/index.js';

/** Begins threads for a crew. */
export function hireThreads(script: URL = new URL('./crew-thread.js', import.meta.url)): Hire {
  return (onMessage, onEnd) => {
    const worker = new Worker(script);
    worker.on('message', (message: FromWorker) => onMessage(message));
    worker.on('error', (error) => onEnd(error as Error));
    worker.on('exit', () => onEnd(new Error('a thread of the laboratory ended')));
    return { post: (message) => worker.postMessage(message), end: () => void worker.terminate() };
  };
}
