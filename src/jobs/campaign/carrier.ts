import type { CampaignTask, TaskOutcome } from './task.js';

/** A task on its way to a worker. */
export interface TaskCall {
  readonly campaign: number;
  readonly index: number;
  readonly task: CampaignTask;
  readonly tries: number;
  readonly timeoutS: number;
}

/** What came back, and who did it. */
export interface TaskReply {
  readonly outcome: TaskOutcome;
  readonly worker: string;
  readonly wallMs: number;
  readonly tries: number;
}

/** Who has tasks run: threads of this machine, or machines behind a queue. */
export interface TaskCarrier {
  /** Tasks that may be under way at a time. */
  readonly size: number;
  run(call: TaskCall): Promise<TaskReply>;
}

/** Whoever runs single tasks, and ends those that take too long where it can. */
export interface TaskPool {
  readonly size: number;
  run(task: CampaignTask, options?: { timeoutMs?: number }): Promise<TaskOutcome>;
}

/** What a carrier on a pool needs beside it. */
interface PoolCarrierOptions {
  readonly nowMs: () => number;
  /** Raised where the pool is closed: what it then refuses has not failed. */
  readonly signal: AbortSignal;
}

/**
 * Carries tasks to a pool, and again where they fail.
 *
 * @example
 * const carrier = new PoolCarrier(openThreadPool(4), { nowMs: () => performance.now(), signal });
 */
export class PoolCarrier implements TaskCarrier {
  readonly size: number;
  private readonly pool: TaskPool;
  private readonly options: PoolCarrierOptions;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(pool: TaskPool, options: PoolCarrierOptions) {
    // One more waits for each thread, so that none waits for us.
    this.size = 2 * pool.size;
    this.pool = pool;
    this.options = options;
  }

  async run(call: TaskCall): Promise<TaskReply> {
    if (this.running >= this.pool.size) await new Promise<void>((begin) => this.waiting.push(begin));
    else this.running++;
    try {
      return await this.tried(call);
    } finally {
      // Whoever waits takes the place.
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }

  /** From when there is a thread for it: waiting is no work. */
  private async tried({ task, tries: most, timeoutS }: TaskCall): Promise<TaskReply> {
    const { nowMs, signal } = this.options;
    const beginMs = nowMs();
    for (let tries = 1; ; tries++) {
      const outcome = await this.pool
        .run(task, { timeoutMs: timeoutS * 1000 })
        .catch((error: unknown): TaskOutcome => {
          if (signal.aborted) throw error;
          return failureOf(error);
        });
      if (outcome.kind !== 'failed' || tries >= most)
        return { outcome, worker: 'here', wallMs: Math.round(nowMs() - beginMs), tries };
    }
  }
}

/** The outcome of a task that threw: its message alone, since a stack tells of the machine too. */
export function failureOf(error: unknown): TaskOutcome {
  return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
}
