import type { QueuePair } from './queue-pair.js';

/** Choices about one side of a connection: librdmacm's `rdma_conn_param`. Everything has a default. */
export interface ConnectionOptions {
  /** Bytes for the other program: up to 56 with a request, 196 with an acceptance. */
  privateData?: Uint8Array;
  /** READs and atomics that this side serves at a time; default 1. */
  responderResources?: number;
  /** READs and atomics that this side keeps in flight; default 1. */
  initiatorDepth?: number;
  /** How often both sides try again after a timeout, 0 to 7; default 7. The side that asks decides. */
  retryCount?: number;
  /** How often the *other* side tries again after an RNR NAK, 0 to 7, where 7 is forever; default 7. */
  rnrRetryCount?: number;
  /** What the peer may do to the queue pair; default all. Not looked at where the program moved it to INIT itself. */
  qpAccessFlags?: number;
  /**
   * Destroys the queue pair once its connection has ended or has come to nothing, which it also has where it cannot begin;
   * default false, the program does it.
   * A server needs it one way or the other: requests that strangers never finish would use up its queue pairs.
   */
  destroyQp?: boolean;
}

/** Somebody to connect to. */
export interface ConnectionTarget extends ConnectionOptions {
  /** An IP address in text, or a GID as `queryGid` gives it. */
  address: string;
  /** A port of RDMA-CM's own, TCP-like space: 1 to 65535. */
  port: number;
  /**
   * How long this side waits for an acknowledgement before it sends again: 4.096 us times two to this power, 0 to 31,
   * where 0 is forever; default 14, 67 ms. A higher one bears with a peer that is busy, and notices losses later.
   */
  ackTimeout?: number;
}

/** A connection that RDMA-CM makes, or made. */
export interface Connection {
  readonly qp: QueuePair;
  /** The other side's IP address, in text. */
  readonly address: string;
  /** The port that was asked for, on whichever side. */
  readonly port: number;
  /** What the other side sent with its request or acceptance, with the zeros that fill the field. */
  readonly privateData: Uint8Array;
  /** READs and atomics that this side serves at a time, as both sides agreed. */
  readonly responderResources: number;
  /** READs and atomics that this side keeps in flight, as both sides agreed. */
  readonly initiatorDepth: number;
  /** Done when both sides know of it; already done on the side that asked. Fails as `connect` does. */
  readonly established: Promise<void>;
  /** Done when the connection has ended, whoever ended it, or came to nothing; the queue pair is then in ERR. */
  readonly disconnected: Promise<void>;
  /** Ends it, and waits until the other side knows or all retries are used up. */
  disconnect(): Promise<void>;
}

/** Somebody asks for a connection. It waits for an answer for a limited time. */
export interface ConnectionRequest {
  /** Who asks: an IP address in text. */
  readonly address: string;
  /** The port that was asked for. */
  readonly port: number;
  /** What the queue pair must be. */
  readonly qpType: 'RC' | 'UC';
  /** What the other side sent, with the zeros that fill the field. */
  readonly privateData: Uint8Array;
  /** READs and atomics that the other side would serve at a time. */
  readonly responderResources: number;
  /** READs and atomics that the other side would keep in flight. */
  readonly initiatorDepth: number;
  /**
   * Brings a queue pair up to RTS and accepts. The queue pair is in RESET, or in INIT with receives posted: the other
   * side may send as soon as it hears of the acceptance. Refused with CM_WRONG_STATE once answered or forgotten.
   */
  accept(qp: QueuePair, options?: ConnectionOptions): Connection;
  /** Says no, with up to 148 bytes for the other program. */
  reject(privateData?: Uint8Array): void;
}

/** Somebody asks for the queue pair of datagrams behind a port. It may ask more than once: datagrams get lost. */
export interface DatagramRequest {
  /** Who asks: an IP address in text. */
  readonly address: string;
  readonly port: number;
  /** The way back: the GID for an address handle, and the row of this side's GID table that reaches it. */
  readonly gid: string;
  readonly sgidIndex: number;
  /** What the other side sent, with the zeros that fill the field. */
  readonly privateData: Uint8Array;
}

/** Where datagrams for a port go. */
export interface DatagramService {
  /** The GID for an address handle. */
  readonly gid: string;
  readonly qpNum: number;
  readonly qkey: number;
  /** The row of this side's GID table that reaches it. */
  readonly sgidIndex: number;
  readonly privateData: Uint8Array;
}

