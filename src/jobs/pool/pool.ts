/** How a task is run. */
export interface TaskOptions {
  /** Time after which it is ended, where the pool can do that; none unless set. */
  timeoutMs?: number;
  /** Told now and then how far the task is, in a measure of its own. */
  onProgress?: (progress: number) => void;
  /** Gives the task up, which then fails: at once where it has not begun, else as soon as it can end. */
  signal?: AbortSignal;
}

/**
 * Who runs the tasks of a job: some at a time, on threads, on other machines, or here. A task and its answer are plain
 * data. A job asks for no more than it can use; a pool may have any number of tasks waiting.
 */
export interface Pool<Task, Answer> {
  /** Tasks that run at a time. */
  readonly size: number;
  /** Tasks that could begin at once; none unless it says so. */
  readonly idle?: number;
  /** The answer of a task; rejects where the task fails, and where the pool is closed before it ends. */
  run(task: Task, options?: TaskOptions): Promise<Answer>;
  /** Ends the pool. Tasks that have not ended fail. */
  close(): Promise<void>;
}
