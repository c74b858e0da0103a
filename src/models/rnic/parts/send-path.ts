import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';

/** What is scheduled of a queue pair: its requests, or its READ responses. */
export const Member = { REQUESTS: 0, RESPONSES: 1 } as const;

/** Where doorbells reach the device. */
export interface DoorbellPage {
  /** When the device takes a doorbell that is written at `atPs`: later where too many wait. */
  acceptPs(pair: NicQueuePair, atPs: number): number;
  /** A doorbell for `count` WQEs reaches the device at `atPs`; `pushed`: with its WQE. */
  ring(pair: NicQueuePair, count: number, pushed: boolean, atPs: number): void;
  /** A doorbell that nobody rang and that costs nothing: how queues are filled before a program begins. */
  ringFree(pair: NicQueuePair, count: number, pushed: boolean, elements: number): void;
}

/** The order in which queue pairs send. */
export interface SendScheduling {
  /** A {@link Member} of a queue pair has something to send. May be called from inside its endpoint. */
  ready(pair: NicQueuePair, member: number): void;
  /** A packet has left the device; `lane` is where its room was. */
  sent(pair: NicQueuePair, wireBytes: number, lane: number): void;
  /** Stops all sending of a tenant until then. */
  hold(untilPs: number, tenant: number): void;
  /** An entry that a function's rate limit held back may go on. */
  release(entry: number): void;
}

/** What others ask about send WQEs and the memory that they share. */
export interface RequestWqes {
  /** Whether a request's payload comes with its WQE: it was posted inline. */
  hasPayload(wqe: number): boolean;
  /** The oldest READ of a queue pair was answered; false where its WQE, with the scatter list, must be read again. */
  readAnswered(pair: NicQueuePair): boolean;
  /** Whether the WQE of a READ is read again as its response comes, also while another of its queue pair waits before it. */
  readonly rereadsBehind: boolean;
  /** A queue pair is read from: it has responder state. */
  serveReads(pair: NicQueuePair): void;
  /** A queue pair owes acknowledgements. */
  oweAcks(pair: NicQueuePair): void;
}

/** The send side of a device: doorbells, WQE fetches and the scheduler. */
export interface SendPath {
  readonly doorbells: DoorbellPage;
  readonly scheduler: SendScheduling;
  readonly requests: RequestWqes;
  /** A queue pair was made; its index is the number of those before it. */
  add(pair: NicQueuePair): void;
  /** A queue pair failed, was reset or is gone: nothing that it had under way is sent. */
  forget(pair: NicQueuePair): void;
}
