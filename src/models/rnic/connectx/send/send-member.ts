import { Member } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';

/** What the scheduler serves: the requests of a queue pair, or its READ responses. */
export class SendMember {
  readonly pair: NicQueuePair;
  /** Its number in the rings of the scheduler: members of one queue pair follow one another. */
  readonly entry: number;
  readonly isRequests: boolean;
  /** Whether it stands in a ring or a unit serves it. */
  scheduled = false;
  /** Packets and bytes left of this visit. */
  visitPackets = Number.MAX_SAFE_INTEGER;
  visitBytes = Number.MAX_SAFE_INTEGER;
  /** Where tenants are told apart: when the unit that serves it came, and what the visit has cost since. */
  visitSincePs = 0;
  visitCostPs = 0;
  /** Turns that the device had given when it had its last one, or when it came anew. */
  lastTurn = 0;
  /** Payload bytes of the transmit slot that was taken before there was a packet, its lane, and whether one is awaited. */
  slotBytes = 0;
  slotLane = 0;
  waitsForSlot = false;
  /** Requests: the WQE whose translation and line were checked, so that a resumed unit does not check again. */
  checkedWqe = -1;
  /** Requests: WQEs that a re-read brought besides the one that was missed; they last for the visit. */
  rereadWqes = 0;
  /** Responses: bytes sent of the READ response under way. */
  responseBytes = 0;

  /** `member`: one of {@link Member}. */
  constructor(pair: NicQueuePair, member: number) {
    this.pair = pair;
    this.entry = entryOf(pair, member);
    this.isRequests = member === Member.REQUESTS;
  }
}

/** The number of a queue pair's member. */
export function entryOf(pair: NicQueuePair, member: number): number {
  return 2 * pair.index + member;
}
