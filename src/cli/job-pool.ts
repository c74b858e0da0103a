import { inProcessJobs, type JobPool } from '../jobs/index.js';
import { examineHost, memoryLimits, openThreadPool } from '../node/index.js';

/** Runs a job with a pool of this many threads, which end with it or with the signal; one is the thread of the caller. */
export async function withPool<Result>(
  workers: number,
  signal: AbortSignal,
  job: (pool: JobPool) => Promise<Result>,
): Promise<Result> {
  if (workers <= 1) return job(inProcessJobs({ signal, memory: memoryLimits(), examineHost }));
  const pool = openThreadPool(workers);
  const stop = () => void pool.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await job(pool);
  } finally {
    signal.removeEventListener('abort', stop);
    await pool.close();
  }
}
