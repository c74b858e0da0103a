import type { Endpoint } from '../../../transport/index.js';
import type { BaseQueuePair } from '../../../verbs/base/index.js';
import type { Route } from '../packets/route.js';

/** What the device keeps of one queue pair. */
export class QueuePairRecord {
  readonly qp: BaseQueuePair;
  endpoint: Endpoint;
  /** Its packets have the extension of selective repeat. */
  placed: boolean;
  /** The way to the peer of a connected queue pair; null before RTR, and for datagrams. */
  route: Route | null = null;
  /** The text that `route` was made from. */
  routeKey = '';
  /** Whether it waits for its turn to send. */
  queued = false;
  /** Whether it has requests that the window of the device holds back. */
  held = false;
  /** Told when the peer has proven its address; until then no request is sent to it. Null once it has. */
  onProof: (() => void) | null = null;
  /** RC: packets without an answer, as last counted. */
  inFlightPackets = 0;
  /** Destroyed: nothing is sent or received any more. */
  gone = false;

  constructor(qp: BaseQueuePair, endpoint: Endpoint, placed: boolean) {
    this.qp = qp;
    this.endpoint = endpoint;
    this.placed = placed;
  }
}
