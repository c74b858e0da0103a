import type { QpState } from '../queue-pair.js';
import type { BaseCompletionQueue } from './objects/completion-queue.js';
import type { BaseQueuePair } from './objects/queue-pair.js';
import type { Poster } from './poster.js';
import type { Awaited } from './queues/mailbox.js';
import type { ReceiveQueue } from './queues/receive-queue.js';

/**
 * What a provider adds to the base: the carrying of messages. One carrier serves one opened device.
 *
 * The calls tell it that something changed; it then takes requests with `qp.sends.take()`, ends them with
 * `qp.sends.finish(…)`, serves the responder's side with `qp.takeReceive()` and `qp.completeReceive(…)`, and fails a
 * queue pair with `qp.enterError()`. All but `settle` may come in the middle of such a call: a carrier only notes
 * them and does the work in `settle`, or in an event of its own.
 */
export interface QueuePairCarrier {
  /** A queue pair was made; it is in RESET. */
  created(qp: BaseQueuePair): void;
  /**
   * `count` requests were posted to the send queue with one call, and whoever posted them rings the doorbell; `poster` is
   * null where nobody's time passes. The queue may now have requests to take, unless its state holds them (SQD).
   */
  posted(qp: BaseQueuePair, count: number, poster: Poster | null): void;
  /**
   * The send queue may have requests to take that it had not: enabled, no longer held by a state, a WAIT, a fence or a
   * limit.
   */
  sendReady(qp: BaseQueuePair): void;
  /** `count` receives were posted with one call to a queue pair's or a shared receive queue. */
  receivesPosted(queue: ReceiveQueue, count: number, poster: Poster | null): void;
  /** The state changed, by `modify` or by an error. Requests that are about to be flushed are still there. */
  stateChanged(qp: BaseQueuePair, from: QpState): void;
  /** Attributes changed without a change of state. */
  modified?(qp: BaseQueuePair): void;
  /** The queue pair is gone; its number will name no other for long. */
  destroyed(qp: BaseQueuePair): void;
  /** Throws a VerbsError if the device cannot register memory of this place now. */
  requirePlacement?(placement: number): void;
  /** A memory region was registered; the slot is that of the memory table. Fast regions have no translations yet. */
  regionAdded?(slot: number): void;
  /** A memory region, fast ones included, is about to leave the memory table; its slot can still be read. */
  regionRemoved?(slot: number): void;
  /** The verb is at its end: do what can be done without time passing. */
  settle(): void;
  /** Somebody waits for a completion or async event there: a virtual clock may let time pass. */
  waiting(mailbox: Awaited): void;
  /**
   * A completion was generated. A carrier that has this method shows it to software later, with `cq.show`; without,
   * it is seen at once.
   */
  holdCompletion?(cq: BaseCompletionQueue, cqe: number, solicited: boolean): void;
  /** What the device counts. */
  counters(): Readonly<Record<string, number>>;
}