/** A program's part of a listener; it may be async. */
export type RequestHandler = (request: ConnectionRequest) => unknown;

/** A port that requests are taken for. */
export interface Listener {
  readonly port: number;
  /** Takes no more requests; those that came and connections that were made stay. */
  close(): void;
}

/** What happened, by librdmacm's names (`rdma_cm_event_type`, without its prefix). */
export type ConnectionEvent =
  /** Somebody asks for a connection at a listener without a handler. */
  | { type: 'CONNECT_REQUEST'; listener: Listener; request: ConnectionRequest }
  /** A connection could not be made here: a handler threw, or the queue pair could not be brought up. */
  | { type: 'CONNECT_ERROR'; port: number; error: unknown }
  /** Both sides know that the connection stands. */
  | { type: 'ESTABLISHED'; connection: Connection }
  /** The other side said no; `status` is the reason (`REJECT_REASON`). */
  | { type: 'REJECTED'; connection: Connection; status: number; privateData: Uint8Array }
  /** Nobody answered in all retries. */
  | { type: 'UNREACHABLE'; connection: Connection }
  /** The connection has ended, whoever ended it. */
  | { type: 'DISCONNECTED'; connection: Connection }
  /** Nothing of the connection can still be under way: its queue pair may be used again. */
  | { type: 'TIMEWAIT_EXIT'; connection: Connection };

/** The name of a connection event. */
export type ConnectionEventType = ConnectionEvent['type'];

/** Choices about a connection manager. */
export interface ConnectionManagerOptions {
  /** Code 0-31 of the time until a message is sent again, 4.096 us x 2^code; default 17 (0.54 s). */
  responseTimeout?: number;
  /** How often a message is sent again, 0 to 15; default 15. */
  maxCmRetries?: number;
  /** For a layer between programs and devices: whether a queue pair is of its own. */
  owns?(qp: QueuePair): boolean;
}

/**
 * Makes and ends connections between queue pairs by IP address and port: RDMA-CM, as librdmacm offers it. Everything
 * that happens comes as an event too; a manager keeps the last 4096 that nobody has taken.
 *
 * @example
 * const manager = context.createConnectionManager();
 * manager.listen(7174, (request) => request.accept(makeQueuePair(), { destroyQp: true }));
 * const connection = await manager.connect(queuePair, { address: '10.0.0.2', port: 7174 });
 */
export interface ConnectionManager {
  /**
   * Takes requests for a port from now on; port 0 stands for any that is free. They go to `onRequest`, which may answer
   * at once or later, or else come as CONNECT_REQUEST events. What the handler throws rejects the request and reaches
   * the program as a CONNECT_ERROR event, and as the async event CM_FAULT: no stranger can end a process through it.
   * Refused with CM_SERVICE_TAKEN where somebody listens already.
   */
  listen(port: number, onRequest?: RequestHandler): Listener;
  /**
   * Asks for a connection of a queue pair that is in RESET, or in INIT with receives posted, and brings it up to RTS.
   * Fails with CM_REJECTED (a `ConnectionError`, which has the reason) or CM_UNREACHABLE.
   */
  connect(qp: QueuePair, target: ConnectionTarget): Promise<Connection>;
  /**
   * Names a queue pair of datagrams to whoever asks at a port of RDMA-CM's UDP-like space (SIDR); the handler gives the
   * queue pair, or null for none, each time that somebody asks. Refused with CM_SERVICE_TAKEN as `listen` is.
   */
  listenDatagrams(port: number, onRequest: (request: DatagramRequest) => QueuePair | null): Listener;
  /**
   * Asks for the queue pair of datagrams behind a port. Fails with CM_REJECTED where there is none, or CM_UNREACHABLE.
   */
  resolveDatagrams(
    target: Pick<ConnectionTarget, 'address' | 'port' | 'privateData'>,
  ): Promise<DatagramService>;
  /** The next event. Waits for as long as it takes, or until `signal`. */
  getCmEvent(signal?: AbortSignal): Promise<ConnectionEvent>;
  /** An event that is there already, or null. */
  tryGetCmEvent(): ConnectionEvent | null;
  /** Ends listeners, requests and connections without a word; queue pairs stay as they are. */
  close(): void;
}
