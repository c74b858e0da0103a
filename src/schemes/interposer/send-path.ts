import { KelpieError } from '../../error.js';
import { BaseQueuePair, checkSend } from '../../verbs/base/index.js';
import type { QpAttr, RecvWr, SendWr, WcOpcode, WorkCompletion } from '../../verbs/index.js';
import { HIDDEN, type Intercept } from './intercept.js';
import { canBeCut, copyRequest, pieceOf } from './pieces.js';
import { Part, PostedRing } from './posted-ring.js';
import type { InterposedQueuePair } from './queue-pair.js';
import { unwrapRequest } from './requests.js';

/** A tenant's request that has not gone to the device whole. */
export interface Waiting {
  wr: SendWr;
  /** Its place in the order of posting. */
  request: number;
  bytes: number;
  /** Bytes of it that went to the device. */
  offset: number;
}

/** What a request completes as, by its operation. */
const COMPLETES_AS: Readonly<Record<SendWr['opcode'], WcOpcode>> = {
  SEND: 'SEND',
  SEND_WITH_IMM: 'SEND',
  SEND_WITH_INV: 'SEND',
  RDMA_WRITE: 'RDMA_WRITE',
  RDMA_WRITE_WITH_IMM: 'RDMA_WRITE',
  RDMA_READ: 'RDMA_READ',
  ATOMIC_CMP_AND_SWP: 'COMP_SWAP',
  ATOMIC_FETCH_AND_ADD: 'FETCH_ADD',
  LOCAL_INV: 'LOCAL_INV',
  REG_MR: 'REG_MR',
  BIND_MW: 'BIND_MW',
  WAIT: 'WAIT',
  ENABLE: 'ENABLE',
};

/** What the tenant is told of a request when it ends. */
interface Promised {
  wrId: number;
  signaled: boolean;
  opcode: WcOpcode;
  bytes: number;
}

/**
 * The send queue of one queue pair under a scheme: requests pass to the device at once, or wait and go in parts, and
 * whatever the device completes is told to the tenant as the completion of what it posted. A scheme says what may go.
 */
export abstract class SendPath implements Intercept {
  readonly qp: InterposedQueuePair;
  /** Requests of the tenant that wait, oldest first. */
  readonly waiting: Waiting[] = [];
  /** Requests that went to the device, the tenant's and own. */
  workRequests = 0;
  /** Completions of the device that the tenant never saw. */
  hiddenCompletions = 0;
  protected readonly ring: PostedRing;
  private readonly device: BaseQueuePair;
  private readonly promised: Promised[] = [];
  /** Requests of the tenant: posted, the first that `promised` has, and those whose place in the queue is free. */
  private requests = 0;
  private firstPromised = 0;
  private freed = 0;
  /** The last request whose end the tenant was told. */
  private told = -1;
  /** Own requests that the completion queue has room for. */
  private counted = 0;

  constructor(qp: InterposedQueuePair) {
    this.qp = qp;
    const { inner } = qp;
    if (!(inner instanceof BaseQueuePair)) {
      throw new KelpieError(
        'SCHEME_CANNOT',
        'the scheme needs a provider that can check a request unposted',
        {
          field: 'provider',
          given: qp.context.deviceName,
          allowed: 'ideal, simulated, software',
        },
      );
    }
    this.device = inner;
    this.ring = new PostedRing();
  }

  /** Whether a request may go to the device whole and at once. It is asked only when none waits. */
  protected abstract passes(wr: SendWr, bytes: number): boolean;

  /** Posts of the waiting requests what may go now. */
  protected abstract advance(): void;

  /** Requests wait: somebody must call `pump` when more can go. */
  protected abstract stalled(): void;

  /** Requests that the tenant has posted. */
  get messages(): number {
    return this.requests;
  }

  /** Requests of the tenant that the device has or that wait, polled or not. */
  get outstanding(): number {
    return this.requests - this.freed;
  }

  /** Requests of the tenant that have not ended as far as was seen. */
  get unfinished(): number {
    return this.requests - 1 - this.told;
  }

  /** Places left in the device's queue. */
  get room(): number {
    return this.device.cap.maxSendWr - this.ring.outstanding;
  }

  postSend(given: SendWr | readonly SendWr[]): void {
    const { qp, device } = this;
    const { state } = device;
    // The device itself says why not.
    if (device.destroyed || state === 'RESET' || state === 'INIT' || state === 'RTR') {
      device.postSend(given);
      return;
    }
    const list: readonly SendWr[] = Array.isArray(given) ? given : [given as SendWr];
    const direct: SendWr[] = [];
    try {
      for (let index = 0; index < list.length; index++) {
        const wr = unwrapRequest(qp.context, list[index]);
        const bytes = checkSend(device, wr, index, this.outstanding, qp.cap.maxSendWr);
        const request = this.requests++;
        const signaled = wr.signaled === true || qp.sqSigAll;
        this.promised.push({ wrId: wr.wrId ?? 0, signaled, opcode: COMPLETES_AS[wr.opcode], bytes });
        this.posted(wr, bytes);
        if (this.waiting.length === 0 && this.room > 0 && this.passesNow(wr, bytes))
          direct.push(this.entry(wr, Part.LAST, request, signaled));
        else this.waiting.push({ wr: copyRequest(wr), request, bytes, offset: 0 });
      }
    } finally {
      if (direct.length > 0) this.postDirect(direct);
      if (this.waiting.length > 0) this.pump();
    }
  }

