import { NO_SLOT } from '../../../verbs/base/index.js';
import type { ReceiveRing } from './receive-ring.js';

/** The receiving side of a queue pair. */
export class ReceiveSide {
  /** Its receive queue, maybe shared. */
  ring: ReceiveRing | null = null;
  /** Packets that wait for a context, a translation or a receive WQE, oldest first. */
  parkHead = -1;
  parkTail = -1;
  /** Its packets reach the transport in order: the last one did then. */
  lastAcceptPs = 0;
  /** The request that the device dropped for want of a descriptor, or that is missing; -1 where none, or once it came. */
  lostPsn = -1;
  /** The request that is next in order; -1 where none came yet. */
  nextPsn = -1;
  /** Whether its transport refuses requests that come after a missing one. */
  refusesGaps = false;
  /** Bytes received of the response to an own READ. */
  readBytes = 0;
  /** Of these, bytes that were on their way to memory; and the READ whose response came to its end last. */
  scatteredBytes = 0;
  answeredWqe = NO_SLOT;
  /** Bytes of the request, and of the response, under way that went over a bus which keeps their order. */
  requestBytes = 0;
  responseBytes = 0;
  /** Whether it was read from, or written or sent to with acknowledgements: its responder state is on chip since. */
  servesReads = false;
  owesAcks = false;
  /** An acknowledgement waits to be sent. */
  ackPending = false;
  /** Payload bytes that were placed in memory for it. */
  placedBytes = 0;
}
