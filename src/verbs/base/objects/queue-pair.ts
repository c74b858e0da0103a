import { VerbsError } from '../../error.js';
import { checkTransition } from '../../qp-state.js';
import type { QpAttr, QpCap, QpInit, QpState, QpType, QueuePair, QueuePlacement } from '../../queue-pair.js';
import type { SendList } from '../../send-list.js';
import type { RecvWr, SendWr } from '../../work-request.js';
import { requireRange } from '../checks/range.js';
import { NO_SLOT, Status, WcOp } from '../codes.js';
import { CqeFlag } from '../queues/cqe-pool.js';
import { postListed } from '../queues/post-list.js';
import { postSend } from '../queues/post-send.js';
import { ReceiveQueue } from '../queues/receive-queue.js';
import { SendQueue } from '../queues/send-queue.js';
import { BaseCompletionQueue } from './completion-queue.js';
import { DeviceObject, requireOwn } from './device-object.js';
import type { BaseProtectionDomain } from './protection-domain.js';
import { checkAttributes, QpAttributes, recoversSends } from './qp-attributes.js';
import { BaseSharedReceiveQueue } from './shared-receive-queue.js';

/** The events that concern one queue pair. */
export type QpEventType =
  | 'QP_FATAL'
  | 'QP_REQ_ERR'
  | 'QP_ACCESS_ERR'
  | 'COMM_EST'
  | 'SQ_DRAINED'
  | 'QP_LAST_WQE_REACHED';

/**
 * A queue pair: its state, its attributes and its two queues. Programs use the verbs; providers use `sends`,
 * `takeReceive`, `completeReceive`, `enterError` and `raise`.
 */
export class BaseQueuePair extends DeviceObject implements QueuePair {
  protected readonly kind = 'queue pair';
  readonly pd: BaseProtectionDomain;
  readonly qpNum: number;
  readonly qpType: QpType;
  readonly cap: Readonly<QpCap>;
  readonly sendCq: BaseCompletionQueue;
  readonly recvCq: BaseCompletionQueue;
  readonly srq: BaseSharedReceiveQueue | null;
  /** The operations that it supports: one of `OpSupport`, indexed by `Op`. */
  readonly opSupport: Uint8Array;
  readonly sqSigAll: boolean;
  readonly managedSend: boolean;
  /** The number of the place of its send queue, `NO_PLACEMENT` where the provider chooses. */
  readonly sendPlacement: number;
  readonly sends: SendQueue;
  /** Its own receives, or those of its shared receive queue. */
  readonly receives: ReceiveQueue;
  state: QpState = 'RESET';
  attr = new QpAttributes();
  /** The receive that the message being received has taken. */
  receiving = NO_SLOT;
  /** Those that later messages have taken, in order: packets of theirs came early. */
  private receivingLater: number[] | null = null;
  private notifyDrained = false;

  /** `reserved` is the number of a management queue pair; others get theirs in turn. */
  constructor(pd: BaseProtectionDomain, init: QpInit, reserved?: number) {
    super(pd.context);
    const { context } = pd;
    if (!context.capabilities.transports.includes(init.qpType)) throw context.unsupported(init.qpType);
    if (init.managedSend) context.requireCapability('crossChannel');
    this.pd = pd;
    this.qpType = init.qpType;
    this.opSupport = context.opSupport[init.qpType];
    this.sendCq = requireOwn(context, BaseCompletionQueue, init.sendCq, 'sendCq');
    this.recvCq = requireOwn(context, BaseCompletionQueue, init.recvCq, 'recvCq');
    this.srq = init.srq === undefined ? null : requireOwn(context, BaseSharedReceiveQueue, init.srq, 'srq');
    this.cap = this.grant(init.cap);
    this.sendPlacement = this.placementOf(init, 'sendQueue');
    const receivePlacement = this.placementOf(init, 'receiveQueue');
    this.sqSigAll = init.sqSigAll ?? false;
    this.managedSend = init.managedSend ?? false;
    context.counts.maxQp.acquire();
    this.qpNum =
      reserved === undefined ? context.qpNumbers.assign(this) : context.qpNumbers.reserve(this, reserved);
    this.sends = new SendQueue(this);
    const { maxRecvWr, maxRecvSge } = this.cap;
    this.receives =
      this.srq?.receives ?? new ReceiveQueue(context, pd.handle, maxRecvWr, maxRecvSge, receivePlacement);
    this.countUse(1);
    context.wqes.expect(this.cap.maxSendWr + this.cap.maxRecvWr);
    context.carrier.created(this);
  }

  /** The longest datagram: one packet of the port. */
  get datagramBytes(): number {
    return this.context.ports[(this.attr.portNum ?? 1) - 1].attr.activeMtu;
  }

