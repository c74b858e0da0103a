import type { Context } from './context.js';
import type { WorkCompletion } from './work-completion.js';

/** Choices when a completion queue is made. */
export interface CqOptions {
  /** Completions it can hold, at least. */
  cqe: number;
  /** Where its events go. */
  channel?: CompletionChannel;
  /** Where it lies, by a name of `Context.placements()`; default: where the provider puts queues. */
  placement?: string;
}

/**
 * Where completions are found.
 *
 * Completions of one queue pair's send queue appear in the order of posting, likewise those of its receive queue.
 * A completion that finds the queue full is lost and the queue is dead: a `CQ_ERR` async event, and every queue pair
 * on it goes to ERR (specification: overrun).
 */
export interface CompletionQueue {
  readonly context: Context;
  /** Completions it can hold. */
  readonly cqe: number;
  readonly channel: CompletionChannel | null;
  /** Takes up to `max` completions (default: 1), oldest first. */
  poll(max?: number): WorkCompletion[];
  /** Fills the given completions, oldest first, and says how many; allocates nothing. */
  pollInto(slots: WorkCompletion[]): number;
  /**
   * Asks for one event on the channel at the next completion (or the next solicited or failed one). Completions
   * that are there already raise none: poll once more after asking, as every libibverbs program does.
   */
  reqNotify(options?: { solicitedOnly?: boolean }): void;
  /** Changes how many completions it holds; refused with OUT_OF_RANGE when fewer than it holds now. */
  resize(cqe: number): void;
  /** Refused with OBJECT_BUSY while queue pairs use it. */
  destroy(): void;
}

/**
 * Where a program waits for completions without polling.
 *
 * @example
 * cq.reqNotify();
 * const ready = await channel.getCqEvent();
 * const completions = ready.poll(16);
 */
export interface CompletionChannel {
  readonly context: Context;
  /** The next event: the completion queue that has something. Waits for as long as it takes, or until `signal`. */
  getCqEvent(signal?: AbortSignal): Promise<CompletionQueue>;
  /** An event that is there already, or null. */
  tryGetCqEvent(): CompletionQueue | null;
  /** Refused with OBJECT_BUSY while completion queues use it. */
  destroy(): void;
}
