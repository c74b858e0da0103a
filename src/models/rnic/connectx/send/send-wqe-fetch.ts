import type { Simulation } from '../../../../engine/index.js';
import type { UnitSendConstants } from '../../../../profiles/index.js';
import { NO_SLOT, type WqePool } from '../../../../verbs/base/index.js';
import type { PciePort } from '../../../pcie/pcie-port.js';
import { IndexQueue } from '../../../resource/index-queue.js';
import { Member } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import type { ReceiveJobs } from '../../receive/receive-jobs.js';
import type { SendQueues } from '../../rnic-client.js';
import type { RnicCounters } from '../../rnic-counters.js';
import type { BurstGrant } from './burst-grant.js';
import { entryOf } from './send-member.js';
import type { SendWqeCache } from './send-wqe-cache.js';

/** Who waits for WQEs. */
export interface FetchClient {
  /** A queue pair has WQEs to fetch or to send. */
  ready(pair: NicQueuePair, member: number): void;
  /** What the unit that serves this entry waited for is there. */
  resume(entry: number): void;
}

/** What the fetch of send WQEs is made of. */
export interface SendWqeFetchParts {
  name: string;
  simulation: Simulation;
  constants: UnitSendConstants;
  counters: RnicCounters;
  pcie: PciePort;
  /** By index. */
  pairs: readonly NicQueuePair[];
  wqes: WqePool;
  queues: Pick<SendQueues, 'firstUntaken' | 'wqesVisible'>;
  receiver: Pick<ReceiveJobs, 'addJob'>;
  cache: SendWqeCache;
  burst: BurstGrant;
}

/** How far the WQEs of one send queue are. */
export class FetchQueue {
  /** Doorbells that arrived and were not fetched, as counts of WQEs. */
  readonly doorbells = new IndexQueue();
  /** WQEs of the first of them that were fetched already. */
  fetchedOfDoorbell = 0;
  /** WQEs that DMA reads are bringing. */
  fetching = 0;
  /** When the last of those reads is done. */
  lastReadPs = 0;
  /** WQEs on chip that no packet was sent of. */
  unissued = 0;
  /** The WQE that came on chip last. */
  arrivedWqe = NO_SLOT;
}

/** The way of send WQEs onto the chip: doorbells, then DMA reads of one doorbell at a time with a little read-ahead. */
export class SendWqeFetch {
  private readonly simulation: Simulation;
  private readonly constants: UnitSendConstants;
  private readonly counters: RnicCounters;
  private readonly pcie: PciePort;
  private readonly wqes: WqePool;
  private readonly queues: Pick<SendQueues, 'firstUntaken' | 'wqesVisible'>;
  private readonly receiver: Pick<ReceiveJobs, 'addJob'>;
  private readonly cache: SendWqeCache;
  private readonly burst: BurstGrant;
  private readonly fetchedHandler: number;
  private readonly rereadHandler: number;
  /** By the index of the queue pair. */
  private readonly fetches: FetchQueue[] = [];
  private client!: FetchClient;
  private activeQueues = 0;
  private readAhead = 1;
  private readsAhead = true;
  /** Lines of the cache for each active queue. */
  private shareLines = 0;
  /** WQEs of all queues that DMA reads are bringing. */
  private fetching = 0;

  constructor(parts: SendWqeFetchParts) {
    const { simulation, name, pairs } = parts;
    this.simulation = simulation;
    this.constants = parts.constants;
    this.counters = parts.counters;
    this.pcie = parts.pcie;
    this.wqes = parts.wqes;
    this.queues = parts.queues;
    this.receiver = parts.receiver;
    this.cache = parts.cache;
    this.burst = parts.burst;
    this.fetchedHandler = simulation.register(`${name}/wqe`, (index, count, flags) => {
      this.fetched(pairs[index], count, (flags & 1) !== 0, flags >> 1);
    });
    this.rereadHandler = simulation.register(`${name}/reread`, (entry) => this.client.resume(entry));
    this.shareOut();
  }

  /** Joins it to who waits for its WQEs and is made after it. */
  join(client: FetchClient): void {
    this.client = client;
  }

  /** A queue pair was made. */
  add(): void {
    this.fetches.push(new FetchQueue());
  }

  /** How far the WQEs of a queue pair are. */
  of(pair: NicQueuePair): FetchQueue {
    return this.fetches[pair.index];
  }