  /** The longest message that it carries. */
  get longestBytes(): number {
    return this.qpType === 'UD' ? this.datagramBytes : this.context.longestMessageBytes;
  }

  /** The Q_Key of a datagram: one with its top bit set stands for the queue pair's own (specification 10.2.5). */
  sendQkey(asked: number): number {
    return asked >= 0x8000_0000 ? this.attr.qkey! : asked;
  }

  modify(attr: QpAttr): void {
    this.requireAlive();
    const target = checkTransition(this.state, this.qpType, attr);
    this.attr.assign(attr, checkAttributes(this.context, attr));
    if (attr.enSqdAsyncNotify !== undefined) this.notifyDrained = attr.enSqdAsyncNotify;
    if (attr.state !== undefined) this.moveTo(target);
    else this.context.carrier.modified?.(this);
    this.context.carrier.settle();
  }

  query(): QpAttr & { state: QpState } {
    this.requireAlive();
    return { state: this.state, ...this.attr.known() };
  }

  postSend(wr: SendWr | readonly SendWr[]): void {
    this.requireSending();
    const before = this.sends.posted;
    try {
      if (Array.isArray(wr)) for (let index = 0; index < wr.length; index++) postSend(this, wr[index], index);
      else postSend(this, wr as SendWr, 0);
    } finally {
      this.announce(before);
    }
  }

  postList(list: SendList, count: number): void {
    this.requireSending();
    const before = this.sends.posted;
    try {
      for (let index = 0; index < count; index++) postListed(this, list, index);
    } finally {
      this.announce(before);
    }
  }

  postRecv(wr: RecvWr | readonly RecvWr[]): void {
    this.requireAlive();
    if (this.srq !== null) {
      const detail = { field: 'srq', allowed: 'post to the shared receive queue', badWrIndex: 0 };
      throw new VerbsError('BAD_WORK_REQUEST', 'this queue pair has no receive queue of its own', detail);
    }
    if (this.state === 'RESET') throw this.wrongState();
    const { receives, context } = this;
    const before = receives.waiting;
    try {
      if (Array.isArray(wr)) for (let index = 0; index < wr.length; index++) receives.post(wr[index], index);
      else receives.post(wr as RecvWr, 0);
    } finally {
      if (this.state === 'ERR') this.flushReceives();
      else receives.announce(receives.waiting - before);
      context.carrier.settle();
    }
  }

  destroy(): void {
    this.retire();
    const { context } = this;
    context.carrier.destroyed(this);
    this.forgetRequests();
    context.wqes.expect(-this.cap.maxSendWr - this.cap.maxRecvWr);
    context.qpNumbers.remove(this.qpNum);
    context.counts.maxQp.release();
    this.countUse(-1);
    context.carrier.settle();
  }

  /**
   * Takes the next receive for an incoming message, NO_SLOT where none is posted. Several may be taken before the first
   * ends; they end in the same order.
   */
  takeReceive(): number {
    const wqe = this.receives.shift();
    if (wqe === NO_SLOT) return NO_SLOT;
    if (this.receiving === NO_SLOT) this.receiving = wqe;
    else {
      this.receivingLater ??= [];
      this.receivingLater.push(wqe);
    }
    this.srq?.checkLimit();
    return wqe;
  }

  /**
   * Ends the receive that was taken first. `flags` are `CqeFlag` bits that say what `imm` holds and whether a GRH is in
   * front; `solicited` where the sender asked for an event.
   */
  completeReceive(
    status: number,
    opcode: number,
    byteLen: number,
    flags: number,
    imm: number,
    srcQp: number,
    solicited: boolean,
    vendorErr = 0,
  ): void {
    const { wqes, cqes, clock } = this.context;
    const wqe = this.receiving;
    this.receiving = this.receivingLater?.shift() ?? NO_SLOT;
    const cqe = cqes.take(this.qpNum, wqes.wrId[wqe], status, opcode, clock.nowNs);
    cqes.byteLen[cqe] = byteLen;
    cqes.flags[cqe] = flags | CqeFlag.RECEIVE;
    cqes.imm[cqe] = imm;
    cqes.srcQp[cqe] = srcQp;
    cqes.vendorErr[cqe] = vendorErr;
    wqes.free(wqe);
    this.recvCq.push(cqe, solicited);
  }

  /** Moves to ERR because of an error, and flushes both queues. */
  enterError(): void {
    if (this.state !== 'ERR' && this.state !== 'RESET') this.moveTo('ERR');
  }

  /** Tells the program something about this queue pair. */
  raise(type: QpEventType): void {
    this.context.raise({ type, qp: this });
  }

