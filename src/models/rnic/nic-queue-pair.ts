import type { Endpoint } from '../../transport/index.js';
import type { DmaPath } from '../pcie/dma-path.js';
import { IndexQueue } from '../resource/index-queue.js';
import type { ReceiveRing } from './receive/receive-ring.js';
import type { FunctionLimiter } from './tenants/function-limiter.js';

/** What is in a ring of the send scheduler: the requests of a queue pair, or its READ responses. */
export const Member = { REQUESTS: 0, RESPONSES: 1 } as const;

/** What the device keeps of one queue pair besides its transport state. */
export class NicQueuePair {
  readonly index: number;
  readonly endpoint: Endpoint;
  /** Node at the other end of a connection; datagrams name theirs one by one. */
  peerNode = -1;
  priority = 0;
  /** First key in the context cache; a queue pair that issues READs has more, which its accesses take in turn. */
  readonly firstContextKey: number;
  contextEntries = 1;
  /** The key of a list of elements that is too long for the context. */
  readonly elementsKey: number;
  private contextTurn = 0;
  /** The way to the buffers of the request being sent, and to the memory that the peer reads or writes. */
  path: DmaPath;
  inboundPath: DmaPath;
  receives: ReceiveRing | null = null;
  /** The way to its send queue. */
  sendQueuePath: DmaPath;

  /** Doorbells that arrived and were not fetched, as counts of WQEs. */
  readonly doorbells = new IndexQueue(8);
  /** WQEs of the first of them that were fetched already. */
  fetchedOfDoorbell = 0;
  /** WQEs that DMA reads are bringing. */
  fetching = 0;
  /** WQEs on chip that no packet was sent of. */
  unissued = 0;
  /** WQEs fetched that the transport has not taken. */
  untaken = 0;
  /** The next WQE is done by the device alone (WAIT, ENABLE, …): it takes a turn of a unit and sends nothing. */
  localDue = false;
  /** That WQE had its turn and must wait: for completions, for an ENABLE, for READs before it. */
  localBlocked = false;
  /** Bytes of a WQE as it lies in the send queue, and whether its payload comes inside the doorbell. */
  wqeBytes = 64;
  hasPosted = false;
  /** Counts its failures and resets, modulo 2^24: doorbells and fetches of an earlier era mean nothing any more. */
  era = 0;

  /** WQEs that a doorbell announced and no packet was sent of; while there are none the queue is idle. */
  pending = 0;
  idleSincePs = 0;
  private idlePs = 0;
  /** Waits for receives of the peer before that: those that come while it is idle count once. */
  private waitedWhenIdlePs = 0;
  /** Payload bytes that were placed in memory for it. */
  placedBytes = 0;

  /** By member: whether it stands in the ring or a unit serves it; packets left of this visit; bytes likewise. */
  readonly scheduled = new Uint8Array(2);
  readonly visitPackets = new Float64Array(2);
  readonly visitBytes = new Float64Array(2);
  /** By member, where tenants are told apart: when the unit that serves it came, and what the visit has cost since. */
  readonly visitSincePs = new Float64Array(2);
  readonly visitCostPs = new Float64Array(2);
  /** Earliest time of its next packet, and of its next message. */
  nextPacketPs = 0;
  nextMessagePs = 0;
  /** Packets in the transmit buffer. */
  transmitting = 0;
  /** By member: turns that the device had given when it had its last one, or when it came anew. */
  readonly lastTurn = new Float64Array(2);
  /** Its packets leave in order: the last one is ready then. */
  lastReadyPs = 0;
  /** The WQE whose translation and line were checked, so that a resumed unit does not check again. */
  checkedWqe = -1;
  /** WQEs that a re-read brought besides the one that was missed; they last for the visit. */
  rereadWqes = 0;
  /**
   * By member: payload bytes of the transmit slot that was taken before there was a packet, and whether it waits for one.
   */
  readonly slotBytes = new Float64Array(2);
  /** The lane whose room the slot is in. */
  readonly slotLane = new Uint8Array(2);
  readonly waitsForSlot = new Uint8Array(2);
  /** Sizes of the doorbells whose WQEs were not all begun, oldest first; of the oldest, its size and what is left of it. */
  readonly batches = new IndexQueue(8);
  batchWqes = 0;
  batchLeft = 0;
  /** READs in flight, oldest first: their WQEs are needed when the response comes. */
  readonly reads = new IndexQueue(8);
  /** Whether it was read from, or written or sent to with acknowledgements: its responder state is on chip since. */
  servesReads = false;
  owesAcks = false;
  /** Bytes sent of the READ response under way, and received of the one that answers an own READ. */
  responseBytes = 0;
  readBytes = 0;

