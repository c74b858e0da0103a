/**
 * Who runs the tasks of a job: some at a time, on threads, on other machines, or here. A task and its answer are plain
 * data. A job asks for no more than it can use; a pool may have any number of tasks waiting.
 */
export interface Pool<Task, Answer> {
  /** Tasks that run at a time. */
  readonly size: number;
  /** The answer of a task; rejects where the task fails, and where the pool is closed before it ends. */
  run(task: Task): Promise<Answer>;
  /** Ends the pool. Tasks that have not ended fail. */
  close(): Promise<void>;
}
