import { gathers, NO_SLOT, WqeFlag } from '../../../verbs/base/index.js';
import { LineCache } from '../../cache/line-cache.js';
import { Member, type NicQueuePair } from '../nic-queue-pair.js';
import type { Rnic } from '../rnic.js';

/** A WQE has at most so many cache lines: 64 B each, 16 scatter-gather elements. */
const LINES_PER_WQE = 8;

/**
 * The way of send WQEs onto the chip: doorbells, DMA reads a doorbell at a time with a little read-ahead, and the
 * cache that holds fetched WQEs until their first packet (a READ's until its last response, whose scatter list it is).
 * What the device must remember as a responder is kept in the same memory: that is why traffic both ways has less room
 * for WQEs than one way (Collie #4, #10).
 */
export class SendWqes {
  private readonly nic: Rnic;
  private readonly cache: LineCache | null;
  private readonly fetchedHandler: number;
  private readonly rereadHandler: number;
  private activeQps = 0;
  private responderLines = 0;
  private readAhead = 1;

  constructor(nic: Rnic) {
    this.nic = nic;
    this.cache = nic.ablated.has('send-wqe-cache') ? null : new LineCache(nic.constants.sendWqeCacheLines);
    this.fetchedHandler = nic.simulation.register(`${nic.name}/wqe`, (qp, count, flags) => {
      this.fetched(nic.queuePairs[qp], count, (flags & 1) !== 0, flags >> 1);
    });
    this.rereadHandler = nic.simulation.register(`${nic.name}/reread`, (qp, member) => {
      nic.scheduler.resume(nic.queuePairs[qp], member);
    });
    this.reckon();
  }

  /** A doorbell with `count` WQEs is known to the device; a single one may have brought its WQE along. */
  doorbell(qp: NicQueuePair, count: number, pushed: boolean): void {
    const now = this.nic.simulation.now;
    if (!qp.hasPosted) {
      qp.hasPosted = true;
      qp.idleSincePs = now;
      this.activeQps++;
      this.reckon();
    }
    qp.announce(count, now);
    this.nic.scheduler.burst.announce(qp, count);
    if (pushed && qp.doorbells.length === 0 && qp.fetching === 0) {
      this.arrive(qp, count);
      return;
    }
    qp.doorbells.push(count);
    if (this.readsAhead) this.fetch(qp);
    else this.nic.scheduler.ready(qp, Member.REQUESTS);
  }

  /** Whether a WQE is on chip when its first packet is due. */
  isOnChip(wqe: number): boolean {
    return this.cache === null || this.cache.has(wqe * LINES_PER_WQE);
  }

  /** Whether the payload came with the WQE: inline, or short enough that drivers put it there. */
  hasPayload(wqe: number): boolean {
    const { wqes, constants } = this.nic;
    if ((wqes.flags[wqe] & WqeFlag.INLINE) !== 0) return true;
    return gathers(wqes.opcode[wqe]) && wqes.length[wqe] <= constants.doorbellInlineBytes;
  }

  /** The first packet of a WQE is out. */
  issued(qp: NicQueuePair, wqe: number, isRead: boolean): void {
    if (qp.unissued > 0) qp.unissued--;
    this.nic.scheduler.burst.begin(qp);
    qp.served(this.nic.simulation.now);
    if (isRead) {
      qp.contextEntries = this.nic.constants.readContextEntries;
      qp.reads.push(wqe);
    } else this.free(wqe);
    if (this.readsAhead && qp.doorbells.length > 0) this.fetch(qp);
  }

  /** A queue pair begins to be read from: its responder state takes lines from the cache. */
  serveReads(qp: NicQueuePair): void {
    if (qp.servesReads) return;
    qp.servesReads = true;
    this.reserve(this.nic.constants.readReserveLines);
  }

  /** A queue pair begins to owe acknowledgements: what it owes is kept beside the WQEs. */
  oweAcks(qp: NicQueuePair): void {
    if (qp.owesAcks || qp.endpoint.type !== 'RC') return;
    qp.owesAcks = true;
    this.reserve(this.nic.constants.ackReserveLines);
  }

  /** The queue pair answers nobody any more. */
  private release(qp: NicQueuePair): void {
    const { readReserveLines, ackReserveLines } = this.nic.constants;
    this.reserve(-(qp.servesReads ? readReserveLines : 0) - (qp.owesAcks ? ackReserveLines : 0));
    qp.servesReads = false;
    qp.owesAcks = false;
  }

  private reserve(lines: number): void {
    const { sendWqeCacheLines, responderMaxShare } = this.nic.constants;
    this.responderLines += lines;
    this.cache?.reserve(Math.min(this.responderLines, Math.floor(sendWqeCacheLines * responderMaxShare)));
  }

  /** The READ at the head was answered; its WQE is of no more use. */
  readDone(qp: NicQueuePair): void {
    const wqe = qp.reads.shift();
    if (wqe >= 0) this.free(wqe);
  }

