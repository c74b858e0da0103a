import type { QueuePair } from './queue-pair.js';

/** Choices about one side of a connection; everything has a default. */
export interface ConnectionOptions {
  /** Bytes for the other program: up to 56 with a request, 196 with an acceptance. */
  privateData?: Uint8Array;
  /** READs and atomics that this side serves at a time; 1 where left out. */
  responderResources?: number;
  /** READs and atomics that this side keeps in flight; 1 where left out. */
  initiatorDepth?: number;
  retryCount?: number;
  rnrRetryCount?: number;
  /** What the peer may do to the queue pair; all where left out. */
  qpAccessFlags?: number;
}

/** Somebody to connect to. */
export interface ConnectionTarget extends ConnectionOptions {
  /** An IP address in text. */
  address: string;
  /** A port of RDMA-CM's own, TCP-like space. */
  port: number;
}

/** A connection that RDMA-CM made. Its queue pair is in RTS. */
export interface Connection {
  readonly qp: QueuePair;
  /** What the other side sent with its request or acceptance, with the zeros that fill the field. */
  readonly privateData: Uint8Array;
  /** Done when the other side has confirmed; already done on the side that asked. */
  readonly established: Promise<void>;
  /** Done when the connection has ended, whoever ended it; the queue pair is then in ERR. */
  readonly disconnected: Promise<void>;
  /** Ends it. */
  disconnect(): Promise<void>;
}

/** Somebody asks for a connection. */
export interface ConnectionRequest {
  /** Who asks, in text. */
  readonly address: string;
  readonly privateData: Uint8Array;
  /** Brings the queue pair, which is in RESET, up to RTS and accepts. */
  accept(qp: QueuePair, options?: ConnectionOptions): Connection;
  /** Says no. */
  reject(privateData?: Uint8Array): void;
}

/** Makes and ends connections between queue pairs by IP address and port, in librdmacm's sense. */
export interface ConnectionManager {
  /**
   * Hands requests for a port to `onRequest`; the returned function ends that. What `onRequest` throws rejects the
   * request and reaches the program as the async event `CM_FAULT`: no stranger can end a process through it.
   */
  listen(port: number, onRequest: (request: ConnectionRequest) => void): () => void;
  /** Asks for a connection of a queue pair that is in RESET. */
  connect(qp: QueuePair, target: ConnectionTarget): Promise<Connection>;
  /** Ends everything without a word. */
  close(): void;
}
