import type { Clock, CompletionQueue, Thread } from '../../verbs/index.js';

/** Between two looks at the completion queues where time is virtual and nothing says when to look. */
const TICK_NS = 1000;

/**
 * Threads for providers that model no processors: each gets a step every tick of a virtual clock, or as often as a real
 * one allows. The steps are free; what they cost on a real machine is real.
 */
export class PolledThreads {
  private readonly clock: Clock;
  private readonly threads: PolledThread[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
  }

  create(): Thread {
    const thread = new PolledThread();
    this.threads.push(thread);
    return thread;
  }

  /** Lets time pass until `untilNs`, with all steps that fall in between. */
  async passUntil(untilNs: number): Promise<void> {
    const { clock } = this;
    if (this.threads.length === 0) {
      if (untilNs > clock.nowNs) await clock.sleep(untilNs - clock.nowNs);
      return;
    }
    while (clock.nowNs < untilNs) {
      const startNs = clock.nowNs;
      for (const thread of this.threads) thread.step(startNs);
      const leftNs = untilNs - clock.nowNs;
      if (leftNs > 0) await clock.sleep(clock.virtual ? Math.min(TICK_NS, leftNs) : 0);
      for (const thread of this.threads) thread.pass(clock.nowNs - startNs);
    }
  }
}

class PolledThread implements Thread {
  /** Until its next step a thread is busy that had more to do than a step takes on. */
  busyNs = 0;
  private steppedNs = 0;
  private wantsMore = false;
  private action: (() => void) | null = null;

  /** It looks at every tick anyway. */
  watch(_cq: CompletionQueue): void {}

  run(step: () => void): void {
    this.action = step;
  }

  /** It looks at every tick anyway. */
  wakeAtNs(timeNs: number): void {
    if (timeNs <= this.steppedNs) this.wantsMore = true;
  }

  stop(): void {
    this.action = null;
  }

  step(nowNs: number): void {
    this.steppedNs = nowNs;
    this.wantsMore = false;
    this.action?.();
  }

  /** This much time goes by until its next step. */
  pass(durationNs: number): void {
    if (this.wantsMore) this.busyNs += durationNs;
  }
}
