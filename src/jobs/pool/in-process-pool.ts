import type { Pool, TaskOptions } from './pool.js';

/**
 * Runs tasks here, one at a time, first come first served: what jobs use in a browser, and wherever nobody gives them
 * anything better.
 *
 * @example
 * const pool = new InProcessPool((task: HuntTask, options) => runHuntTask(task, options));
 * const answers = await Promise.all(tasks.map((task) => pool.run(task)));
 */
export class InProcessPool<Task, Answer> implements Pool<Task, Answer> {
  readonly size = 1;
  readonly idle = 0;
  private readonly work: (task: Task, options: TaskOptions) => Promise<Answer>;
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(work: (task: Task, options: TaskOptions) => Promise<Answer>) {
    this.work = work;
  }

  run(task: Task, options: TaskOptions = {}): Promise<Answer> {
    const next = this.last.then(() => {
      if (this.closed) throw new Error('the pool was closed');
      options.signal?.throwIfAborted();
      return this.work(task, options);
    });
    this.last = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
