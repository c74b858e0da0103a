import { Worker } from 'node:worker_threads';
import { errorOf, type Failure } from './failure.js';

/** What a worker sends back for a task. */
export type PoolReply<Answer> = { answer: Answer } | { failure: Failure };

interface Job<Task, Answer> {
  task: Task;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

/**
 * Worker threads that take tasks one at a time, first come first served.
 *
 * @example
 * const pool = new ThreadPool<Task, Answer>(new URL('./worker.js', import.meta.url), 2, workerData);
 * const answers = await Promise.all(tasks.map((task) => pool.run(task)));
 * await pool.close();
 */
export class ThreadPool<Task, Answer> {
  private readonly workers: Worker[] = [];
  private readonly idle: Worker[] = [];
  private readonly waiting: Job<Task, Answer>[] = [];
  private readonly running = new Map<Worker, Job<Task, Answer>>();
  private closed = false;

  constructor(url: URL, size: number, workerData: unknown) {
    for (let index = 0; index < size; index++) {
      const worker = new Worker(url, { workerData });
      worker.on('message', (reply: PoolReply<Answer>) => this.finish(worker, reply));
      worker.on('error', (error) => this.fail(worker, error as Error));
      worker.on('exit', () => this.fail(worker, new Error('a worker thread ended')));
      this.workers.push(worker);
      this.idle.push(worker);
    }
  }

  run(task: Task): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ task, resolve, reject });
      this.hand();
    });
  }

  /** Ends the threads; tasks that have not finished fail. */
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

  private finish(worker: Worker, reply: PoolReply<Answer>): void {
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
