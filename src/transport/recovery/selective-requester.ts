import type { Endpoint } from '../endpoint.js';
import { psnAdd, psnDiff, psnDistance } from '../packet/psn.js';
import type { BitPool } from './bit-pool.js';
import type { RequesterRecovery } from './loss-recovery.js';
import { PsnBitmap } from './psn-bitmap.js';
import type { SelectiveOptions } from './selective-options.js';
import type { SlowPath, SlowPathClient } from './slow-path.js';

const FIRST_RETRIES = 16;
const NO_PSN = -1;

/** What selective repeat may do to the requester of its queue pair. */
export interface SelectiveResender {
  readonly endpoint: Endpoint;
  /** The oldest PSN without an answer. */
  unackedPsn: number;
  /** PSN of the next packet that is no retransmission. */
  readonly nextPsn: number;
  /** One past the highest PSN ever sent. */
  readonly sentPsn: number;
  readonly active: boolean;
  /** Whether the packet of a PSN is answered by more than an acknowledgement: a READ or atomic. */
  awaitsResponse(psn: number): boolean;
  /** One past the last PSN that a packet with this PSN can ask for: the end of a READ, or the next PSN. */
  unitEnd(psn: number): number;
  /** One past the last PSN of the oldest request. */
  oldestEnd(): number;
  completeOldest(): void;
  /** This many PSNs were acknowledged. */
  moved(packets: number, nowPs: number): void;
  /** There may be something to send again. */
  wake(): void;
}

/**
 * The requester's half of selective repeat, by IRN's rules (SIGCOMM 2018, §3.1): a PSN counts as lost when a later one is
 * known to have arrived; it is sent again once; a timeout makes the oldest one lost, whatever is known. Recovery ends when
 * everything that was sent before it began is acknowledged.
 *
 * A bit per PSN says what has arrived out of order: SENDs and WRITEs that the responder named, and packets of READ
 * responses. There are none while nothing is missing, and packets in order do not come here.
 */
export class SelectiveRequester implements RequesterRecovery, SlowPathClient {
  readonly endpoint: Endpoint;
  /** In recovery. */
  tracking = false;
  private readonly resender: SelectiveResender;
  private readonly options: SelectiveOptions;
  private readonly slowPath: SlowPath | null;
  private readonly pool: BitPool | null;
  /** How software hears of answers that came out of order, and of others that must have been sent before an answer. */
  private readonly answers: SlowPathClient;
  private readonly hints: SlowPathClient;
  /** With a slow path, the NIC's last run of answers without a hole: its first PSN, and one past its last. */
  private runPsn = 0;
  private runEndPsn = 0;
  /** What is there beyond the oldest unacknowledged PSN. */
  private readonly arrived = new PsnBitmap();
  /** What needs not be sent again in this recovery: it was, or the responder keeps it. */
  private readonly settled = new PsnBitmap();
  /** One past the last PSN that was sent before recovery began. */
  private recoveryPsn = 0;
  /** One past the last PSN that counts as lost unless it arrived, and how far that was acted upon. */
  private lostPsn = 0;
  private scanPsn = 0;
  /** One past the last PSN that the responder is known to have executed. */
  private executedPsn = 0;
  private byTimeout = false;
  /** What waits to be sent again: a ring of PSNs, and of how many each asks for. */
  private retryPsn = new Int32Array(0);
  private retryCount = new Int32Array(0);
  private retryHead = 0;
  private retries = 0;

  constructor(
    resender: SelectiveResender,
    options: SelectiveOptions,
    slowPath: SlowPath | null = null,
    pool: BitPool | null = null,
  ) {
    this.resender = resender;
    this.endpoint = resender.endpoint;
    this.options = options;
    this.slowPath = slowPath;
    this.pool = pool;
    this.answers = {
      endpoint: resender.endpoint,
      onEvent: (psn, _end, nowPs) => this.noteAnswer(psn, nowPs),
      onCommand: () => {},
    };
    this.hints = {
      endpoint: resender.endpoint,
      onEvent: (psn, _end, nowPs) => {
        if (this.tracking && this.isOutstanding(psnAdd(psn, -1))) this.lostBefore(psn, nowPs);
      },
      onCommand: () => {},
    };
  }

