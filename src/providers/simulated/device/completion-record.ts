import type { CompletionTarget, DmaPath } from '../../../models/index.js';
import type { BaseCompletionQueue } from '../../../verbs/base/index.js';
import type { SimulatedThread } from '../host/thread.js';

/** What the device keeps of one completion queue. */
export class CompletionRecord implements CompletionTarget {
  readonly cq: BaseCompletionQueue;
  readonly contextKey: number;
  /** The way to its queue. */
  readonly path: DmaPath;
  /** Completions are seen in order: the last one is then. */
  visiblePs = 0;
  acceptedPs = 0;
  written = 0;
  /** Whose it is: the tenant of its queue pairs. */
  tenant = 0;
  /** Threads that a completion wakes. */
  readonly watchers: SimulatedThread[] = [];

  constructor(cq: BaseCompletionQueue, contextKey: number, path: DmaPath) {
    this.cq = cq;
    this.contextKey = contextKey;
    this.path = path;
  }
}
