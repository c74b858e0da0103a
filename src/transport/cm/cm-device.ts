import type { SidrRep, SidrReq } from '../../wire/cm/index.js';
import type { Gid } from '../../wire/ib/gid.js';
import type { CmConnection } from './connection.js';
import type { CmEvent } from './event.js';
import type { DatagramQueuePair } from './service-desk.js';

/** The queue pair of the general services interface (IBTA vol. 1, 3.9.4). */
export const GSI_QPN = 1;
/** The queue key that everybody uses on it (13.4.4). */
export const GSI_QKEY = 0x8001_0000;

/** What an agent asks of its device. */
export interface CmDevice {
  /** Sends a management datagram of 256 bytes from QP 1 to QP 1 of this address. */
  sendMad(datagram: Uint8Array, to: Gid): void;
  /** Something happened to a connection. */
  cmEvent(connection: CmConnection, event: CmEvent): void;
  /** `sendMad` or `cmEvent` threw: the agent and its other connections go on. */
  cmFault(error: unknown): void;
  /** `nextDeadlineNs` has changed. */
  deadlineMoved(): void;
  /** Somebody asks for the queue pair of datagrams behind a service; null where there is none. */
  sidrRequest(req: SidrReq, source: Gid): DatagramQueuePair | null;
  /** An answer to what we asked came, or says to be one. */
  sidrReply(rep: SidrRep, source: Gid): void;
  /** Datagrams that arrived and wait until they are served. */
  readonly backlog: number;
  /** 32 bits that nobody can guess: communication ids are drawn with it. */
  random32(): number;
}
