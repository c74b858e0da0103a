import type { QpAttr, RecvWr, SendWr, WorkCompletion } from '../../verbs/index.js';

/** A completion that is the interposer's own: its tenant never sees it. */
export const HIDDEN = -1;

/**
 * What a scheme does to one queue pair: it stands in the way of what is posted and of what completes. A queue pair
 * without one is passed through as it is.
 */
export interface Intercept {
  /** Posts for the tenant, with the refusals that the verbs promise. Objects in the requests are the tenant's. */
  postSend(wr: SendWr | readonly SendWr[]): void;
  /** Receives that the tenant has posted, as the device has taken them. */
  receivesPosted(wr: RecvWr | readonly RecvWr[], count: number): void;
  /**
   * A completion of the send queue as the device gave it; rewritten in place to what the tenant is to see. Returns the
   * tenant's request that it ends, by its place in the order of posting, or {@link HIDDEN}.
   */
  sendCompleted(completion: WorkCompletion): number;
  /** A completion of the receive queue; rewritten in place. */
  receiveCompleted(completion: WorkCompletion): void;
  /** The tenant has polled the completion of this request: it and all before it hold no place in the queue any more. */
  released(request: number): void;
  /** The tenant is about to move the queue pair to ERR: what it posted is to be flushed by the device, in order. */
  failing(): void;
  /** `modify` was called and succeeded. */
  modified(attr: QpAttr): void;
  /** The queue pair is gone. */
  destroyed(): void;
}
