import type { TransportCounters } from './counters.js';
import type { Endpoint } from './endpoint.js';

/** The async events that the transport raises by itself. */
export type TransportEvent = 'QP_FATAL' | 'QP_REQ_ERR' | 'QP_ACCESS_ERR' | 'COMM_EST';

/** How a receive ended. One object serves all endpoints of a device: read it during the call, keep nothing. */
export interface ReceiveResult {
  /** One of base's `Status`. */
  status: number;
  /** `WcOp.RECV` or `WcOp.RECV_RDMA_WITH_IMM`. */
  opcode: number;
  byteLen: number;
  /** Bits of base's `CqeFlag`: IMM, INV, GRH. */
  flags: number;
  /** The immediate data or the key that was invalidated. */
  imm: number;
  /** UD: the sender's queue pair. */
  srcQp: number;
  /** Whether the sender asked for a solicited event. */
  solicited: boolean;
}

/** A receive result to fill. */
export function emptyReceiveResult(): ReceiveResult {
  return { status: 0, opcode: 0, byteLen: 0, flags: 0, imm: 0, srcQp: 0, solicited: false };
}

/** How an endpoint is called again. From inside these calls the device must not call it: it notes it and returns. */
export interface Wakeups {
  /** `canRequest` answered false before and may answer true now. */
  requestReady(endpoint: Endpoint): void;
  /** There is a response to send where there was none. */
  responseReady(endpoint: Endpoint): void;
  /** Call `endpoint.onTimer` at this time; replaces an earlier one. An endpoint has one timer and sets it rarely. */
  setTimer(endpoint: Endpoint, atPs: number): void;
  clearTimer(endpoint: Endpoint): void;
}

/** The bytes of packets. */
export interface PayloadMover {
  /**
   * Fills the payload of a request packet with bytes `offset` to `offset + bytes` of a send request. False where a
   * local key does not allow it (base's `gather` says); the list was checked when the message began. The packet's
   * opcode is set, here and in `readRegion`, so that a device knows where the payload begins.
   */
  gather(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean;
  /** Fills the payload of a READ response from `memory.bytes[region]` at `position`; rights were checked just now. */
  readRegion(endpoint: Endpoint, packet: number, region: number, position: number, bytes: number): void;
  /** Places the payload of an arrived SEND `offset` bytes into a receive; false where a local key does not allow it. */
  placeReceive(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean;
  /** UD: writes the 40 bytes in front of the payload (a GRH, or what stands for one) into a receive. */
  placeGrh(endpoint: Endpoint, packet: number, wqe: number): boolean;
  /** Places the payload of an arrived WRITE into `memory.bytes[region]` at `position`; rights were checked just now. */
  placeRegion(endpoint: Endpoint, packet: number, region: number, position: number, bytes: number): void;
  /** So many of the bytes that were placed just now were there before: their message starts over. */
  placedAgain(endpoint: Endpoint, bytes: number): void;
  /** Places the payload of a READ response `offset` bytes into its send request; false where a key does not allow it. */
  placeRead(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean;
  /** Places the value of an atomic response (`operandWords[4 * packet]`, low word first) into its send request. */
  placeAtomic(endpoint: Endpoint, packet: number, wqe: number): boolean;
  /**
   * Executes the atomic of an arrived request (`op` is base's `Op`) on `memory.bytes[region]` at `position` and leaves
   * the original value in the first two operand words of the packet.
   */
  executeAtomic(endpoint: Endpoint, packet: number, op: number, region: number, position: number): void;
}

/** The work queues of a queue pair. `completeSend` may call `endpoint.modified`. */
export interface WorkQueues {
  /**
   * Takes the next send request that the requester may start, `NO_SLOT` where there is none at hand: not posted, not
   * yet fetched by the device, or held. It is asked for when all packets of the requests before it have left, so that
   * base's `qp.sends.take()` executes local operations, fences, WAITs and the limit of READs in their turn. After
   * `NO_SLOT` the endpoint asks again when `endpoint.allowSends` is called (base's `sendReady`).
   */
  takeSend(endpoint: Endpoint): number;
  /**
   * A send request ended with one of base's `Status` (base's `qp.sends.finish`). A failure moves the queue pair: RC to
   * ERR, UC and UD to SQE, once the requests before it have ended.
   */
  completeSend(endpoint: Endpoint, wqe: number, status: number): void;
  /**
   * Takes the next receive of the queue pair or its shared queue; `NO_SLOT` where there is none. Under selective repeat
   * several may be taken before the first ends; they end in the same order.
   */
  takeReceive(endpoint: Endpoint): number;
  /** How many receives there are, for the credits in acknowledgements (only asked with that option on). */
  receivesPosted(endpoint: Endpoint): number;
  /** The receive that was taken first, and has not ended, ended. */
  completeReceive(endpoint: Endpoint, wqe: number, result: ReceiveResult): void;
}

/** What happened to a queue pair. `enterError` may call `endpoint.modified`. */
export interface TransportEvents {
  /** The responder failed: raise the event, if any, and move the queue pair to ERR; responses that wait still leave. */
  enterError(endpoint: Endpoint, event: TransportEvent | null): void;
  /** Something happened that a program should know. */
  raise(endpoint: Endpoint, event: TransportEvent): void;
  /**
   * A packet other than a CNP arrived marked 'congestion experienced'. Whether a CNP is due is for the device's
   * `NotificationPoint` to say; `endpoint.emitCnp` fills one.
   */
  ecnMarked(endpoint: Endpoint, packet: number, nowPs: number): void;
}

/**
 * What an endpoint asks of the device that it runs on. All calls are synchronous and may come in the middle of any call
 * of an endpoint; a device that models time notes them (copies at the time of its DMA, shows completions when they would
 * be visible) and returns.
 */
export interface TransportDevice extends Wakeups, PayloadMover, WorkQueues, TransportEvents {
  readonly counters: TransportCounters;
}