  /** The WQE that a unit needs is gone: it is read again, which takes a turn of the receive engine as well. */
  reread(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    nic.counters.send_wqe_cache_miss++;
    // It brings those that the rest of the visit can need, and they go round the cache: for this visit they are at hand.
    const count = Math.max(1, Math.min(qp.visitPackets[member], qp.unissued));
    qp.rereadWqes = count - 1;
    const read = nic.pcie.read(nic.simulation.now, count * qp.wqeBytes, qp.sendQueuePath);
    nic.receivePath.addJob(qp.index, member, read);
  }

  /** The engine has done its part of a re-read. */
  rereadServed(qp: number, member: number, readPs: number): void {
    const { simulation } = this.nic;
    simulation.at(Math.max(readPs, simulation.now), this.rereadHandler, qp, member);
  }

  /** With too many active queues to read ahead, a unit fetches a few WQEs of the queue that it serves. */
  fetchOnDemand(qp: NicQueuePair): boolean {
    if (!this.wantsFetch(qp)) return false;
    this.read(qp, this.nic.constants.wqeOnDemandMax, true);
    return true;
  }

  /** Whether a unit that serves this queue has WQEs to fetch first: it has none that wait on chip, say for a READ to end. */
  wantsFetch(qp: NicQueuePair): boolean {
    return !this.readsAhead && qp.doorbells.length > 0 && qp.fetching === 0 && qp.unissued === 0;
  }

  /** Forgets what a queue pair had under way. */
  forget(qp: NicQueuePair): void {
    while (qp.reads.length > 0) this.readDone(qp);
    const { next } = this.nic.wqes;
    let wqe = this.nic.client.firstUntaken(qp);
    for (let index = 0; index < qp.untaken && wqe !== NO_SLOT; index++) {
      this.free(wqe);
      wqe = next[wqe];
    }
    qp.doorbells.clear();
    this.release(qp);
    this.nic.scheduler.burst.forget(qp);
    qp.abandon(this.nic.simulation.now);
  }

  private get readsAhead(): boolean {
    return this.activeQps <= this.nic.constants.wqeReadAheadQps;
  }

  private reckon(): void {
    const { sendWqeCacheLines, sendWqeCacheLineBytes, wqeReadAheadBytes, wqeReadAheadMax } =
      this.nic.constants;
    const share =
      (sendWqeCacheLines * sendWqeCacheLineBytes) / wqeReadAheadBytes / Math.max(1, this.activeQps);
    this.readAhead = Math.min(wqeReadAheadMax, Math.max(1, Math.floor(share)));
  }

  private fetch(qp: NicQueuePair): void {
    while (qp.doorbells.length > 0 && qp.unissued + qp.fetching < this.readAhead) {
      this.read(qp, this.nic.constants.wqeFetchMax, false);
    }
  }

  private read(qp: NicQueuePair, most: number, onDemand: boolean): void {
    const { nic } = this;
    const count = Math.min(qp.doorbells.peek() - qp.fetchedOfDoorbell, most);
    qp.fetchedOfDoorbell += count;
    if (qp.fetchedOfDoorbell >= qp.doorbells.peek()) {
      qp.doorbells.shift();
      qp.fetchedOfDoorbell = 0;
    }
    qp.fetching += count;
    const done = nic.pcie.read(nic.simulation.now, count * qp.wqeBytes, qp.sendQueuePath);
    nic.simulation.at(done, this.fetchedHandler, qp.index, count, (onDemand ? 1 : 0) | (qp.era << 1));
  }

  private fetched(qp: NicQueuePair, count: number, onDemand: boolean, era: number): void {
    // What was fetched for a queue that has failed since is of no use; the unit that waits for it goes on.
    if (era === qp.era) {
      qp.fetching -= count;
      this.arrive(qp, count);
    }
    if (onDemand) this.nic.scheduler.resume(qp, Member.REQUESTS);
    else this.fetch(qp);
  }

  /** WQEs are on chip: their lines fill the cache and the transport may take them. */
  private arrive(qp: NicQueuePair, count: number): void {
    const { nic } = this;
    const { next } = nic.wqes;
    let wqe = nic.client.firstUntaken(qp);
    for (let skip = 0; skip < qp.untaken && wqe !== NO_SLOT; skip++) wqe = next[wqe];
    for (let index = 0; index < count && wqe !== NO_SLOT; index++) {
      this.put(wqe);
      wqe = next[wqe];
    }
    qp.unissued += count;
    qp.untaken += count;
    nic.client.wqesVisible(qp, count);
  }

  private put(wqe: number): void {
    const { cache, nic } = this;
    if (cache === null) return;
    const lines = nic.linesOf(wqe);
    for (let line = 0; line < lines; line++) cache.insert(wqe * LINES_PER_WQE + line);
  }

  private free(wqe: number): void {
    const { cache, nic } = this;
    if (cache === null) return;
    const lines = nic.linesOf(wqe);
    for (let line = 0; line < lines; line++) cache.free(wqe * LINES_PER_WQE + line);
  }
}
