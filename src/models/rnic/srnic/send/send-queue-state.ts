import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';

/** What the context of a queue pair knows of its send queue: pointers and the turn, and no WQE. */
export class SendQueueState {
  readonly pair: NicQueuePair;
  /** WQEs between the read and the write pointer: doorbells told of them and the transport has not taken them. */
  pending = 0;
  /** The first of them was looked at and must wait, for READs before it or for an ENABLE: the transport will say when. */
  blocked = false;
  /** It waits for the rate limit of its function. */
  parked = false;
  /** WQEs that the fetch of this turn brought besides one that was begun before. */
  visible = 0;
  /** Messages that the WQEs at hand still allow in this turn. */
  wqesLeft = 0;
  /** Payload bytes that were sent in this turn. */
  sentBytes = 0;
  /** The WQE whose translations were looked up in this turn. */
  translatedWqe = -1;
  /** Bytes sent of the READ response under way. */
  responseBytes = 0;

  constructor(pair: NicQueuePair) {
    this.pair = pair;
  }

  /** Its queue failed or was reset. */
  forget(): void {
    this.pending = 0;
    this.visible = 0;
    this.wqesLeft = 0;
    this.blocked = false;
  }
}
