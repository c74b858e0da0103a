import { gathers, isReadOrAtomic, NO_SLOT, Op, Status } from '../../verbs/base/codes.js';
import { carryOf } from '../../verbs/base/memory/address-words.js';
import { KeyCheck } from '../../verbs/base/memory/memory-table.js';
import { checkList } from '../../verbs/base/memory/scatter-gather.js';
import { WqeFlag } from '../../verbs/base/queues/wqe-pool.js';
import { CREDIT_COUNTS, CREDITS_UNLIMITED } from '../../wire/ib/aeth.js';
import { OPCODE } from '../../wire/ib/opcode.js';
import type { Endpoint } from '../endpoint.js';
import { EndpointTimer } from '../endpoint-timer.js';
import { messageOpcode } from '../packet/opcode-traits.js';
import { PacketFlag } from '../packet/packet-pool.js';
import { PSN_WINDOW, psnAdd, psnDiff, psnDistance } from '../packet/psn.js';
import type { RequesterRecovery, Resender } from '../recovery/loss-recovery.js';
import { AS_SPECIFIED, type RetransmissionTiming } from '../recovery/retransmission-timing.js';
import type { SelectiveRequester, SelectiveResender } from '../recovery/selective-requester.js';
import { ACK_TIMEOUT_PS, NEVER_PS, RNR_DELAY_PS } from '../timers.js';
import { RequestRing } from './request-ring.js';
import { RoundTrips } from './round-trips.js';

/** The code of `rnrRetry` that means 'forever' (9.7.5.2.8). */
const RNR_FOR_EVER = 7;

/**
 * The sending half of RC: which request packet comes next, and what acknowledgements, timeouts and rewinds do to it.
 * `rc-completer.ts` reads the responses.
 */
