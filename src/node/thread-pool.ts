import { Worker } from 'node:worker_threads';
import { KelpieError } from '../error.js';
import type { CampaignTask, TaskOutcome } from '../jobs/campaign/index.js';
import type { JobPool, JobTask } from '../jobs/index.js';
import { errorOf, type Failure } from '../jobs/pool/index.js';

/** What a worker sends back for a task. */
export type WorkerReply = { answer: unknown } | { failure: Failure };

interface Job {
  task: JobTask;
  timeoutMs: number | undefined;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** How a task is run. */
interface RunTaskOptions {
  /** Time after which it is ended; none unless set. */
  timeoutMs?: number;
}

/** A pool of threads: a task may have a time after which it is ended. */
export type ThreadJobPool = JobPool & {
  run(task: CampaignTask, options?: RunTaskOptions): Promise<TaskOutcome>;
};

/**
 * A pool of worker threads, for any job.
 *
 * @example
 * const pool = openThreadPool(4);
 * const answer = await hunt({ budget: '600' }, { pool });
 * await pool.close();
 */
export function openThreadPool(
  size: number,
  workerUrl: URL = new URL('./job-worker.js', import.meta.url),
): ThreadJobPool {
  return new ThreadPool(size, workerUrl) as unknown as ThreadJobPool;
}

/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** Threads that take tasks one at a time, first come first served. One that ends with its task gets a successor. */
class ThreadPool {
  readonly size: number;
  private readonly url: URL;
  private readonly workers = new Set<Worker>();
  private readonly idle: Worker[] = [];
  private readonly waiting: Job[] = [];
  private readonly running = new Map<Worker, { job: Job; timer: NodeJS.Timeout | null }>();
  private closed = false;

  constructor(size: number, url: URL) {
    this.size = size;
    this.url = url;
    for (let index = 0; index < size; index++) this.begin();
  }

  run(task: JobTask, { timeoutMs }: RunTaskOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.closed) reject(new Error('the pool was closed'));
      else this.waiting.push({ task, timeoutMs, resolve, reject });
      this.hand();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.workers].map((worker) => worker.terminate()));
    for (const job of this.waiting.splice(0)) job.reject(new Error('the pool was closed'));
  }

  private begin(): void {
    const worker = new Worker(this.url);
    worker.on('message', (reply: WorkerReply) => this.finish(worker, reply));
    worker.on('error', (error) => this.fail(worker, error as Error));
    worker.on('exit', () => this.fail(worker, new Error('a worker thread ended')));
    this.workers.add(worker);
    this.idle.push(worker);
  }

  private hand(): void {
    while (!this.closed && this.idle.length > 0 && this.waiting.length > 0) {
      const worker = this.idle.pop()!;
      const job = this.waiting.shift()!;
      const timer = job.timeoutMs === undefined ? null : this.limit(worker, job.timeoutMs);
      this.running.set(worker, { job, timer });
      worker.postMessage(job.task);
    }
  }

  private limit(worker: Worker, timeoutMs: number): NodeJS.Timeout {
    const error = new KelpieError(
      'TASK_TIMEOUT',
      `the task took more than ${timeoutMs / 1000} s and was ended`,
    );
    return setTimeout(() => this.fail(worker, error), Math.min(timeoutMs, LONGEST_MS));
  }

  private finish(worker: Worker, reply: WorkerReply): void {
    const job = this.end(worker);
    this.idle.push(worker);
    if (job !== undefined) {
      if ('failure' in reply) job.reject(errorOf(reply.failure));
      else job.resolve(reply.answer);
    }
    this.hand();
  }

  /** The job that a thread had. */
  private end(worker: Worker): Job | undefined {
    const found = this.running.get(worker);
    if (found?.timer != null) clearTimeout(found.timer);
    this.running.delete(worker);
    return found?.job;
  }

  private fail(worker: Worker, error: Error): void {
    // An error is followed by the end of its thread.
    if (!this.workers.delete(worker)) return;
    const job = this.end(worker);
    job?.reject(error);
    void worker.terminate();
    if (this.closed) return;
    if (job !== undefined) {
      this.begin();
      this.hand();
      return;
    }
    // A thread that ends without a task would end again and again.
    this.closed = true;
    for (const waiting of this.waiting.splice(0)) waiting.reject(error);
  }
}