  get windowPackets(): number {
    return this.options.windowPackets;
  }

  /** Bytes of its bitmaps. */
  get bitmapBytes(): number {
    return this.arrived.bytes + this.settled.bytes;
  }

  /** Packets without an answer, those that are known to have arrived excluded. */
  get inFlight(): number {
    return psnDistance(this.resender.nextPsn, this.resender.unackedPsn) - this.arrived.count;
  }

  timeoutPs(): number {
    const { fewPackets, timeoutLowPs, timeoutHighPs } = this.options;
    return this.inFlight <= fewPackets ? timeoutLowPs : timeoutHighPs;
  }

  /** A connection begins, or all is sent again. */
  forget(): void {
    this.tracking = false;
    this.byTimeout = false;
    this.pool?.give(this.arrived.count);
    this.arrived.clearAll();
    this.settled.clearAll();
    this.retries = 0;
    this.retryHead = 0;
    this.recoveryPsn = this.resender.unackedPsn;
    this.lostPsn = this.resender.unackedPsn;
    this.scanPsn = this.resender.unackedPsn;
    this.executedPsn = this.resender.unackedPsn;
  }

  /** Something is missing: from now on PSNs are tracked one by one. */
  enter(): void {
    if (this.tracking) return;
    const { unackedPsn, nextPsn } = this.resender;
    this.tracking = true;
    this.byTimeout = false;
    this.recoveryPsn = nextPsn;
    this.lostPsn = unackedPsn;
    this.scanPsn = unackedPsn;
    this.executedPsn = unackedPsn;
    this.runPsn = unackedPsn;
    this.runEndPsn = unackedPsn;
  }

  onSequenceNak(psn: number, sackPsn: number, nowPs: number): void {
    if (!this.isOutstanding(sackPsn)) return;
    this.enter();
    this.executed(psn);
    if (this.slowPath === null) this.onEvent(sackPsn, psn, nowPs);
    else if (this.slowPath.hasRoom()) this.slowPath.event(this, sackPsn, psn, nowPs);
  }

  /** A PSN has arrived while an earlier one has not. Where both are the same the responder had to drop it. */
  onEvent(sackPsn: number, expectedPsn: number, nowPs: number): void {
    const { resender } = this;
    if (!this.isOutstanding(sackPsn)) return;
    this.enter();
    if (sackPsn === expectedPsn) {
      this.lose(sackPsn, nowPs);
      return;
    }
    if (resender.awaitsResponse(sackPsn)) {
      // The responder keeps the request; what answers it comes in its turn.
      const end = resender.unitEnd(sackPsn);
      for (let psn = sackPsn; psn !== end; psn = psnAdd(psn, 1)) this.settled.set(psn, resender.unackedPsn);
    } else if (this.pool === null || this.pool.hasRoom) {
      this.mark(sackPsn);
    }
    this.lostBefore(sackPsn, nowPs);
    this.advance(nowPs);
  }

  /** A packet of READ data or the answer of an atomic is in its place; its request was executed up to `end`. */
  answerArrived(psn: number, end: number, nowPs: number): void {
    this.enter();
    this.executed(end);
    if (this.slowPath === null) this.noteAnswer(psn, nowPs);
    // What software is not told of is asked for again.
    else if (!this.slowPath.hasRoom()) this.endpoint.context.device.counters.dropped_packets++;
    else {
      if (psn === this.runEndPsn) this.runEndPsn = psnAdd(psn, 1);
      else if (psnDiff(psn, this.runEndPsn) > 0) {
        this.runPsn = psn;
        this.runEndPsn = psnAdd(psn, 1);
      }
      this.slowPath.event(this.answers, psn, end, nowPs);
    }
  }