  /** A doorbell with `count` WQEs is known to the device; a single one may have brought its WQE along. */
  doorbell(pair: NicQueuePair, count: number, pushed: boolean): void {
    const queue = this.fetches[pair.index];
    const now = this.simulation.now;
    if (!pair.account.hasPosted) {
      pair.account.begin(now);
      this.activeQueues++;
      this.shareOut();
    }
    pair.account.announce(count, now);
    this.burst.announce(pair, count);
    // A WQE that came along is taken while its queue has few on chip; else it is read like the others, in its turn.
    if (pushed && queue.doorbells.length === 0 && queue.unissued + queue.fetching < this.readAhead) {
      if (queue.fetching === 0) this.arrive(pair, queue, count);
      else this.arriveLater(pair, queue, count, Math.max(now, queue.lastReadPs), false);
      return;
    }
    queue.doorbells.push(count);
    if (this.readsAhead) this.fetch(pair, queue);
    else this.client.ready(pair, Member.REQUESTS);
  }

  /** The first packet of a WQE is out, or the device has executed it alone. */
  issued(pair: NicQueuePair, wqe: number, isRead: boolean): void {
    const queue = this.fetches[pair.index];
    if (queue.unissued > 0) queue.unissued--;
    this.burst.begin(pair);
    pair.account.served(this.simulation.now);
    if (isRead) {
      pair.context.entries = this.constants.readContextEntries;
      pair.send.reads.push(wqe);
    } else this.cache.free(wqe);
    if (this.readsAhead && queue.doorbells.length > 0) this.fetch(pair, queue);
  }

  /**
   * The WQE that a unit needs is gone: it is read again, which takes a turn of the receive path as well. The read brings
   * those that the rest of the visit, at most this many, can need; they go round the cache and are at hand for this visit.
   * Returns how many come besides the one.
   */
  reread(pair: NicQueuePair, most: number): number {
    this.counters.send_wqe_cache_miss++;
    const count = Math.max(1, Math.min(most, this.fetches[pair.index].unissued));
    const { wqeBytes, queuePath } = pair.send;
    const readPs = this.pcie.read(this.simulation.now, count * wqeBytes, queuePath);
    this.receiver.addJob(this.rereadHandler, entryOf(pair, Member.REQUESTS), readPs);
    return count - 1;
  }

  /**
   * A queue pair goes back to WQEs that were dropped when their packets left. They are read as any others are: in the order
   * of the ring, as many at a time as are read ahead, and without the receive path, which has a part in what was pushed out
   * too early alone. The unit waits for the first.
   */
  refetch(pair: NicQueuePair): void {
    const { endpoint, send } = pair;
    let count = 0;
    for (; count < this.readAhead; count++) {
      const wqe = endpoint.takenRequest(count);
      if (wqe === NO_SLOT) break;
      this.cache.put(wqe);
    }
    this.counters.send_wqe_cache_miss++;
    const done = this.pcie.read(this.simulation.now, count * send.wqeBytes, send.queuePath);
    this.simulation.at(done, this.rereadHandler, entryOf(pair, Member.REQUESTS));
  }

  /** The first packet of a WQE is out again. */
  repeated(pair: NicQueuePair, wqe: number, isRead: boolean): void {
    pair.account.repeated(this.simulation.now);
    if (!isRead) this.cache.free(wqe);
  }

  /** With too many active queues to read ahead, a unit fetches a few WQEs of the queue that it serves. */
  fetchOnDemand(pair: NicQueuePair): boolean {
    if (!this.wantsFetch(pair)) return false;
    this.read(pair, this.fetches[pair.index], this.constants.wqeOnDemandMax, true);
    return true;
  }

  /** Whether a unit that serves this queue has WQEs to fetch first: it has none that wait on chip, say for a READ to end. */
  wantsFetch(pair: NicQueuePair): boolean {
    if (this.readsAhead) return false;
    const { doorbells, fetching, unissued } = this.fetches[pair.index];
    return doorbells.length > 0 && fetching === 0 && unissued === 0;
  }

  /** Forgets what a queue pair had under way. */
  forget(pair: NicQueuePair): void {
    const queue = this.fetches[pair.index];
    const { next } = this.wqes;
    let wqe = this.queues.firstUntaken(pair);
    for (let index = 0; index < pair.send.untaken && wqe !== NO_SLOT; index++) {
      this.cache.free(wqe);
      wqe = next[wqe];
    }
    queue.doorbells.clear();
    queue.fetchedOfDoorbell = 0;
    queue.fetching = 0;
    queue.unissued = 0;
    this.burst.forget(pair);
    pair.send.abandon();
    pair.account.abandon(this.simulation.now);
  }

