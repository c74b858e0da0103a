import { VerbsError } from '../../error.js';
import type { RecvWr } from '../../work-request.js';
import { checkSgList } from '../checks/sge-check.js';
import { NO_SLOT, Op } from '../codes.js';
import type { BaseContext } from '../objects/context.js';

/** The receives of a queue pair, or of all queue pairs of a shared receive queue: a list in the request pool. */
export class ReceiveQueue {
  readonly context: BaseContext;
  /** The protection domain that its keys must be of. */
  readonly pd: number;
  readonly maxWr: number;
  readonly maxSge: number;
  /** The number of its place, -1 where the provider chooses. */
  readonly placement: number;
  /** The oldest receive, NO_SLOT where there is none. */
  head = NO_SLOT;
  /** Receives that no message has taken. */
  waiting = 0;
  /** Receives whose completion nobody has polled. */
  inUse = 0;
  /** The device's own: an index into its records, -1 where it has none. */
  tag = -1;
  private tail = NO_SLOT;

  constructor(context: BaseContext, pd: number, maxWr: number, maxSge: number, placement: number) {
    this.context = context;
    this.pd = pd;
    this.maxWr = maxWr;
    this.maxSge = maxSge;
    this.placement = placement;
  }

  /** Checks a receive, copies it and appends it. */
  post(wr: RecvWr, badWrIndex: number): void {
    if (this.inUse >= this.maxWr) {
      const detail = {
        field: 'maxWr',
        given: this.inUse + 1,
        allowed: `up to ${this.maxWr} outstanding`,
        badWrIndex,
      };
      throw new VerbsError('QUEUE_FULL', 'the receive queue has no room: poll its completions', detail);
    }
    const wrId = wr.wrId ?? 0;
    if (!Number.isSafeInteger(wrId)) {
      const detail = { field: 'wrId', given: wr.wrId, allowed: 'a safe integer', badWrIndex };
      throw new VerbsError('BAD_WORK_REQUEST', 'the request cannot be named so', detail);
    }
    const { wqes } = this.context;
    const roomBytes = checkSgList(wr.sgList, this.maxSge, badWrIndex);
    const wqe = wqes.take(Op.RECV, 0, wrId);
    // A list may have more room than any message can need; then the excess does not matter.
    if (wr.sgList !== undefined) wqes.setSges(wqe, wr.sgList, Math.min(roomBytes, 0xffffffff));
    if (this.tail === NO_SLOT) this.head = wqe;
    else wqes.next[this.tail] = wqe;
    this.tail = wqe;
    this.waiting++;
    this.inUse++;
  }

  /** Tells the carrier of receives that were posted with one call, if there are any. */
  announce(count: number): void {
    const { context } = this;
    if (count > 0) context.carrier.receivesPosted(this, count, context.poster);
  }

  /** Takes the oldest receive out of the list. */
  shift(): number {
    const wqe = this.head;
    if (wqe === NO_SLOT) return NO_SLOT;
    const { next } = this.context.wqes;
    this.head = next[wqe];
    next[wqe] = NO_SLOT;
    if (this.head === NO_SLOT) this.tail = NO_SLOT;
    this.waiting--;
    return wqe;
  }

  /** Forgets all receives that no message has taken. */
  clear(): void {
    for (let wqe = this.shift(); wqe !== NO_SLOT; wqe = this.shift()) {
      this.context.wqes.free(wqe);
      this.inUse--;
    }
  }
}
