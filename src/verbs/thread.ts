import type { CompletionQueue } from './completion-queue.js';

/** Choices when a thread is made. */
export interface ThreadOptions {
  /** For people and traces. */
  name?: string;
  /** The socket that the thread runs on, on providers that have several; default: the one that the device hangs on. */
  socket?: number;
}

/**
 * A thread of a program that posts and polls. On a provider that models processors the verbs called inside a step
 * cost time on the thread's core, and the next step waits until the core is free; elsewhere a step costs what it costs.
 *
 * @example
 * const thread = context.createThread?.({ name: 'client' });
 * thread?.watch(cq);
 * thread?.run(() => { while (cq.pollInto(slots) > 0) qp.postSend(next()); });
 */
export interface Thread {
  /** Completions on this queue wake the thread, and others that watch it. */
  watch(cq: CompletionQueue): void;
  /** Calls `step` once soon, then whenever a watched queue has completions or a wake-up time has come. */
  run(step: () => void): void;
  /** Asks for a step at this time on the provider's clock, or as soon after it as the core is free. */
  wakeAtNs(timeNs: number): void;
  /** The step that runs now works for this long besides its verbs; absent where the provider does not model cores. */
  work?(durationNs: number): void;
  /** The core's own time: within a step the verbs that were called have made it later. Absent as `work` is. */
  readonly nowNs?: number;
  /** No more steps. */
  stop(): void;
  /** Nanoseconds that its core has worked so far; zero where the provider does not model cores. */
  readonly busyNs: number;
}
