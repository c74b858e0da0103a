import type { QpAttr, QpCap, QpInit, QpState, QpType, QueuePair, RecvWr, SendWr } from '../../verbs/index.js';
import type { InterposedCompletionQueue } from './completion-queue.js';
import type { Intercept } from './intercept.js';
import { Interposed, innerOf } from './interposed.js';
import type { InterposedProtectionDomain } from './protection-domain.js';
import { unwrapRequests } from './requests.js';
import type { InterposedSharedReceiveQueue } from './shared-receive-queue.js';

/** A queue pair as a tenant sees it. */
export class InterposedQueuePair extends Interposed<QueuePair> implements QueuePair {
  readonly pd: InterposedProtectionDomain;
  readonly sendCq: InterposedCompletionQueue;
  readonly recvCq: InterposedCompletionQueue;
  readonly srq: InterposedSharedReceiveQueue | null;
  readonly sqSigAll: boolean;
  readonly cap: Readonly<QpCap>;
  private readonly intercept: Intercept | null;

  constructor(pd: InterposedProtectionDomain, init: QpInit) {
    const { context } = pd;
    const adopted = context.tenancy?.adopts(init) ?? false;
    const asked: QpInit = {
      ...init,
      sendCq: innerOf(context, init.sendCq),
      recvCq: innerOf(context, init.recvCq),
    };
    if (init.srq !== undefined) asked.srq = innerOf(context, init.srq);
    if (adopted) asked.cap = context.tenancy!.enlarge(init.cap, context.inner.queryDevice().maxQpWr);
    // The interposer asks for completions by itself; those that the tenant did not ask for stay hidden.
    if (adopted) asked.sqSigAll = false;
    super(context, pd.inner.createQp(asked));
    this.pd = pd;
    this.sendCq = init.sendCq as InterposedCompletionQueue;
    this.recvCq = init.recvCq as InterposedCompletionQueue;
    this.srq = (init.srq as InterposedSharedReceiveQueue | undefined) ?? null;
    this.sqSigAll = init.sqSigAll ?? false;
    this.cap = adopted
      ? Object.freeze({ ...this.inner.cap, maxSendWr: init.cap.maxSendWr ?? 1 })
      : this.inner.cap;
    context.events.know(this.inner, context, this);
    this.intercept = adopted ? context.tenancy!.intercept(this) : null;
    if (this.intercept !== null) {
      context.intercepts.set(this.inner.qpNum, this.intercept);
      this.countIntercepted(1);
    }
  }

  get qpNum(): number {
    return this.inner.qpNum;
  }

  get qpType(): QpType {
    return this.inner.qpType;
  }

  get state(): QpState {
    return this.inner.state;
  }

  modify(attr: QpAttr): void {
    if (attr.state === 'ERR') this.intercept?.failing();
    this.open.modify(attr);
    if (attr.state === 'RESET') this.purge();
    this.intercept?.modified(attr);
    this.context.settle();
  }

  query(): QpAttr & { state: QpState } {
    return this.open.query();
  }

  postSend(wr: SendWr | readonly SendWr[]): void {
    const { open } = this;
    try {
      if (this.intercept !== null) this.intercept.postSend(wr);
      else open.postSend(unwrapRequests(this.context, wr));
    } finally {
      this.context.settle();
    }
  }

  postRecv(wr: RecvWr | readonly RecvWr[]): void {
    const { open } = this;
    let count = Array.isArray(wr) ? wr.length : 1;
    try {
      open.postRecv(wr);
    } catch (error) {
      count = (error as { badWrIndex?: number }).badWrIndex ?? 0;
      throw error;
    } finally {
      this.intercept?.receivesPosted(wr, count);
      this.context.settle();
    }
  }

  destroy(): void {
    this.open.destroy();
    if (this.intercept !== null) {
      this.purge();
      this.intercept.destroyed();
      this.context.intercepts.delete(this.inner.qpNum);
      this.countIntercepted(-1);
    }
    this.context.disown(this);
    this.context.settle();
  }

  private purge(): void {
    if (this.intercept === null) return;
    this.sendCq.purge(this.intercept, this.qpNum);
    this.recvCq.purge(this.intercept, this.qpNum);
  }

  private countIntercepted(step: 1 | -1): void {
    this.sendCq.countIntercepted(step);
    if (this.recvCq !== this.sendCq) this.recvCq.countIntercepted(step);
  }
}
