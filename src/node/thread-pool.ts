import { Worker } from 'node:worker_threads';
import { KelpieError } from '../error.js';
import type { JobPool, JobTask } from '../jobs/index.js';
import { errorOf, type Failure, type TaskOptions } from '../jobs/pool/index.js';

/** What a worker is sent: a task, or that the one it has is not wanted any more. */
export type WorkerOrder = { task: JobTask } | { giveUp: true };

/** What a worker sends back for a task. */
export type WorkerReply = { answer: unknown } | { failure: Failure };

/** What it sends back before: how far the task is. */
export interface WorkerProgress {
  progress: number;
}

interface Job {
  task: JobTask;
  options: TaskOptions;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
  /** Ends the watch over its time and its signal. */
  release: () => void;
}

/**
 * A pool of worker threads, for any job. A thread begins when there is a task for it.
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

/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** Threads that take tasks one at a time, first come first served. One that ends with its task gets a successor. */
class ThreadPool {
  readonly size: number;
  private readonly url: URL;
  private readonly workers = new Set<Worker>();
  /** Those that have no task, the one that had one last at the end: its code is warm. */
  private readonly free: Worker[] = [];
  private readonly waiting: Job[] = [];
  private readonly running = new Map<Worker, Job>();
  private closed = false;

  constructor(size: number, url: URL) {
    this.size = size;
    this.url = url;
  }

  get idle(): number {
    return Math.max(0, this.size - this.running.size - this.waiting.length);
  }

  run(task: JobTask, options: TaskOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (this.closed) return reject(new Error('the pool was closed'));
      if (signal?.aborted === true) return reject(givenUp());
      const drop = () => {
        this.waiting.splice(this.waiting.indexOf(job), 1);
        reject(givenUp());
      };
      const release = () => signal?.removeEventListener('abort', drop);
      const job: Job = { task, options, resolve, reject, release };
      signal?.addEventListener('abort', drop, { once: true });
      this.waiting.push(job);
      this.hand();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.workers].map((worker) => worker.terminate()));
    for (const job of this.waiting.splice(0)) this.refuse(job, new Error('the pool was closed'));
  }

  private begin(): Worker {
    const worker = new Worker(this.url);
    worker.on('message', (reply: WorkerReply | WorkerProgress) => {
      if ('progress' in reply) this.running.get(worker)?.options.onProgress?.(reply.progress);
      else this.finish(worker, reply);
    });
    worker.on('error', (error) => this.fail(worker, error as Error));
    worker.on('exit', () => this.fail(worker, new Error('a worker thread ended')));
    this.workers.add(worker);
    return worker;
  }

  private hand(): void {
    while (!this.closed && this.waiting.length > 0 && this.running.size < this.size) {
      const worker = this.free.pop() ?? this.begin();
      const job = this.waiting.shift()!;
      job.release();
      this.running.set(worker, job);
      job.release = this.watch(worker, job.options);
      this.order(worker, { task: job.task });
    }
  }

  private order(worker: Worker, order: WorkerOrder): void {
    worker.postMessage(order);
  }

  /** Ends a task when its time is up, and tells its thread where it is not wanted any more. */
  private watch(worker: Worker, { timeoutMs, signal }: TaskOptions): () => void {
    const timer = timeoutMs === undefined ? null : this.limit(worker, timeoutMs);
    const onAbort = () => this.order(worker, { giveUp: true });
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => {
      if (timer !== null) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
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
    this.free.push(worker);
    if (job !== undefined) {
      if ('failure' in reply) job.reject(errorOf(reply.failure));
      else job.resolve(reply.answer);
    }
    this.hand();
  }

  /** The job that a thread had. */
  private end(worker: Worker): Job | undefined {
    const found = this.running.get(worker);
    found?.release();
    this.running.delete(worker);
    return found;
  }

  private fail(worker: Worker, error: Error): void {
    // An error is followed by the end of its thread.
    if (!this.workers.delete(worker)) return;
    const job = this.end(worker);
    job?.reject(error);
    void worker.terminate();
    if (this.closed) return;
    const at = this.free.indexOf(worker);
    if (at >= 0) this.free.splice(at, 1);
    this.hand();
  }

  private refuse(job: Job, error: Error): void {
    job.release();
    job.reject(error);
  }
}

function givenUp(): KelpieError {
  return new KelpieError('CANNOT_RUN', 'the task was given up');
}
