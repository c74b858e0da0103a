import type { Endpoint } from '../endpoint.js';

/** One half of a queue pair whose bookkeeping of losses host software does (SRNIC §4.4.2). */
export interface SlowPathClient {
  readonly endpoint: Endpoint;
  /** Software handles an event. */
  onEvent(psn: number, expectedPsn: number, nowPs: number): void;
  /** The NIC takes a command of software: a new expected PSN at a responder, packets to send again at a requester. */
  onCommand(psn: number, count: number, nowPs: number): void;
}

/**
 * The way between a NIC and the software that recovers its losses. A device decides what it costs: it calls the client
 * back with the same numbers, each direction in order, then or at once.
 */
export interface SlowPath {
  /** Whether an event can be told; where not, the NIC drops the packet that it would be about. */
  hasRoom(): boolean;
  /** The NIC tells software of a packet out of order. */
  event(client: SlowPathClient, psn: number, expectedPsn: number, nowPs: number): void;
  /** Software tells the NIC. */
  command(client: SlowPathClient, psn: number, count: number, nowPs: number): void;
}

/** Software that takes no time. */
export const directSlowPath: SlowPath = {
  hasRoom: () => true,
  event: (client, psn, expectedPsn, nowPs) => client.onEvent(psn, expectedPsn, nowPs),
  command: (client, psn, count, nowPs) => client.onCommand(psn, count, nowPs),
};