  /**
   * Answers before a PSN that have not come are lost: a later one was sent. What came is known to software alone, and only
   * when it has handled all that it was told of, so that it must judge; `told` says that an answer brings it the news.
   */
  missingBefore(psn: number, told: boolean, nowPs: number): void {
    if (this.slowPath === null) this.lostBefore(psn, nowPs);
    else if (!told && psnDiff(this.resender.unackedPsn, psn) < 0 && this.slowPath.hasRoom())
      this.slowPath.event(this.hints, psn, psn, nowPs);
  }

  private noteAnswer(psn: number, nowPs: number): void {
    if (!this.isOutstanding(psn)) return;
    this.enter();
    this.mark(psn);
    this.lostBefore(psn, nowPs);
    this.advance(nowPs);
    if (this.slowPath !== null) this.catchUp(nowPs);
  }

  /**
   * SRNIC's rule for the end of recovery (NSDI 2023, §4.4.2), for answers: where nothing is missing before the NIC's run,
   * nothing is up to its end, whatever of it software has not been told yet.
   */
  private catchUp(nowPs: number): void {
    const { resender, runPsn, runEndPsn } = this;
    const { unackedPsn } = resender;
    if (!resender.active || !this.tracking) return;
    if (psnDiff(unackedPsn, runPsn) < 0 || psnDiff(unackedPsn, runEndPsn) >= 0) return;
    for (let psn = unackedPsn; psn !== runEndPsn; psn = psnAdd(psn, 1)) this.mark(psn);
    this.advance(nowPs);
    // Nothing beyond is known to be missing: what comes in its turn need not be told of.
    if (this.arrived.count > 0 || this.retries > 0 || this.byTimeout) return;
    this.tracking = false;
    this.settled.clearAll();
  }

  onImpliedNak(): void {
    // What a response says about earlier ones is told by `lostBefore`.
  }

  onTimeout(nowPs: number): void {
    this.enter();
    this.byTimeout = true;
    this.settled.clearAll();
    this.retries = 0;
    this.lose(this.resender.unackedPsn, nowPs);
  }

  /** The packet of a PSN is lost, whatever came after it, and also if it was sent again before. */
  private lose(psn: number, nowPs: number): void {
    this.settled.clear(psn);
    this.scanPsn = this.resender.unackedPsn;
    this.lostBefore(this.resender.unitEnd(psn), nowPs);
  }

  /** The responder has executed all before this PSN. */
  executed(psn: number): void {
    if (psnDiff(psn, this.executedPsn) > 0) this.executedPsn = psn;
  }

  has(psn: number): boolean {
    return this.arrived.test(psn);
  }

  /** The PSN has arrived at the other side, or its response here. */
  mark(psn: number): void {
    if (this.arrived.test(psn)) return;
    this.pool?.take();
    this.arrived.set(psn, this.resender.unackedPsn);
  }

  /** What has not arrived before this PSN is lost: sends it again unless that was done. */
  lostBefore(psn: number, nowPs: number): void {
    if (psnDiff(psn, this.lostPsn) > 0) this.lostPsn = psn;
    this.scan(nowPs);
  }

  /** Moves the oldest unacknowledged PSN over what has arrived, and ends requests and recovery. */
  advance(nowPs: number): void {
    const { resender, arrived, settled } = this;
    let moved = 0;
    while (resender.active && arrived.test(resender.unackedPsn)) {
      const psn = resender.unackedPsn;
      arrived.clear(psn);
      this.pool?.give(1);
      settled.clear(psn);
      resender.unackedPsn = psnAdd(psn, 1);
      moved++;
      if (resender.unackedPsn === resender.oldestEnd()) resender.completeOldest();
    }
    if (moved === 0 || !resender.active) return;
    this.leave(nowPs);
    resender.moved(moved, nowPs);
  }

