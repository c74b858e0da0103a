import type { Clock, CompletionQueue, Context, Thread } from '../../verbs/index.js';

/**
 * A thread of an interposer on one host. On a provider that models processors it is a thread there, and what it does
 * takes time; elsewhere it works at the end of the verbs that tenants call, and while their time passes.
 */
export class Worker {
  /** Whether its step runs now. */
  running = false;
  private readonly clock: Clock;
  private readonly thread: Thread | null;
  private readonly step: () => void;
  private dueNs = Number.POSITIVE_INFINITY;

  constructor(context: Context, name: string, step: () => void) {
    this.clock = context.clock;
    this.step = step;
    this.thread = context.createThread?.({ name }) ?? null;
    this.thread?.run(() => this.runStep());
  }

  /** Time that its core has worked. */
  get busyNs(): number {
    return this.thread?.busyNs ?? 0;
  }

  /** Whether it must be given its turn by others, and soon. */
  get waitsForTurn(): boolean {
    return this.thread === null && this.dueNs < Number.POSITIVE_INFINITY;
  }

  /** Completions on this queue wake it. */
  watch(cq: CompletionQueue): void {
    this.thread?.watch(cq);
  }

  /**
   * Asks for a step when something completes that was waited for. A thread is woken by the queues that it watches; without
   * one every verb may have brought it.
   */
  wakeOnCompletion(): void {
    if (this.thread === null) this.wakeAtNs(this.clock.nowNs);
  }

  /** Asks for a step as soon as may be. */
  wake(): void {
    if (!this.running) this.wakeAtNs(this.clock.nowNs);
  }

  /**
   * Asks for a step at a time. One that was asked for and comes no later serves as well: whoever still waits then asks
   * again. So there is one wake-up under way and not one for every time that somebody asked.
   */
  wakeAtNs(timeNs: number): void {
    if (timeNs >= this.dueNs) return;
    this.dueNs = timeNs;
    this.thread?.wakeAtNs(timeNs);
  }

  /** Its turn, where it has no thread of its own. */
  settle(): void {
    if (this.thread !== null || this.running || this.clock.nowNs < this.dueNs) return;
    this.runStep();
  }

  stop(): void {
    this.thread?.stop();
  }

  private runStep(): void {
    this.running = true;
    // A step that a completion brought leaves the wake-up that was asked for where it is.
    if (this.clock.nowNs >= this.dueNs) this.dueNs = Number.POSITIVE_INFINITY;
    try {
      this.step();
    } finally {
      this.running = false;
    }
  }
}
