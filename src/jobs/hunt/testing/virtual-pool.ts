import { eventTurn, type Pool, type TaskOptions } from '../../pool/index.js';

/** A task as a pool in virtual time runs it. */
export interface VirtualRun<Answer> {
  /** How long it takes. */
  ms: number;
  /** Its answer, when the time is up; fails where it does. */
  answer: () => Answer | Promise<Answer>;
  /** What it tells of itself while it runs: when, and how far it is. */
  progress?: readonly { ms: number; progress: number }[];
}

interface Job<Answer> {
  run: VirtualRun<Answer>;
  options: TaskOptions;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

interface Event {
  ms: number;
  order: number;
  act: () => void;
}

/** Turns of the event loop in which nothing happens before a job is given up. */
const MOST_STILL = 10_000;
/** How often a thread checks whether its task is still wanted. */
const GIVE_UP_MS = 3;

/**
 * A pool of this many workers in virtual time: how long a job would take on as many threads, without the threads. A task
 * begins when a worker is free, first come first served.
 *
 * @example
 * const pool = new VirtualPool(8, (task: HuntTask) => ({ ms: 40, answer: () => outcomes.get(keyOf(task)) }));
 * const answer = await pool.drive(hunt(order, { pool }));
 * console.log(pool.nowMs);
 */
export class VirtualPool<Task, Answer> implements Pool<Task, Answer> {
  readonly size: number;
  nowMs = 0;
  /** Time that workers were at work, all of them together. */
  busyMs = 0;
  private readonly work: (task: Task) => VirtualRun<Answer>;
  private readonly waiting: Job<Answer>[] = [];
  private readonly events: Event[] = [];
  private running = 0;
  private made = 0;

  constructor(size: number, work: (task: Task) => VirtualRun<Answer>) {
    this.size = size;
    this.work = work;
  }

  get idle(): number {
    return Math.max(0, this.size - this.running - this.waiting.length);
  }

  run(task: Task, options: TaskOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ run: this.work(task), options, resolve, reject });
      this.hand();
    });
  }

  async close(): Promise<void> {}

  /** Lets time pass until a job that uses this pool has ended. */
  async drive<Result>(job: Promise<Result>): Promise<Result> {
    let ended = false;
    const settle = () => {
      ended = true;
    };
    job.then(settle, settle);
    for (let still = 0; still < MOST_STILL; still++) {
      await eventTurn();
      if (ended) return job;
      const event = this.events.shift();
      if (event === undefined) continue;
      still = 0;
      this.nowMs = event.ms;
      event.act();
    }
    throw new Error('the job waits for something that is not of this pool');
  }

  private hand(): void {
    while (this.running < this.size && this.waiting.length > 0) this.begin(this.waiting.shift()!);
  }

  private begin({ run, options, resolve, reject }: Job<Answer>): void {
    const { onProgress, signal } = options;
    const beginMs = this.nowMs;
    let over = false;
    const end = (settle: () => void) => {
      if (over) return;
      over = true;
      this.running--;
      this.busyMs += this.nowMs - beginMs;
      settle();
      this.hand();
    };
    this.running++;
    for (const { ms, progress } of run.progress ?? [])
      this.at(beginMs + ms, () => (over ? undefined : onProgress?.(progress)));
    this.at(beginMs + run.ms, () =>
      end(() => void new Promise<Answer>((done) => done(run.answer())).then(resolve, reject)),
    );
    signal?.addEventListener('abort', () =>
      this.at(this.nowMs + GIVE_UP_MS, () => end(() => reject(new Error('given up')))),
    );
  }

  private at(ms: number, act: () => void): void {
    const event = { ms, order: this.made++, act };
    const after = this.events.findIndex((each) => each.ms > ms);
    this.events.splice(after < 0 ? this.events.length : after, 0, event);
  }
}