  /** Ends recovery where everything from before it is acknowledged. */
  private leave(nowPs: number): void {
    const { unackedPsn, nextPsn } = this.resender;
    if (psnDiff(unackedPsn, this.recoveryPsn) >= 0) {
      this.byTimeout = false;
      this.recoveryPsn = nextPsn;
      // Packets that were sent during recovery may be missing: that is the next one.
      if (this.arrived.count > 0 || this.retries > 0) return;
      this.tracking = false;
      this.settled.clearAll();
    } else if (this.byTimeout) {
      // Nothing but the timer told of the loss: the next one is likely lost with it.
      this.lostBefore(this.resender.unitEnd(unackedPsn), nowPs);
    }
  }

  private scan(nowPs: number): void {
    const { resender, arrived, settled } = this;
    const { unackedPsn } = resender;
    // What lies beyond the next new packet will be sent anyway.
    const end = psnDiff(this.lostPsn, resender.nextPsn) > 0 ? resender.nextPsn : this.lostPsn;
    let psn = psnDiff(this.scanPsn, unackedPsn) < 0 ? unackedPsn : this.scanPsn;
    while (psnDiff(psn, end) < 0) {
      if (arrived.test(psn) || settled.test(psn)) {
        psn = psnAdd(psn, 1);
        continue;
      }
      const from = psn;
      const limit = this.runLimit(psn, end);
      do {
        settled.set(psn, unackedPsn);
        psn = psnAdd(psn, 1);
      } while (psn !== limit && !arrived.test(psn) && !settled.test(psn));
      const count = psnDistance(psn, from);
      if (this.slowPath === null) this.onCommand(from, count);
      else this.slowPath.command(this, from, count, nowPs);
    }
    this.scanPsn = psn;
  }

  /** How far one packet that begins at a lost PSN may ask: a READ that nobody executed yet must be asked for whole. */
  private runLimit(psn: number, end: number): number {
    const unitEnd = this.resender.unitEnd(psn);
    if (psnDiff(psn, this.executedPsn) >= 0) return unitEnd;
    return psnDiff(unitEnd, end) > 0 ? end : unitEnd;
  }

  /** Between an event and what follows from it the PSN may have been acknowledged, or the connection have ended. */
  private isOutstanding(psn: number): boolean {
    const { active, sentPsn, unackedPsn } = this.resender;
    return active && psnDistance(psn, unackedPsn) < psnDistance(sentPsn, unackedPsn);
  }

  onCommand(psn: number, count: number): void {
    if (!this.isOutstanding(psnAdd(psn, count - 1))) return;
    this.enter();
    if (this.retries === this.retryPsn.length) this.enlarge();
    const at = (this.retryHead + this.retries++) & (this.retryPsn.length - 1);
    this.retryPsn[at] = psn;
    this.retryCount[at] = count;
    this.resender.wake();
  }

  /** The next PSN to send again, -1 where there is none; what was answered meanwhile is passed over. */
  next(): number {
    const { unackedPsn } = this.resender;
    while (this.retries > 0) {
      const at = this.retryHead & (this.retryPsn.length - 1);
      while (this.retryCount[at] > 0) {
        const psn = this.retryPsn[at];
        if (psnDiff(psn, unackedPsn) >= 0 && !this.arrived.test(psn)) return psn;
        this.retryPsn[at] = psnAdd(psn, 1);
        this.retryCount[at]--;
      }
      this.retryHead++;
      this.retries--;
    }
    return NO_PSN;
  }

  /** How many PSNs the packet that `next` named asks for. */
  nextCount(): number {
    return this.retryCount[this.retryHead & (this.retryPsn.length - 1)];
  }

  /** The packet that `next` named has left. */
  resent(): void {
    this.retryHead++;
    this.retries--;
  }

  private enlarge(): void {
    const size = Math.max(FIRST_RETRIES, 2 * this.retryPsn.length);
    const psns = new Int32Array(size);
    const counts = new Int32Array(size);
    for (let index = 0; index < this.retries; index++) {
      const at = (this.retryHead + index) & (this.retryPsn.length - 1);
      psns[index] = this.retryPsn[at];
      counts[index] = this.retryCount[at];
    }
    this.retryPsn = psns;
    this.retryCount = counts;
    this.retryHead = 0;
  }
}
