import type { DmaPath } from '../../pcie/dma-path.js';
import { IndexQueue } from '../../resource/index-queue.js';

/** The sending side of a queue pair: what its send queue, the transport and the port know of each other. */
export class SendSide {
  /** The way to its send queue. */
  queuePath: DmaPath;
  /** Bytes of a WQE as it lies there. */
  wqeBytes = 64;
  /** Counts its failures and resets, modulo 2^24: doorbells and fetches of an earlier era mean nothing any more. */
  era = 0;
  /** WQEs on chip that the transport has not taken. */
  untaken = 0;
  /** The next WQE is done by the device alone (WAIT, ENABLE, …): it takes a turn and sends nothing. */
  localDue = false;
  /** That WQE had its turn and must wait: for completions, for an ENABLE, for READs before it. */
  localBlocked = false;
  /** READs in flight, oldest first: their WQEs are needed when the response comes. */
  readonly reads = new IndexQueue();
  /** Packets in the transmit buffer. */
  transmitting = 0;
  /** Earliest time of its next packet, and of its next message. */
  nextPacketPs = 0;
  nextMessagePs = 0;
  /** Its packets leave in order: the last one is ready then. */
  lastReadyPs = 0;

  constructor(queuePath: DmaPath) {
    this.queuePath = queuePath;
  }

  /** Its send queue failed or was reset: nothing that was fetched will be sent. */
  abandon(): void {
    this.era = (this.era + 1) & 0xffffff;
    this.untaken = 0;
    this.localDue = false;
    this.localBlocked = false;
  }
}
