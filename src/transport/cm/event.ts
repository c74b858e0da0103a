import type { RdmaCmHeader, Rep, Req } from '../../wire/cm/index.js';
import type { CmConnection } from './connection.js';
import type { CmLimits } from './limits.js';

/** What communication management tells its consumer about a connection. */
export type CmEvent =
  /** Passive: somebody asks. Answer with `reply`, `reject` or, to gain time, `delay`. */
  | { kind: 'request'; req: Req; header: RdmaCmHeader | null; privateData: Uint8Array }
  /** Active: the other side accepts. Bring the queue pair up, then `ready`. */
  | { kind: 'reply'; rep: Rep }
  /** Passive: the third message came, or traffic that proves it. */
  | { kind: 'established' }
  /** The other side says no, or gave up. */
  | { kind: 'rejected'; reason: number; privateData: Uint8Array }
  /** Nobody answered in all retries. */
  | { kind: 'unreachable' }
  /** The connection has ended; its queue pair must carry nothing more. */
  | { kind: 'disconnected' }
  /** Nothing of the connection is left: its queue pair number may serve another one. */
  | { kind: 'closed' };

/** What a connection needs of the agent that it belongs to. */
export interface CmHost {
  /** A transaction id that was not used lately. */
  nextTransaction(): bigint;
  /** Hands a whole management datagram of 256 bytes to QP 1. */
  send(connection: CmConnection, datagram: Uint8Array): void;
  arm(connection: CmConnection, atNs: number): void;
  disarm(connection: CmConnection): void;
  event(connection: CmConnection, event: CmEvent): void;
  /** The state moved from `before` to what it is now. */
  moved(connection: CmConnection, before: CmState): void;
  /** A message was held back: the peer's address is unproven and was sent as much as it may get. */
  withheld(): void;
  /** Passive: the address answered, so the request may be heard. */
  proven(connection: CmConnection, nowNs: number): void;
  readonly limits: CmLimits;
}

/**
 * How a connection stands, by the names of IBTA vol. 1, 12.9.7; CLOSED is the specification's Idle at the end.
 * CHALLENGED is ours: a request that waits until its address has answered.
 */
export type CmState =
  | 'CHALLENGED'
  | 'REQ_SENT'
  | 'REP_WAIT'
  | 'REP_RCVD'
  | 'REQ_RCVD'
  | 'MRA_SENT'
  | 'REP_SENT'
  | 'MRA_REP_RCVD'
  | 'ESTABLISHED'
  | 'DREQ_SENT'
  | 'TIMEWAIT'
  | 'CLOSED';

/** The states in which a passive connection is asked for but not established. */
export const HALF_OPEN_STATES: ReadonlySet<CmState> = new Set([
  'REQ_RCVD',
  'MRA_SENT',
  'REP_SENT',
  'MRA_REP_RCVD',
]);