  receivesPosted(_wr: RecvWr | readonly RecvWr[], _count: number): void {}

  receiveCompleted(_completion: WorkCompletion): void {}

  sendCompleted(completion: WorkCompletion): number {
    const { ring } = this;
    const number = completion.wrId;
    const kind = ring.kindOf(number);
    const request = ring.requestOf(number);
    ring.release(number);
    this.countOwn();
    const failed = completion.status !== 'SUCCESS';
    if (kind === Part.ACQUIRE || kind === Part.RELEASE) this.tokenEnded(kind, failed);
    this.hiddenCompletions++;
    if (kind >= Part.OWN || request <= this.told) return HIDDEN;
    const promised = this.promised[request - this.firstPromised];
    if (!failed && (kind !== Part.LAST || !promised.signaled)) return HIDDEN;
    this.hiddenCompletions--;
    this.tell(request);
    completion.wrId = promised.wrId;
    completion.opcode = promised.opcode;
    if (!failed) completion.byteLen = promised.bytes;
    return request;
  }

  released(request: number): void {
    if (request >= this.freed) this.freed = request + 1;
  }

  failing(): void {
    if (this.device.state === 'RTS' || this.device.state === 'SQD') this.handOver();
  }

  modified(attr: QpAttr): void {
    if (attr.state === 'RESET') this.forget();
    else if (this.waiting.length > 0) this.pump();
  }

  destroyed(): void {
    this.forget();
  }

  /** Does whatever can be done now. */
  pump(): void {
    const { state } = this.device;
    // The device flushes whatever is posted to a failed queue.
    if (state === 'ERR' || state === 'SQE') this.handOver();
    else if (this.waiting.length > 0) this.advance();
    if (this.waiting.length > 0) this.stalled();
  }

  /** A request of the tenant was accepted; for schemes that watch what tenants do. */
  protected posted(_wr: SendWr, _bytes: number): void {}

  /** A token of a semaphore was taken or given back by the device, or failed to be. */
  protected tokenEnded(_kind: number, _failed: boolean): void {}

  /** Posts requests that go at once; a scheme may add its own to them. */
  protected postDirect(direct: SendWr[]): void {
    this.post(direct);
  }

  /** A request as the device gets it. */
  protected entry(wr: SendWr, kind: number, request: number, signaled: boolean): SendWr {
    return { ...wr, wrId: this.ring.push(kind, request), signaled };
  }

  /** Hands requests to the device; there must be room for them. */
  protected post(list: readonly SendWr[]): void {
    this.workRequests += list.length;
    this.countOwn();
    this.device.postSend(list.length === 1 ? list[0] : list);
  }

  /** Posts the whole of what is left of the first waiting request as one. */
  protected lastOf(first: Waiting, wr: SendWr): SendWr {
    return this.entry(wr, Part.LAST, first.request, this.isSignaled(first.request));
  }

  /** Whether the tenant asked for the completion of a request. */
  protected isSignaled(request: number): boolean {
    return this.promised[request - this.firstPromised].signaled;
  }

  /** Takes completions from the device early, so that there is room (PeRF's early completion engine, §4.3). */
  protected makeRoom(): void {
    this.qp.sendCq.collect();
  }

  private passesNow(wr: SendWr, bytes: number): boolean {
    return this.device.state !== 'RTS' || this.passes(wr, bytes);
  }

  /** Gives the device what waits, uncut. */
  private handOver(): void {
    while (this.waiting.length > 0) {
      if (this.room === 0) this.makeRoom();
      if (this.room === 0) return;
      const first = this.waiting.shift()!;
      if (first.request <= this.told) continue;
      const { wr, offset, bytes } = first;
      this.post([this.lastOf(first, offset > 0 && canBeCut(wr) ? pieceOf(wr, offset, bytes - offset) : wr)]);
    }
  }

  private countOwn(): void {
    this.qp.sendCq.changeOwn(this.ring.hidden - this.counted);
    this.counted = this.ring.hidden;
  }

  private tell(request: number): void {
    this.told = request;
    // What was told, and all before it, needs no memory; told in order.
    const done = request - this.firstPromised;
    if (done >= 64) {
      this.promised.splice(0, done);
      this.firstPromised = request;
    }
  }

  private forget(): void {
    this.waiting.length = 0;
    this.ring.clear();
    this.countOwn();
    this.told = this.requests - 1;
    this.freed = this.requests;
    this.promised.length = 0;
    this.firstPromised = this.requests;
  }
}