  /** The read-ahead of each queue: the cache is divided among those that are active, and past a number none reads ahead. */
  private shareOut(): void {
    const { sendWqeCacheLines, sendWqeCacheLineBytes, wqeReadAheadBytes, wqeReadAheadMax, wqeReadAheadQps } =
      this.constants;
    const lines = sendWqeCacheLines / Math.max(1, this.activeQueues);
    this.shareLines = Math.floor(lines);
    const share = (lines * sendWqeCacheLineBytes) / wqeReadAheadBytes;
    this.readAhead = Math.min(wqeReadAheadMax, Math.max(1, Math.floor(share)));
    this.readsAhead = this.activeQueues <= wqeReadAheadQps;
  }

  /**
   * Reads ahead. A queue has at most its share of the cache on chip, and of a full cache no more than the next WQE, so that
   * a thousand queues that begin together do not push out each other's. What the device does not know of is the room that
   * responders take there: traffic both ways can push out what was fetched, and traffic one way hardly.
   */
  private fetch(pair: NicQueuePair, queue: FetchQueue): void {
    const { wqeFetchMax, sendWqeCacheLines, sendWqeCacheLineBytes } = this.constants;
    const lines = Math.ceil(pair.send.wqeBytes / sendWqeCacheLineBytes);
    while (queue.doorbells.length > 0) {
      const onChip = queue.unissued + queue.fetching;
      if (onChip >= this.readAhead) return;
      const share = Math.floor(this.shareLines / lines) - onChip - pair.send.reads.length;
      const free = Math.floor((sendWqeCacheLines - this.cache.lines) / lines) - this.fetching;
      this.read(pair, queue, Math.min(wqeFetchMax, Math.max(1, Math.min(share, free))), false);
    }
  }

  private read(pair: NicQueuePair, queue: FetchQueue, most: number, onDemand: boolean): void {
    const { wqeBytes, queuePath } = pair.send;
    const count = Math.min(queue.doorbells.peek() - queue.fetchedOfDoorbell, most);
    queue.fetchedOfDoorbell += count;
    if (queue.fetchedOfDoorbell >= queue.doorbells.peek()) {
      queue.doorbells.shift();
      queue.fetchedOfDoorbell = 0;
    }
    const done = this.pcie.read(this.simulation.now, count * wqeBytes, queuePath);
    this.arriveLater(pair, queue, count, done, onDemand);
  }

  /** WQEs will be on chip then, behind those of their queue that are under way. */
  private arriveLater(
    pair: NicQueuePair,
    queue: FetchQueue,
    count: number,
    atPs: number,
    onDemand: boolean,
  ): void {
    queue.fetching += count;
    this.fetching += count;
    queue.lastReadPs = atPs;
    const flags = (onDemand ? 1 : 0) | (pair.send.era << 1);
    this.simulation.after(atPs - this.simulation.now, this.fetchedHandler, pair.index, count, flags);
  }

  private fetched(pair: NicQueuePair, count: number, onDemand: boolean, era: number): void {
    const queue = this.fetches[pair.index];
    this.fetching -= count;
    // What was fetched for a queue that has failed since is of no use; the unit that waits for it goes on.
    if (era === pair.send.era) {
      queue.fetching -= count;
      this.arrive(pair, queue, count);
    }
    if (onDemand) this.client.resume(entryOf(pair, Member.REQUESTS));
    else this.fetch(pair, queue);
  }

  /** WQEs are on chip: their lines fill the cache and the transport may take them. */
  private arrive(pair: NicQueuePair, queue: FetchQueue, count: number): void {
    const { next } = this.wqes;
    let wqe = this.queues.firstUntaken(pair);
    // Behind what is on chip and was not taken: of that the last is the one that came last.
    if (pair.send.untaken > 0 && wqe !== NO_SLOT) wqe = next[queue.arrivedWqe];
    for (let index = 0; index < count && wqe !== NO_SLOT; index++) {
      this.cache.put(wqe);
      queue.arrivedWqe = wqe;
      wqe = next[wqe];
    }
    queue.unissued += count;
    pair.send.untaken += count;
    this.queues.wqesVisible(pair);
  }
}
