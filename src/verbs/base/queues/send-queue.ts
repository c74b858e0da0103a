import type { WaitOperation } from '../../work-request.js';
import { isLocal, isReadOrAtomic, NO_SLOT, Op, Status, WC_OP_OF } from '../codes.js';
import type { BaseCompletionQueue } from '../objects/completion-queue.js';
import type { BaseQueuePair } from '../objects/queue-pair.js';
import { executeLocal } from './local-operation.js';
import { Phase, WqeFlag } from './wqe-pool.js';

/**
 * The send queue of a queue pair: a list in the request pool, from the oldest request that has not ended to the last
 * one posted. The device takes requests in order and may end them in any order; their completions come in order.
 *
 * What holds a request back is decided here for all providers: the state, `managedSend`, fences, WAIT, and the limit
 * of READs and atomics in flight. Local operations are executed here too and never handed out.
 */
export class SendQueue {
  readonly qp: BaseQueuePair;
  /** The oldest request that has not ended. */
  head = NO_SLOT;
  /** The first request that the device has not taken. */
  next = NO_SLOT;
  /** Requests taken and without result. */
  inProgress = 0;
  /** READs and atomics among them. */
  readsInFlight = 0;
  /** Requests posted, modulo 2^32. */
  posted = 0;
  /** Requests taken by the device, or executed here for it, modulo 2^32. */
  taken = 0;
  /** Requests ended, modulo 2^32. */
  ended = 0;
  /** Requests whose completion, or a later one, was polled, modulo 2^32. */
  released = 0;
  /** How many more requests a managed queue may execute. */
  private enabled = 0;
  private tail = NO_SLOT;
  /** A request failed and those before it have not ended yet: nothing more is taken. */
  private failing = false;
  /** A READ or an atomic that ends may let a request go on. */
  private held = false;
  private waitsOn: BaseCompletionQueue | null = null;

  constructor(qp: BaseQueuePair) {
    this.qp = qp;
  }

  /** Requests that hold a place in the queue. */
  get outstanding(): number {
    return (this.posted - this.released) >>> 0;
  }

  /** Appends a request of the pool. */
  append(wqe: number): void {
    if (this.tail === NO_SLOT) this.head = wqe;
    else this.qp.context.wqes.next[this.tail] = wqe;
    this.tail = wqe;
    if (this.next === NO_SLOT) this.next = wqe;
    this.posted = (this.posted + 1) >>> 0;
  }

  /** The request posted last that has not ended, NO_SLOT where there is none. */
  get last(): number {
    return this.tail;
  }

  /** Lets a managed queue execute `count` more requests. */
  enable(count: number): void {
    this.enabled += count;
    this.qp.context.carrier.sendReady(this.qp);
  }

  /**
   * The next request for the device to work on, NO_SLOT where there is none or it must wait. A device that knows only
   * the first `most` of the requests not yet taken says so.
   */
  take(most = Number.POSITIVE_INFINITY): number {
    const { qp } = this;
    const { wqes } = qp.context;
    for (let left = most; left > 0 && this.next !== NO_SLOT && !this.failing && qp.state === 'RTS'; left--) {
      if (qp.managedSend && this.enabled === 0) return NO_SLOT;
      const wqe = this.next;
      const op = wqes.opcode[wqe];
      const reads = isReadOrAtomic(op);
      const limit = reads ? qp.attr.maxRdAtomic! : 0;
      const fenced = (wqes.flags[wqe] & WqeFlag.FENCE) !== 0 && this.readsInFlight > 0;
      if (fenced || (reads && limit > 0 && this.readsInFlight >= limit)) {
        this.held = true;
        return NO_SLOT;
      }
      if (op === Op.WAIT && !this.passWait(wqes.extra[wqe] as WaitOperation)) return NO_SLOT;
      this.next = wqes.next[wqe];
      wqes.phase[wqe] = Phase.TAKEN;
      this.taken = (this.taken + 1) >>> 0;
      this.inProgress++;
      if (qp.managedSend) this.enabled--;
      if (reads) this.readsInFlight++;
      // Without a single READ or atomic allowed, one that is posted can never be executed.
      if (reads && limit === 0) this.finish(wqe, Status.LOC_QP_OP_ERR);
      else if (isLocal(op)) this.finish(wqe, executeLocal(qp, wqe));
      else return wqe;
    }
    return NO_SLOT;
  }

  /** Gives a taken request its result. It completes when all before it have. */
  finish(wqe: number, status: number, vendorErr = 0): void {
    const { qp } = this;
    const { wqes } = qp.context;
    wqes.phase[wqe] = Phase.DONE;
    wqes.status[wqe] = status;
    this.inProgress--;
    if (isReadOrAtomic(wqes.opcode[wqe])) {
      this.readsInFlight--;
      if (this.held) {
        this.held = false;
        qp.context.carrier.sendReady(qp);
      }
    }
    if (status !== Status.SUCCESS) {
      this.failing = true;
      wqes.imm[wqe] = vendorErr;
    }
    while (this.head !== NO_SLOT && wqes.phase[this.head] === Phase.DONE) this.endHead();
    if (this.inProgress === 0 && qp.state === 'SQD') qp.sendsDrained();
  }

  /** Ends every request with WR_FLUSH_ERR, in order. */
  flush(): void {
    this.forgetProgress();
    while (this.head !== NO_SLOT) this.complete(this.unlinkHead(), Status.WR_FLUSH_ERR, 0);
  }

  /** Forgets every request. */
  clear(): void {
    this.forgetProgress();
    while (this.head !== NO_SLOT) this.qp.context.wqes.free(this.unlinkHead());
    this.posted = 0;
    this.taken = 0;
    this.ended = 0;
    this.released = 0;
    this.enabled = 0;
  }

  private endHead(): void {
    const { wqes } = this.qp.context;
    const wqe = this.unlinkHead();
    const status = wqes.status[wqe];
    this.complete(wqe, status, status === Status.SUCCESS ? 0 : wqes.imm[wqe]);
    if (status !== Status.SUCCESS) this.qp.sendFailed();
  }

  private unlinkHead(): number {
    const wqe = this.head;
    this.head = this.qp.context.wqes.next[wqe];
    if (this.head === NO_SLOT) this.tail = NO_SLOT;
    if (this.next === wqe) this.next = this.head;
    return wqe;
  }

  /** Makes the completion of a request that left the list, where it has one, and frees it. */
  private complete(wqe: number, status: number, vendorErr: number): void {
    const { qp } = this;
    const { wqes, cqes, clock } = qp.context;
    this.ended = (this.ended + 1) >>> 0;
    if (status === Status.SUCCESS && (wqes.flags[wqe] & WqeFlag.SIGNALED) === 0) {
      wqes.free(wqe);
      return;
    }
    const cqe = cqes.take(qp.qpNum, wqes.wrId[wqe], status, WC_OP_OF[wqes.opcode[wqe]], clock.nowNs);
    cqes.byteLen[cqe] = wqes.length[wqe];
    cqes.vendorErr[cqe] = vendorErr;
    cqes.sequence[cqe] = this.ended;
    wqes.free(wqe);
    qp.sendCq.push(cqe, false);
  }

  private passWait(wr: WaitOperation): boolean {
    const cq = wr.cq as BaseCompletionQueue;
    const passed = cq.passWait(wr.count, this.qp);
    this.waitsOn = passed ? null : cq;
    return passed;
  }

  private forgetProgress(): void {
    this.waitsOn?.forgetWaiter(this.qp);
    this.waitsOn = null;
    this.inProgress = 0;
    this.readsInFlight = 0;
    this.failing = false;
    this.held = false;
  }
}
