import type { Pool } from './pool.js';

/**
 * Runs tasks here, one at a time, first come first served: what jobs use in a browser, and wherever nobody gives them
 * anything better.
 *
 * @example
 * const pool = new InProcessPool((task: HuntTask) => runHuntTask(task));
 * const answers = await Promise.all(tasks.map((task) => pool.run(task)));
 */
export class InProcessPool<Task, Answer> implements Pool<Task, Answer> {
  readonly size = 1;
  private readonly work: (task: Task) => Promise<Answer>;
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(work: (task: Task) => Promise<Answer>) {
    this.work = work;
  }

  run(task: Task): Promise<Answer> {
    const next = this.last.then(() => {
      if (this.closed) throw new Error('the pool was closed');
      return this.work(task);
    });
    this.last = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
