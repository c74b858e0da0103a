import { type ErrorDetail, KelpieError } from '../error.js';

/**
 * Why a verb was refused, and the errno that libibverbs would have given.
 *
 * These are refusals of the *call*. What goes wrong after a work request was accepted (a bad lkey, a remote access
 * error, retries exhausted) arrives as the status of its completion, as in libibverbs.
 */
export const verbsErrno = {
  /** The provider lacks the capability; the message names it and says why. */
  UNSUPPORTED: 'EOPNOTSUPP',
  /** The object was destroyed, deregistered or closed before this call. */
  OBJECT_DESTROYED: 'EINVAL',
  /** Other objects still depend on this one; destroy them first. */
  OBJECT_BUSY: 'EBUSY',
  /** The argument belongs to another context or protection domain. */
  WRONG_OWNER: 'EINVAL',
  /** A number is not an integer, or outside what the device allows. */
  OUT_OF_RANGE: 'EINVAL',
  /** A device limit on the number of objects is reached. */
  LIMIT_REACHED: 'ENOMEM',
  /** A combination of access flags that the specification forbids. */
  BAD_ACCESS_FLAGS: 'EINVAL',
  /** The queue pair may not go from its state to the one asked for. */
  BAD_TRANSITION: 'EINVAL',
  /** An attribute that this transition requires is missing. */
  MISSING_ATTRIBUTE: 'EINVAL',
  /** An attribute that this transition or this transport does not take. */
  UNEXPECTED_ATTRIBUTE: 'EINVAL',
  /** A work request was posted in a state that takes none. */
  WRONG_STATE: 'EINVAL',
  /** The send, receive or shared receive queue has no room. */
  QUEUE_FULL: 'ENOMEM',
  /** More scatter-gather elements than the queue was created with. */
  TOO_MANY_SGE: 'EINVAL',
  /** More inline data than the queue was created with, or inline where it cannot be. */
  BAD_INLINE: 'EINVAL',
  /** The transport of this queue pair has no such operation. */
  BAD_OPCODE: 'EINVAL',
  /** A field of the work request is missing, malformed or out of place. */
  BAD_WORK_REQUEST: 'EINVAL',
  /** The message is longer than the transport allows (one MTU on UD, 2^31 bytes elsewhere). */
  MESSAGE_TOO_LONG: 'EMSGSIZE',
  /** Nothing arrived before the deadline that the caller set. */
  TIMED_OUT: 'ETIMEDOUT',
  /** The other side rejected the connection; see {@link ConnectionError}. */
  CM_REJECTED: 'ECONNREFUSED',
  /** Nobody answered the request for a connection in all retries. */
  CM_UNREACHABLE: 'ETIMEDOUT',
  /** A connection or a request is not in a state for this; it may be answered or forgotten. */
  CM_WRONG_STATE: 'EINVAL',
  /** Somebody listens at this port already. */
  CM_SERVICE_TAKEN: 'EADDRINUSE',
  /** There are as many connections as the device allows. */
  CM_TOO_MANY: 'ENOMEM',
} as const;

/** The stable codes of {@link VerbsError}. */
export type VerbsErrorCode = keyof typeof verbsErrno;

/**
 * A verb that was refused.
 *
 * @example
 * try { qp.postSend(wr); } catch (error) {
 *   if (error instanceof VerbsError && error.code === 'QUEUE_FULL') drain(cq);
 * }
 */
export class VerbsError extends KelpieError {
  declare readonly code: VerbsErrorCode;
  /** The errno name that libibverbs would have returned. */
  readonly errno: string;
  /**
   * For a list of work requests: the position of the first one that was refused, like libibverbs' `bad_wr`.
   * Those before it were posted, it and those after it were not.
   */
  readonly badWrIndex?: number;

  constructor(code: VerbsErrorCode, summary: string, detail: ErrorDetail & { badWrIndex?: number } = {}) {
    super(code, summary, detail);
    this.name = 'VerbsError';
    this.errno = verbsErrno[code];
    this.badWrIndex = detail.badWrIndex;
  }
}

/** A connection that the other side rejected, with what it said. */
export class ConnectionError extends VerbsError {
  /** The reason, as librdmacm gives it in the status of a REJECTED event: 8 where nobody listens, 28 for a program's no. */
  readonly reason: number;
  /** The other program's bytes, with the zeros that fill the field. */
  readonly privateData: Uint8Array;

  constructor(reason: number, reasonName: string, privateData: Uint8Array) {
    // The words that rdma-core's programs print.
    super('CM_REJECTED', `the connection was rejected: RDMA_CM_EVENT_REJECTED, error: ${reason}`, {
      field: 'reason',
      given: reasonName,
      allowed: 'acceptance',
    });
    this.name = 'ConnectionError';
    this.reason = reason;
    this.privateData = privateData;
  }
}
