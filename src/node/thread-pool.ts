import { Worker } from 'node:worker_threads';
import type { JobPool, JobTask } from '../jobs/index.js';
import { errorOf, type Failure } from './failure.js';

/** What a worker sends back for a task. */
export type WorkerReply = { answer: unknown } | { failure: Failure };

interface Job {
  task: JobTask;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

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
): JobPool {
  return new ThreadPool(size, workerUrl) as unknown as JobPool;
}

/** Threads that take tasks one at a time, first come first served. */
class ThreadPool {
  readonly size: number;
  private readonly workers: Worker[] = [];
  private readonly idle: Worker[] = [];
  private readonly waiting: Job[] = [];
  private readonly running = new Map<Worker, Job>();
  private closed = false;

  constructor(size: number, url: URL) {
    this.size = size;
    for (let index = 0; index < size; index++) {
      const worker = new Worker(url);
      worker.on('message', (reply: WorkerReply) => this.finish(worker, reply));
      worker.on('error', (error) => this.fail(worker, error as Error));
      worker.on('exit', () => this.fail(worker, new Error('a worker thread ended')));
      this.workers.push(worker);
      this.idle.push(worker);
    }
  }

  run(task: JobTask): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.closed) reject(new Error('the pool was closed'));
      else this.waiting.push({ task, resolve, reject });
      this.hand();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.workers.map((worker) => worker.terminate()));
    for (const job of this.waiting.splice(0)) job.reject(new Error('the pool was closed'));
  }

  private hand(): void {
    while (!this.closed && this.idle.length > 0 && this.waiting.length > 0) {
      const worker = this.idle.pop()!;
      const job = this.waiting.shift()!;
      this.running.set(worker, job);
      worker.postMessage(job.task);
    }
  }

  private finish(worker: Worker, reply: WorkerReply): void {
    const job = this.running.get(worker);
    this.running.delete(worker);
    this.idle.push(worker);
    if (job !== undefined) {
      if ('failure' in reply) job.reject(errorOf(reply.failure));
      else job.resolve(reply.answer);
    }
    this.hand();
  }

  private fail(worker: Worker, error: Error): void {
    this.running.get(worker)?.reject(error);
    this.running.delete(worker);
    if (this.closed) return;
    this.closed = true;
    for (const job of this.waiting.splice(0)) job.reject(error);
  }
}
