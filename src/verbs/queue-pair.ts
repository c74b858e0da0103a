import type { AddressVector } from './address-handle.js';
import type { CompletionQueue } from './completion-queue.js';
import type { ProtectionDomain } from './protection-domain.js';
import type { SendList } from './send-list.js';
import type { SharedReceiveQueue } from './shared-receive-queue.js';
import type { RecvWr, SendWr } from './work-request.js';

/** The transports that RoCEv2 carries: reliable and unreliable connection, unreliable datagram. */
export type QpType = 'RC' | 'UC' | 'UD';

/** The states of a queue pair (specification §10.3.1). */
export type QpState = 'RESET' | 'INIT' | 'RTR' | 'RTS' | 'SQD' | 'SQE' | 'ERR';

/** The payload sizes that a path can have. */
export type Mtu = 256 | 512 | 1024 | 2048 | 4096;

/** How large the queues of a queue pair are. A provider may grant more than was asked for; `qp.cap` says. */
export interface QpCap {
  maxSendWr: number;
  maxRecvWr: number;
  maxSendSge: number;
  maxRecvSge: number;
  maxInlineData: number;
}

/**
 * Where the two queues of a queue pair lie, by the names of `Context.placements()`; default: where the provider puts
 * queues. Needs the capability `queuePlacements`.
 */
export interface QueuePlacement {
  sendQueue?: string;
  /** Not with an `srq`, which has a place of its own. */
  receiveQueue?: string;
}

/** Choices when a queue pair is made. */
export interface QpInit {
  qpType: QpType;
  sendCq: CompletionQueue;
  recvCq: CompletionQueue;
  /** Receives come from here; `cap.maxRecvWr` is then ignored and `postRecv` refused. */
  srq?: SharedReceiveQueue;
  cap: Partial<QpCap>;
  /** Every send request completes, signalled or not. */
  sqSigAll?: boolean;
  /** Send requests wait for an ENABLE on another queue pair. */
  managedSend?: boolean;
  placement?: QueuePlacement;
}

/**
 * The attributes that `modify` takes, by libibverbs' names. Which ones a transition requires and allows is the
 * specification's table 91; `verbs/qp-state.ts` has it as data.
 */
export interface QpAttr {
  state?: QpState;
  pkeyIndex?: number;
  portNum?: number;
  /** What peers may do to this queue pair: REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC. */
  qpAccessFlags?: number;
  /** UD: datagrams with another key are dropped silently. */
  qkey?: number;
  pathMtu?: Mtu;
  destQpNum?: number;
  /** First PSN expected from the peer, 24 bits. */
  rqPsn?: number;
  /** First PSN sent, 24 bits. */
  sqPsn?: number;
  /** READs and atomics that this side serves at a time. */
  maxDestRdAtomic?: number;
  /** READs and atomics that this side keeps in flight. */
  maxRdAtomic?: number;
  /** Code 0-31 of the delay that an RNR NAK asks for. */
  minRnrTimer?: number;
  /** Code 0-31: 4.096 us x 2^code until a retry; 0 waits forever. */
  timeout?: number;
  /** 0-7 retries after a timeout or a sequence NAK. */
  retryCnt?: number;
  /** 0-6 retries after an RNR NAK; 7 retries forever. */
  rnrRetry?: number;
  ahAttr?: AddressVector;
  /** With `state: 'SQD'`: raise `SQ_DRAINED` when the send queue is idle. */
  enSqdAsyncNotify?: boolean;
}

/**
 * Two queues and the connection between them.
 *
 * RESET takes no work requests (WRONG_STATE). INIT and RTR take receives. RTS takes both. SQD takes both and holds
 * the sends. ERR takes both and flushes them with WR_FLUSH_ERR, in order. SQE (UC, UD after a send failure) flushes
 * sends and still receives.
 */
export interface QueuePair {
  readonly pd: ProtectionDomain;
  readonly qpNum: number;
  readonly qpType: QpType;
  readonly state: QpState;
  readonly cap: Readonly<QpCap>;
  readonly sendCq: CompletionQueue;
  readonly recvCq: CompletionQueue;
  readonly srq: SharedReceiveQueue | null;
  readonly sqSigAll: boolean;
  /** Changes attributes and, with `state`, moves the state machine. All or nothing. */
  modify(attr: QpAttr): void;
  /** The attributes as they are now. */
  query(): QpAttr & { state: QpState };
  /**
   * Posts one or several send requests, in order.
   *
   * Refused at the call: WRONG_STATE, QUEUE_FULL, TOO_MANY_SGE, BAD_INLINE, BAD_OPCODE, BAD_WORK_REQUEST (missing
   * or malformed fields, a negative or fractional length), MESSAGE_TOO_LONG, WRONG_OWNER. A slot of the queue is
   * free again when the completion that covers it was polled (its own, or a later one of the same queue).
   */
  postSend(wr: SendWr | readonly SendWr[]): void;
  /**
   * Posts the first `count` requests of a list, in order: the same as `postSend` of what they stand for, refusals included.
   * Absent where somebody stands between the program and the device.
   */
  postList?(list: SendList, count: number): void;
  /** Posts one or several receives, in order. */
  postRecv(wr: RecvWr | readonly RecvWr[]): void;
  /** Destroys it; outstanding requests vanish without completions. Completions not yet polled are removed. */
  destroy(): void;
}