  /** The request that the device dropped for want of a descriptor and that was not sent again yet; -1 where none. */
  lostPsn = -1;

  /** Packets that wait for a context, a translation or a receive WQE, oldest first. */
  parkHead = -1;
  parkTail = -1;
  /** Its packets reach the transport in order: the last one did then. */
  lastAcceptPs = 0;
  ackPending = false;
  /** The function (0: the physical one) that it belongs to, and whose error handling concerns it. */
  functionNumber = 0;
  /** Whose it is, on a device that accounts by tenant; 0 elsewhere. */
  tenant = 0;
  /** The rate limit of the function that it belongs to; null where that has none. */
  limiter: FunctionLimiter | null = null;
  /** Its packets are served by one of the shared processors. */
  processor = 0;

  /** `contextKey`: the first of `contextKeys` keys; the last of them is that of a long list of elements. */
  constructor(index: number, endpoint: Endpoint, contextKey: number, contextKeys: number, path: DmaPath) {
    this.index = index;
    this.endpoint = endpoint;
    this.firstContextKey = contextKey;
    this.elementsKey = contextKey + contextKeys - 1;
    this.path = path;
    this.inboundPath = path;
    this.sendQueuePath = path;
  }

  /** The context entry that the next access touches. */
  get contextKey(): number {
    if (this.contextEntries === 1) return this.firstContextKey;
    this.contextTurn = (this.contextTurn + 1) % this.contextEntries;
    return this.firstContextKey + this.contextTurn;
  }

  /** Time up to now in which it had nothing to send, or no receive to send it to. */
  idleUntilPs(nowPs: number): number {
    const waitedPs = this.endpoint.rnrWaitedPs(nowPs);
    const open = this.pending === 0 ? nowPs - this.idleSincePs - (waitedPs - this.waitedWhenIdlePs) : 0;
    return this.idlePs + open + waitedPs;
  }

  /** More WQEs are announced. */
  announce(count: number, nowPs: number): void {
    if (this.pending === 0) this.idlePs = this.idleUntilPs(nowPs) - this.endpoint.rnrWaitedPs(nowPs);
    this.pending += count;
  }

  /** Its send queue failed or was reset: nothing that was announced will be sent. */
  abandon(nowPs: number): void {
    this.era = (this.era + 1) & 0xffffff;
    if (this.pending > 0) this.beginIdle(nowPs);
    this.pending = 0;
    this.fetchedOfDoorbell = 0;
    this.fetching = 0;
    this.unissued = 0;
    this.untaken = 0;
    this.lostPsn = -1;
    this.localDue = false;
    this.localBlocked = false;
  }

  /** A message is sent again: the time up to now went into the recovery of a loss, and the queue was not idle. */
  repeated(nowPs: number): void {
    if (this.pending === 0) this.beginIdle(nowPs);
  }

  /** One WQE less is waiting to be sent. */
  served(nowPs: number): void {
    if (this.pending === 0) return;
    this.pending--;
    if (this.pending === 0) this.beginIdle(nowPs);
  }

  private beginIdle(nowPs: number): void {
    this.idleSincePs = nowPs;
    this.waitedWhenIdlePs = this.endpoint.rnrWaitedPs(nowPs);
  }
}