  /** A send completed with a failure: RC fails whole, UC and UD fail their send queue (specification 10.3.1). */
  sendFailed(): void {
    if (!recoversSends(this.qpType)) this.enterError();
    else if (this.state !== 'ERR') this.moveTo('SQE');
  }

  /** The last request in progress ended while the queue drains. */
  sendsDrained(): void {
    if (!this.notifyDrained) return;
    this.notifyDrained = false;
    this.raise('SQ_DRAINED');
  }

  /** Tells the carrier what was posted since there were `before` requests. */
  private announce(before: number): void {
    const { context, sends } = this;
    const count = (sends.posted - before) >>> 0;
    if (this.state !== 'RTS' && this.state !== 'SQD') sends.flush();
    else if (count > 0) context.carrier.posted(this, count, context.poster);
    context.carrier.settle();
  }

  private moveTo(target: QpState): void {
    const { context } = this;
    const from = this.state;
    this.state = target;
    context.carrier.stateChanged(this, from);
    if (target === 'RESET') this.forgetRequests();
    else if (target === 'ERR' || target === 'SQE') this.sends.flush();
    if (target === 'ERR') {
      this.flushReceives();
      if (this.srq !== null && from !== 'ERR') this.raise('QP_LAST_WQE_REACHED');
    }
    if (target === 'SQD' && this.sends.inProgress === 0) this.sendsDrained();
    if (target === 'RTS') context.carrier.sendReady(this);
  }

  /** Flushes the receive in progress and, unless they are shared, all others. */
  private flushReceives(): void {
    while (this.receiving !== NO_SLOT) this.flushOne();
    if (this.srq !== null) return;
    while (this.takeReceive() !== NO_SLOT) this.flushOne();
  }

  private flushOne(): void {
    this.completeReceive(Status.WR_FLUSH_ERR, WcOp.RECV, 0, 0, 0, 0, false);
  }

  /** Drops all requests, completed or not, and all attributes. */
  private forgetRequests(): void {
    this.sends.clear();
    while (this.receiving !== NO_SLOT) {
      this.context.wqes.free(this.receiving);
      this.receives.inUse--;
      this.receiving = this.receivingLater?.shift() ?? NO_SLOT;
    }
    if (this.srq === null) this.receives.clear();
    this.sendCq.purge(this);
    if (this.recvCq !== this.sendCq) this.recvCq.purge(this);
    this.sends.clear();
    this.attr = new QpAttributes();
    this.notifyDrained = false;
  }

  private placementOf({ placement }: QpInit, queue: keyof QueuePlacement): number {
    const name = placement?.[queue];
    const field = `placement.${queue}`;
    if (name !== undefined && queue === 'receiveQueue' && this.srq !== null) {
      const detail = { field, given: name, allowed: 'none: the shared receive queue has its own' };
      throw new VerbsError('OUT_OF_RANGE', 'this queue pair has no receive queue of its own', detail);
    }
    return this.context.placementOf(name, 'queuePlacements', field);
  }

  private grant(asked: Partial<QpCap>): QpCap {
    const { device } = this.context;
    const shared = this.srq !== null;
    const cap: QpCap = {
      maxSendWr: asked.maxSendWr ?? 1,
      maxRecvWr: shared ? 0 : (asked.maxRecvWr ?? 1),
      maxSendSge: asked.maxSendSge ?? 1,
      maxRecvSge: shared ? 0 : (asked.maxRecvSge ?? 1),
      maxInlineData: asked.maxInlineData ?? 0,
    };
    requireRange('cap.maxSendWr', cap.maxSendWr, 0, device.maxQpWr);
    requireRange('cap.maxRecvWr', cap.maxRecvWr, 0, device.maxQpWr);
    requireRange('cap.maxSendSge', cap.maxSendSge, 0, device.maxSge);
    requireRange('cap.maxRecvSge', cap.maxRecvSge, 0, device.maxSge);
    requireRange('cap.maxInlineData', cap.maxInlineData, 0, device.maxInlineData);
    return Object.freeze(cap);
  }

  private countUse(step: number): void {
    this.pd.dependants += step;
    this.sendCq.dependants += step;
    this.recvCq.dependants += step;
    if (this.srq !== null) this.srq.dependants += step;
  }

  private requireSending(): void {
    this.requireAlive();
    if (this.state === 'RESET' || this.state === 'INIT' || this.state === 'RTR') throw this.wrongState();
  }

  private wrongState(): VerbsError {
    const detail = { field: 'state', given: this.state, allowed: 'see QueuePair', badWrIndex: 0 };
    return new VerbsError('WRONG_STATE', 'a queue pair in this state takes no such request', detail);
  }
}