export class RcRequester implements Resender, SelectiveResender {
  readonly endpoint: Endpoint;
  readonly ring = new RequestRing();
  /** In service: RTS or SQD. */
  active = false;
  /** Position in the ring of the request whose packet comes next; `ring.tail` where all were sent. */
  cursor = 0;
  /** PSN of the next packet. */
  nextPsn = 0;
  /** The oldest PSN without an answer. */
  unackedPsn = 0;
  /** One past the highest PSN ever sent. */
  sentPsn = 0;
  /** A local key failed in the middle of a message: nothing more leaves. */
  private stopped = false;
  /** `canRequest` answered false: the device waits to be told. */
  private idle = true;
  private sinceAckRequest = 0;
  private retriesLeft = 0;
  private rnrRetriesLeft = 0;
  private ackDeadlinePs = NEVER_PS;
  private rnrUntilPs = 0;
  /** A sequence NAK that is being handled: what it named, and when the packets from there on follow. */
  private nakPsn = 0;
  private nakDuePs = NEVER_PS;
  /** The next wait of adaptive retransmission. */
  private adaptivePs = 0;
  /** All waits that RNR NAKs asked for. */
  private rnrWaitsPs = 0;
  /**
   * The PSN that an implied NAK or a timeout rewound to, -1 after progress: further responses in flight must not rewind
   * again.
   */
  private impliedPsn = -1;
  private nextSsn = 1;
  /** The highest SSN that the peer has receives for; -1 where it does not say. */
  private creditLimit = -1;
  readonly timer: EndpointTimer;
  private readonly recovery: RequesterRecovery;
  private readonly timing: RetransmissionTiming;
  /** The recovery, where it is selective. */
  readonly selective: SelectiveRequester | null;
  /** PSNs that may be unacknowledged: at most, and as congestion control has it now. */
  private readonly widestPackets: number;
  private windowPackets: number;
  /** Packets that arrived marked, as the peer has told; 16 bits, and those that congestion control was not told of yet. */
  private echoedMarks = 0;
  private newMarks = 0;
  /** How long packets are under way; null until congestion control asks. */
  private roundTrips: RoundTrips | null = null;
  private readonly wholeMessages: boolean;
  /** What `canRequest` has chosen: position, PSN, and whether it is a retransmission beside the cursor. */
  private sendCursor = 0;
  private sendPsn = 0;
  private beside = false;
  /** Receives that messages have taken at the peer, 16 bits. */
  private nextReceive = 0;
  /** Selective: time that was waited in vain since the last retry or progress. */
  private vainPs = 0;
  /** Selective: when the wait began. */
  private waitFromPs = 0;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.timer = new EndpointTimer(endpoint);
    const { lossRecovery, maxOutstandingPackets } = endpoint.context.options;
    this.selective = lossRecovery.selective ? lossRecovery.requester(this) : null;
    this.recovery = this.selective ?? lossRecovery.requester(this);
    this.widestPackets = lossRecovery.selective
      ? Math.min(lossRecovery.windowPackets, maxOutstandingPackets)
      : maxOutstandingPackets;
    this.windowPackets = this.widestPackets;
    this.wholeMessages = !lossRecovery.selective && lossRecovery.wholeMessages;
    this.timing = lossRecovery.selective ? AS_SPECIFIED : lossRecovery.timing;
  }

  /** Begins a connection. */
  start(): void {
    this.stop();
    const { sqPsn } = this.endpoint.attributes;
    this.nextPsn = sqPsn;
    this.unackedPsn = sqPsn;
    this.sentPsn = sqPsn;
    this.nextSsn = 1;
    this.nextReceive = 0;
    this.creditLimit = -1;
    this.echoedMarks = 0;
    this.newMarks = 0;
    this.roundTrips?.forget();
    this.windowPackets = Math.min(this.widestPackets, this.endpoint.congestion.windowPackets);
    this.selective?.forget();
    this.active = true;
    this.madeProgress();
  }

  /** Forgets all requests; the verbs flush or drop them. */
  stop(): void {
    this.active = false;
    this.stopped = false;
    this.idle = true;
    this.ring.clear();
    this.cursor = 0;
    this.ackDeadlinePs = NEVER_PS;
    this.nakDuePs = NEVER_PS;
    this.rnrUntilPs = 0;
    this.sinceAckRequest = 0;
    this.timer.clear();
  }

  /** Something changed that may let a packet go: tells the device where it waits for that. */
  wake(): void {
    if (!this.idle || !this.active) return;
    this.idle = false;
    this.endpoint.context.device.requestReady(this.endpoint);
  }

  canRequest(nowPs: number): boolean {
    if (this.maySend(nowPs)) return true;
    this.idle = true;
    return false;
  }

  /** Whether window, RNR wait and pacing would let a packet of a new request go. */
  hasRoom(nowPs: number): boolean {
    const open = this.active && !this.stopped && nowPs >= this.rnrUntilPs;
    const inFlight = psnDistance(this.nextPsn, this.unackedPsn);
    if (open && inFlight < this.windowPackets && this.isPaced(nowPs)) return true;
    this.idle = true;
    return false;
  }

  private maySend(nowPs: number): boolean {
    if (!this.active || this.stopped || nowPs < this.rnrUntilPs) return false;
    if (this.selective?.tracking && this.chooseLost()) return this.isPaced(nowPs);
    const { ring } = this;
    if (this.cursor === ring.tail && !this.takeRequest()) return false;
    const inFlight = psnDistance(this.nextPsn, this.unackedPsn);
    if (inFlight >= this.windowPackets) return false;
    const at = this.cursor & ring.mask;
    if (inFlight > 0 && inFlight + ring.packets[at] > PSN_WINDOW && !this.fitsWindow(at)) return false;
    if (this.creditLimit >= 0 && !this.hasCredit(at, inFlight)) return false;
    this.sendCursor = this.cursor;
    this.sendPsn = this.nextPsn;
    this.beside = false;
    return this.isPaced(nowPs);
  }

  /** Selective: chooses what is to be sent again before anything new. */
  private chooseLost(): boolean {
    const psn = this.selective!.next();
    if (psn < 0) return false;
    this.sendCursor = this.positionOf(psn);
    this.sendPsn = psn;
    this.beside = true;
    return true;
  }

  private isPaced(nowPs: number): boolean {
    const { nextSendPs } = this.endpoint.congestion;
    if (nowPs < nextSendPs) {
      this.timer.arm(nextSendPs);
      return false;
    }
    return true;
  }

  /** A READ takes the PSNs of its whole response at once; more than half the range could not be told from old ones. */
  private fitsWindow(at: number): boolean {
    const { ring } = this;
    const end = psnDistance(psnAdd(ring.firstPsn[at], ring.packets[at]), this.unackedPsn);
    return end > 0 && end <= PSN_WINDOW;
  }

  /** Takes the next posted request, checks its local keys and gives it its PSNs. */
  private takeRequest(): boolean {
    const { endpoint, ring } = this;
    const { wqes, memory, device } = endpoint.context;
    const wqe = device.takeSend(endpoint);
    if (wqe === NO_SLOT) return false;
    const op = wqes.opcode[wqe];
    const length = wqes.length[wqe];
    if ((wqes.flags[wqe] & WqeFlag.INLINE) === 0) {
      const check = checkList(memory, wqes, wqe, endpoint.pd, length, !gathers(op));
      if (check !== KeyCheck.OK) {
        device.counters.req_cqe_error++;
        device.completeSend(endpoint, wqe, Status.LOC_PROT_ERR);
        return false;
      }
    }
    const packets = op > Op.RDMA_READ || length === 0 ? 1 : Math.ceil(length / endpoint.attributes.pathMtu);
    ring.push(wqe, this.nextPsn, packets, this.nextSsn, this.nextReceive);
    this.nextSsn = psnAdd(this.nextSsn, 1);
    if (op < Op.RDMA_WRITE || op === Op.RDMA_WRITE_WITH_IMM)
      this.nextReceive = (this.nextReceive + 1) & 0xffff;
    return true;
  }

  /** Whether the peer's receives allow the packet, or it is the one that may go without (9.7.7.2.4). */
  private hasCredit(at: number, inFlight: number): boolean {
    const { ring } = this;
    const op = this.endpoint.context.wqes.opcode[ring.wqe[at]];
    if (op === Op.RDMA_WRITE || isReadOrAtomic(op) || psnDiff(ring.ssn[at], this.creditLimit) <= 0)
      return true;
    const firstAcked = psnDiff(this.unackedPsn, ring.firstPsn[at]) > 0;
    return inFlight === 0 || firstAcked;
  }

  nextWqe(): number {
    return this.ring.wqe[this.sendCursor & this.ring.mask];
  }

  nextOffset(): number {
    const packet = psnDistance(this.sendPsn, this.ring.firstPsn[this.sendCursor & this.ring.mask]);
    return packet * this.endpoint.attributes.pathMtu;
  }

  nextBytes(): number {
    const { wqes } = this.endpoint.context;
    const wqe = this.nextWqe();
    if (!gathers(wqes.opcode[wqe])) return 0;
    return Math.min(this.endpoint.attributes.pathMtu, wqes.length[wqe] - this.nextOffset());
  }

  nextStartsMessage(): boolean {
    const at = this.sendCursor & this.ring.mask;
    if (this.sendPsn === this.ring.firstPsn[at]) return true;
    return isReadOrAtomic(this.endpoint.context.wqes.opcode[this.ring.wqe[at]]);
  }

  nextRepeats(): boolean {
    const { unackedPsn } = this;
    return psnDistance(this.sendPsn, unackedPsn) < psnDistance(this.sentPsn, unackedPsn);
  }

  takenRequest(behind: number): number {
    const { ring } = this;
    const position = this.sendCursor + behind;
    return (behind === 0 || !this.beside) && position - ring.tail < 0
      ? ring.wqe[position & ring.mask]
      : NO_SLOT;
  }

  emit(packet: number, nowPs: number): boolean {
    const { endpoint, ring } = this;
    const { packets, wqes } = endpoint.context;
    const at = this.sendCursor & ring.mask;
    const wqe = ring.wqe[at];
    const op = wqes.opcode[wqe];
    const psn = this.sendPsn;
    packets.flags[packet] = 0;
    packets.wqe[packet] = wqe;
    packets.psn[packet] = psn;
    packets.destQpn[packet] = endpoint.attributes.destQpn;
    packets.srcQpn[packet] = endpoint.qpn;
    packets.payloadBytes[packet] = 0;
    if (gathers(op)) {
      if (!this.emitData(packet, at, wqe, op)) return false;
    } else {
      if (op === Op.RDMA_READ) this.emitRead(packet, at, wqe);
      else this.emitAtomic(packet, wqe, op);
      if (!this.beside) {
        this.nextPsn = psnAdd(ring.firstPsn[at], ring.packets[at]);
        this.cursor++;
      }
    }
    if (this.selective !== null) packets.msn[packet] = ring.ssn[at];
    if (this.beside) this.selective!.resent();
    const sentBefore = psnDistance(this.sentPsn, this.unackedPsn);
    const repeated = psnDistance(psn, this.unackedPsn) < sentBefore;
    if (repeated) {
      packets.flags[packet] |= PacketFlag.RETRANSMISSION;
      endpoint.context.device.counters.retransmitted_packets++;
    }
    if (!this.beside && psnDistance(this.nextPsn, this.unackedPsn) > sentBefore) this.sentPsn = this.nextPsn;
    if (psn === this.unackedPsn || this.ackDeadlinePs === NEVER_PS) this.restartTimer(nowPs);
    endpoint.congestion.onSend(packets.payloadBytes[packet], nowPs, !repeated);
    if (endpoint.congestion.usesRoundTrips) this.noteSent(packet, psn, repeated, nowPs);
    return true;
  }

  /** What acknowledgements of WRITEs and SENDs take, where congestion control looks at that. */
  private noteSent(packet: number, psn: number, repeated: boolean, nowPs: number): void {
    const { packets } = this.endpoint.context;
    this.roundTrips ??= new RoundTrips();
    if (repeated) this.roundTrips.forget();
    else if ((packets.flags[packet] & PacketFlag.ACK_REQUEST) !== 0) this.roundTrips.note(psn, nowPs);
  }

  private emitData(packet: number, at: number, wqe: number, op: number): boolean {
    const { endpoint, ring } = this;
    const { packets, wqes, device, options } = endpoint.context;
    const mtu = endpoint.attributes.pathMtu;
    const index = psnDistance(this.sendPsn, ring.firstPsn[at]);
    const first = index === 0;
    const last = index === ring.packets[at] - 1;
    const offset = index * mtu;
    const bytes = last ? wqes.length[wqe] - offset : mtu;
    packets.payloadBytes[packet] = bytes;
    packets.opcode[packet] = messageOpcode(op, first, last);
    if (bytes > 0 && !device.gather(endpoint, packet, wqe, offset, bytes)) {
      this.failLocally(at, wqe);
      return false;
    }
    if (first && op >= Op.RDMA_WRITE) {
      packets.remoteHigh[packet] = wqes.remoteHigh[wqe];
      packets.remoteLow[packet] = wqes.remoteLow[wqe];
      packets.rkey[packet] = wqes.rkey[wqe];
      packets.dmaBytes[packet] = wqes.length[wqe];
    }
    if (this.selective !== null) this.sayPlace(packet, at, wqe, index);
    if (last) {
      if (op === Op.SEND_WITH_INV) packets.invalidateRkey[packet] = wqes.imm[wqe];
      else if (op !== Op.SEND && op !== Op.RDMA_WRITE) packets.immediate[packet] = wqes.imm[wqe];
      if ((wqes.flags[wqe] & WqeFlag.SOLICITED) !== 0) packets.flags[packet] |= PacketFlag.SOLICITED;
      if (!this.beside) this.cursor++;
    }
    if (this.beside) {
      packets.flags[packet] |= PacketFlag.ACK_REQUEST;
      return true;
    }
    this.nextPsn = psnAdd(this.nextPsn, 1);
    const full = psnDistance(this.nextPsn, this.unackedPsn) >= this.windowPackets;
    const interval = Math.min(options.ackRequestInterval, endpoint.congestion.ackPackets);
    const due = full || this.creditLimit >= 0 || ++this.sinceAckRequest >= interval;
    if (last || (due && !this.wholeMessages)) {
      packets.flags[packet] |= PacketFlag.ACK_REQUEST;
      this.sinceAckRequest = 0;
    }
    return true;
  }

  /** Selective: the packet says by itself where it belongs. */
  private sayPlace(packet: number, at: number, wqe: number, index: number): void {
    const { packets, wqes } = this.endpoint.context;
    packets.needPlacement();
    packets.placementWords[2 * packet] = this.ring.receive[at];
    packets.placementWords[2 * packet + 1] = index;
    if (wqes.opcode[wqe] < Op.RDMA_WRITE) return;
    const low = wqes.remoteLow[wqe] + index * this.endpoint.attributes.pathMtu;
    packets.remoteHigh[packet] = wqes.remoteHigh[wqe] + carryOf(low);
    packets.remoteLow[packet] = low;
    packets.rkey[packet] = wqes.rkey[wqe];
  }

  /** A READ that resumes in the middle is a new request for the rest (9.7.3.2, 'resending READ requests'). */
  private emitRead(packet: number, at: number, wqe: number): void {
    const { packets, wqes } = this.endpoint.context;
    const mtu = this.endpoint.attributes.pathMtu;
    const done = psnDistance(this.sendPsn, this.ring.firstPsn[at]) * mtu;
    packets.opcode[packet] = OPCODE.RC_READ_REQUEST;
    const low = wqes.remoteLow[wqe] + done;
    packets.remoteHigh[packet] = wqes.remoteHigh[wqe] + carryOf(low);
    packets.remoteLow[packet] = low;
    packets.rkey[packet] = wqes.rkey[wqe];
    const rest = wqes.length[wqe] - done;
    packets.dmaBytes[packet] = this.beside ? Math.min(rest, this.selective!.nextCount() * mtu) : rest;
  }

  private emitAtomic(packet: number, wqe: number, op: number): void {
    const { packets, wqes } = this.endpoint.context;
    packets.opcode[packet] = op === Op.ATOMIC_FETCH_AND_ADD ? OPCODE.RC_FETCH_ADD : OPCODE.RC_COMPARE_SWAP;
    packets.remoteHigh[packet] = wqes.remoteHigh[wqe];
    packets.remoteLow[packet] = wqes.remoteLow[wqe];
    packets.rkey[packet] = wqes.rkey[wqe];
    packets.needOperands();
    for (let word = 0; word < 4; word++) {
      packets.operandWords[4 * packet + word] = wqes.operandWords[4 * wqe + word];
    }
  }

  /** A key lost its right after the message began: it fails in its turn, those before it may still end well. */
  private failLocally(at: number, wqe: number): void {
    this.stopped = true;
    this.selective?.forget();
    // Its packets that left will not be answered as a whole; nothing behind it can end either.
    this.sentPsn = this.ring.firstPsn[at];
    this.ring.tail = this.sendCursor;
    this.cursor = this.sendCursor;
    if (this.unackedPsn === this.sentPsn || this.ring.head === this.ring.tail) this.ackDeadlinePs = NEVER_PS;
    this.endpoint.context.device.counters.req_cqe_error++;
    this.endpoint.context.device.completeSend(this.endpoint, wqe, Status.LOC_PROT_ERR);
  }

  /** Something new was acknowledged: retries count from the start again (9.9.2.1.1), and so does the timer. */
  madeProgress(): void {
    this.retriesLeft = this.endpoint.attributes.retryCnt;
    this.rnrRetriesLeft = this.endpoint.attributes.rnrRetry;
    this.impliedPsn = -1;
    this.adaptivePs = this.timing.adaptiveBasePs;
    this.vainPs = 0;
  }

  restartTimer(nowPs: number): void {
    if (this.unackedPsn === this.sentPsn) {
      this.ackDeadlinePs = NEVER_PS;
      return;
    }
    this.waitFromPs = nowPs;
    this.ackDeadlinePs = nowPs + this.waitPs();
    this.timer.arm(this.ackDeadlinePs);
  }

  private waitPs(): number {
    if (this.selective !== null) return this.selective.timeoutPs();
    const fixedPs = this.fixedWaitPs();
    return this.waitsAdaptively(fixedPs) ? this.adaptivePs : fixedPs;
  }

  /** The wait that costs a retry; never where the queue pair has no timeout. */
  private fixedWaitPs(): number {
    return ACK_TIMEOUT_PS[this.endpoint.attributes.timeout] * this.timing.ackTimeoutWaits;
  }

  private waitsAdaptively(fixedPs: number): boolean {
    return this.adaptivePs > 0 && this.adaptivePs < fixedPs && fixedPs !== NEVER_PS;
  }

  /** Follows the acknowledged PSN with the cursor where that has overtaken it after a rewind. */
  catchUp(): void {
    if (this.cursor - this.ring.head < 0) this.cursor = this.ring.head;
    if (psnDistance(this.nextPsn, this.unackedPsn) > PSN_WINDOW) this.nextPsn = this.unackedPsn;
  }

  resendFrom(psn: number): void {
    const { ring } = this;
    for (let position = ring.head; position !== ring.tail; position++) {
      const at = position & ring.mask;
      if (psnDistance(psn, ring.firstPsn[at]) >= ring.packets[at]) continue;
      this.cursor = position;
      this.nextPsn = psn;
      this.wake();
      return;
    }
  }

  restartOldest(): void {
    const { ring } = this;
    if (ring.head === ring.tail) return;
    this.unackedPsn = ring.firstPsn[ring.head & ring.mask];
    this.resendFrom(this.unackedPsn);
  }

  /** Position of the request that a PSN belongs to, which is outstanding. */
  positionOf(psn: number): number {
    const { ring } = this;
    let position = ring.head;
    for (; position !== ring.tail; position++) {
      const at = position & ring.mask;
      if (psnDistance(psn, ring.firstPsn[at]) < ring.packets[at]) break;
    }
    return position;
  }

  awaitsResponse(psn: number): boolean {
    const { ring } = this;
    return isReadOrAtomic(this.endpoint.context.wqes.opcode[ring.wqe[this.positionOf(psn) & ring.mask]]);
  }

  unitEnd(psn: number): number {
    const { ring } = this;
    const at = this.positionOf(psn) & ring.mask;
    if (this.endpoint.context.wqes.opcode[ring.wqe[at]] !== Op.RDMA_READ) return psnAdd(psn, 1);
    return psnAdd(ring.firstPsn[at], ring.packets[at]);
  }

  oldestEnd(): number {
    const at = this.ring.head & this.ring.mask;
    return psnAdd(this.ring.firstPsn[at], this.ring.packets[at]);
  }

  /** Ends the oldest request well. The verbs may stop the requester meanwhile: a later request had failed. */
  completeOldest(): void {
    const { ring, endpoint } = this;
    const wqe = ring.wqe[ring.head & ring.mask];
    ring.head++;
    endpoint.context.device.completeSend(endpoint, wqe, Status.SUCCESS);
  }

  /** This many PSNs were acknowledged. */
  moved(packets: number, nowPs: number): void {
    if (!this.active) return;
    this.madeProgress();
    this.catchUp();
    this.restartTimer(nowPs);
    const { congestion, context } = this.endpoint;
    const { ackFacts } = context;
    ackFacts.marked = this.newMarks;
    ackFacts.roundTripPs = this.roundTrips?.take(psnAdd(this.unackedPsn, -1), nowPs) ?? 0;
    congestion.onAck(packets, nowPs, ackFacts);
    this.newMarks = 0;
    this.windowPackets = Math.min(this.widestPackets, congestion.windowPackets);
    this.wake();
  }

  /** The peer says how many packets of the connection arrived marked, in 16 bits. */
  echoed(marks: number): void {
    this.newMarks += (marks - this.echoedMarks) & 0xffff;
    this.echoedMarks = marks;
  }

  /** Counts a retry; false where there was none left and the oldest request failed. */
  spendRetry(nowPs: number): boolean {
    this.endpoint.congestion.onLoss(nowPs);
    if (this.retriesLeft > 0) {
      this.retriesLeft--;
      return true;
    }
    this.failOldest(Status.RETRY_EXC_ERR);
    return false;
  }

  /** The response to a later request came before that of the oldest: its response was lost (9.7.5.1.4). */
  impliedNak(nowPs: number): void {
    if (this.impliedPsn === this.unackedPsn) {
      // The responder still sends what was asked for before; it comes to what was asked for again after that.
      this.restartTimer(nowPs);
      return;
    }
    this.endpoint.context.device.counters.implied_nak_seq_err++;
    if (!this.spendRetry(nowPs)) return;
    this.impliedPsn = this.unackedPsn;
    this.recovery.onImpliedNak();
    this.restartTimer(nowPs);
  }

  /** `sackPsn` is what came in place of the missing one, where the responder says so. */
  sequenceNak(psn: number, sackPsn: number, nowPs: number): void {
    // It is about packets that followed one without a receive; they are sent again after the wait in any case. Linux'
    // rxe sends such NAKs, against 9.7.5.2.8.
    if (nowPs < this.rnrUntilPs && psn === this.unackedPsn) return;
    // It is about the gap that is being handled.
    if (this.nakDuePs !== NEVER_PS && psn === this.nakPsn) return;
    this.endpoint.context.device.counters.packet_seq_err++;
    if (this.selective !== null) {
      if (!this.selective.tracking) this.endpoint.congestion.onLoss(nowPs);
      this.selective.onSequenceNak(psn, sackPsn, nowPs);
      return;
    }
    if (!this.spendRetry(nowPs)) return;
    const { nakHandlingPs } = this.timing;
    if (nakHandlingPs === 0) {
      this.recovery.onSequenceNak(psn, sackPsn, nowPs);
    } else {
      this.nakPsn = psn;
      this.nakDuePs = nowPs + nakHandlingPs;
      this.timer.arm(this.nakDuePs);
    }
    this.restartTimer(nowPs);
  }

  /** The time that a NAK takes is over: what it asked for follows, unless it was answered meanwhile. */
  private handleNak(nowPs: number): void {
    this.nakDuePs = NEVER_PS;
    const outstanding = psnDistance(this.sentPsn, this.unackedPsn);
    if (psnDistance(this.nakPsn, this.unackedPsn) >= outstanding) return;
    this.recovery.onSequenceNak(this.nakPsn, this.nakPsn, nowPs);
    this.restartTimer(nowPs);
  }

  /** The peer has no receive: wait as long as it asks, then send again from there. */
  receiverNotReady(psn: number, timerCode: number, nowPs: number): void {
    const { device } = this.endpoint.context;
    if (this.rnrUntilPs > nowPs) return;
    device.counters.rnr_nak_received++;
    // The peer answers: what was sent again before has not been in vain. Linux' rxe also refuses the packets that followed
    // as out of order, and where such a NAK comes after the wait it would cost a retry each time.
    this.retriesLeft = this.endpoint.attributes.retryCnt;
    if (this.endpoint.attributes.rnrRetry !== RNR_FOR_EVER) {
      if (this.rnrRetriesLeft === 0) {
        device.counters.rnr_nak_retry_err++;
        this.failOldest(Status.RNR_RETRY_EXC_ERR);
        return;
      }
      this.rnrRetriesLeft--;
    }
    this.selective?.forget();
    this.resendFrom(psn);
    this.ackDeadlinePs = NEVER_PS;
    this.nakDuePs = NEVER_PS;
    this.rnrUntilPs = nowPs + RNR_DELAY_PS[timerCode];
    this.rnrWaitsPs += RNR_DELAY_PS[timerCode];
    this.timer.arm(this.rnrUntilPs);
  }

  /** Time up to now in which it waited because the peer had no receive. */
  rnrWaitedPs(nowPs: number): number {
    return this.rnrWaitsPs - Math.max(0, this.rnrUntilPs - nowPs);
  }

  /** The credits of an AETH (9.7.7.2): messages up to this number have receives. */
  updateCredits(creditCode: number, msn: number): void {
    this.creditLimit = creditCode === CREDITS_UNLIMITED ? -1 : psnAdd(msn, CREDIT_COUNTS[creditCode]);
  }

  failOldest(status: number): void {
    const { ring } = this;
    const wqe = ring.wqe[ring.head & ring.mask];
    this.stopped = true;
    this.selective?.forget();
    this.ackDeadlinePs = NEVER_PS;
    this.nakDuePs = NEVER_PS;
    ring.tail = ring.head;
    this.cursor = ring.head;
    this.sentPsn = this.unackedPsn;
    this.endpoint.context.device.counters.req_cqe_error++;
    this.endpoint.context.device.completeSend(this.endpoint, wqe, status);
  }

  onTimer(nowPs: number): void {
    this.timer.fired();
    if (!this.active) return;
    if (this.rnrUntilPs > 0 && nowPs >= this.rnrUntilPs) this.rnrUntilPs = 0;
    if (nowPs >= this.nakDuePs) this.handleNak(nowPs);
    if (nowPs >= this.ackDeadlinePs) this.timeOut(nowPs);
    if (this.rnrUntilPs === 0 && nowPs >= this.endpoint.congestion.nextSendPs) this.wake();
    if (this.rnrUntilPs > 0) this.timer.arm(this.rnrUntilPs);
    else if (this.idle && this.endpoint.congestion.nextSendPs > nowPs)
      this.timer.arm(this.endpoint.congestion.nextSendPs);
    if (this.nakDuePs !== NEVER_PS) this.timer.arm(this.nakDuePs);
    if (this.ackDeadlinePs !== NEVER_PS) this.timer.arm(this.ackDeadlinePs);
  }

  private timeOut(nowPs: number): void {
    // The packet that is to be sent again has not left the device yet: its time has not begun.
    if (this.nextPsn === this.unackedPsn) {
      this.restartTimer(nowPs);
      return;
    }
    if (this.selective !== null && nowPs < this.waitFromPs + this.selective.timeoutPs()) {
      // More packets are in flight than when the wait began.
      this.ackDeadlinePs = this.waitFromPs + this.selective.timeoutPs();
      return;
    }
    this.endpoint.context.device.counters.local_ack_timeout_err++;
    if (this.retryIsFree()) this.endpoint.congestion.onLoss(nowPs);
    else if (!this.spendRetry(nowPs)) return;
    this.nakDuePs = NEVER_PS;
    // Responses to what was sent before may still come; they ask for nothing that this does not send again.
    this.impliedPsn = this.unackedPsn;
    this.recovery.onTimeout(nowPs);
    this.restartTimer(nowPs);
  }

  /** Whether the wait that is over was one of those that cost no retry. */
  private retryIsFree(): boolean {
    const fixedPs = this.fixedWaitPs();
    if (this.selective !== null) {
      this.vainPs += this.selective.timeoutPs();
      if (this.vainPs < fixedPs) return true;
      this.vainPs = 0;
      return false;
    }
    if (!this.waitsAdaptively(fixedPs)) return false;
    this.endpoint.context.device.counters.roce_adp_retrans++;
    this.adaptivePs *= 2;
    return true;
  }
}
