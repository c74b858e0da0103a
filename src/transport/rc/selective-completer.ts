import { isReadOrAtomic, Op, Status } from '../../verbs/base/codes.js';
import { Trait } from '../packet/opcode-traits.js';
import { psnAdd, psnDiff, psnDistance } from '../packet/psn.js';
import { SYNDROME_VALUE_MASK, Syndrome } from '../packet/syndrome.js';
import type { SelectiveRequester } from '../recovery/selective-requester.js';
import { RcCompleter } from './rc-completer.js';
import type { RcRequester } from './rc-requester.js';
import type { RcResponder } from './rc-responder.js';

/**
 * Reads responses under selective repeat: those that come out of order are put in their place, and what a response shows
 * to be missing is asked for again. A responder executes in order, so that a response with PSN p still says that every SEND
 * and WRITE before p has arrived.
 */
export class SelectiveCompleter extends RcCompleter {
  private readonly selective: SelectiveRequester;
  private readonly responder: RcResponder;
  /** What is acknowledged was shown by an answer, which is told of by itself. */
  private answering = false;

  constructor(requester: RcRequester, selective: SelectiveRequester, responder: RcResponder) {
    super(requester);
    this.selective = selective;
    this.responder = responder;
  }

  override onResponse(packet: number, traits: number, nowPs: number): void {
    const { packets } = this.requester.endpoint.context;
    if ((traits & Trait.READ_RESPONSE) !== 0) {
      if (this.isRecent(packets.psn[packet])) this.responder.readArrived(packet);
    } else if (packets.syndrome[packet] === Syndrome.READ_ACK) {
      this.responder.readAcknowledged(packet, nowPs);
      return;
    }
    super.onResponse(packet, traits, nowPs);
  }

  /** Whether a PSN is outstanding, or was not long ago: data that comes twice is acknowledged as well. */
  private isRecent(psn: number): boolean {
    const { active, sentPsn, unackedPsn } = this.requester;
    if (!active) return false;
    if (psnDistance(psn, unackedPsn) < psnDistance(sentPsn, unackedPsn)) return true;
    return psnDistance(unackedPsn, psn) <= this.selective.windowPackets;
  }

  /**
   * A responder whose software lags still names a PSN that it has told to have arrived since (SRNIC §4.4.2); which packet
   * came is news. It keeps none beyond its window from the PSN that it expects.
   */
  protected override onStale(packet: number, traits: number, nowPs: number): boolean {
    const { requester, selective } = this;
    const { packets } = requester.endpoint.context;
    if (!requester.active || (traits & (Trait.READ_RESPONSE | Trait.ATOMIC_RESPONSE)) !== 0) return false;
    if (packets.syndrome[packet] !== Syndrome.SEQUENCE_ERROR) return false;
    const psn = packets.psn[packet];
    const sackPsn = packets.placementWords[2 * packet];
    const { unackedPsn, sentPsn } = requester;
    if (psnDistance(sackPsn, unackedPsn) >= psnDistance(sentPsn, unackedPsn)) return false;
    if (psnDistance(sackPsn, psn) >= selective.windowPackets) return false;
    if (this.echoes) requester.echoed(packets.placementWords[2 * packet + 1]);
    requester.sequenceNak(psn, sackPsn, nowPs);
    return true;
  }

  protected override acknowledge(psn: number, nowPs: number): boolean {
    const { requester, selective } = this;
    if (!selective.tracking) {
      if (super.acknowledge(psn, nowPs) || !requester.active) return true;
      // The answer of a READ or atomic is missing.
      requester.endpoint.context.device.counters.implied_nak_seq_err++;
      selective.enter();
    }
    this.acknowledgeRequests(psnAdd(psn, 1), nowPs);
    return true;
  }

  /** Every SEND and WRITE before a PSN has arrived; a READ or atomic before it that has no answer lost it. */
  private acknowledgeRequests(end: number, nowPs: number): void {
    const { requester, selective } = this;
    const { ring } = requester;
    const { wqes } = requester.endpoint.context;
    selective.executed(end);
    for (let position = ring.head; position !== ring.tail; position++) {
      const at = position & ring.mask;
      if (psnDiff(ring.firstPsn[at], end) >= 0) break;
      if (isReadOrAtomic(wqes.opcode[ring.wqe[at]])) continue;
      let psn = ring.firstPsn[at];
      if (psnDiff(psn, requester.unackedPsn) < 0) psn = requester.unackedPsn;
      const requestEnd = psnAdd(ring.firstPsn[at], ring.packets[at]);
      const last = psnDiff(requestEnd, end) < 0 ? requestEnd : end;
      for (; psnDiff(psn, last) < 0; psn = psnAdd(psn, 1)) selective.mark(psn);
    }
    selective.advance(nowPs);
    if (requester.active && selective.tracking) selective.missingBefore(end, this.answering, nowPs);
  }

  protected override onReadResponse(packet: number, traits: number, psn: number, nowPs: number): void {
    const { requester } = this;
    const { endpoint, ring } = requester;
    const { packets, wqes, device } = endpoint.context;
    if (!this.reaches(psn, nowPs)) return;
    const position = requester.positionOf(psn);
    const at = position & ring.mask;
    const wqe = ring.wqe[at];
    if (wqes.opcode[wqe] !== Op.RDMA_READ || this.selective.has(psn)) {
      device.counters.dropped_packets++;
      return;
    }
    const mtu = endpoint.attributes.pathMtu;
    const index = psnDistance(psn, ring.firstPsn[at]);
    const offset = index * mtu;
    const bytes = index === ring.packets[at] - 1 ? wqes.length[wqe] - offset : mtu;
    if (packets.payloadBytes[packet] !== bytes) {
      this.fail(position, Status.BAD_RESP_ERR);
      return;
    }
    if ((traits & (Trait.FIRST | Trait.LAST)) !== 0) this.readCredits(packet);
    if (bytes > 0 && !device.placeRead(endpoint, packet, wqe, offset, bytes)) {
      this.fail(position, Status.LOC_PROT_ERR);
      return;
    }
    this.take(psn, psnAdd(ring.firstPsn[at], ring.packets[at]), nowPs);
  }

  protected override onAtomicResponse(packet: number, psn: number, nowPs: number): void {
    const { requester } = this;
    const { endpoint, ring } = requester;
    const { wqes, device } = endpoint.context;
    if (!this.reaches(psn, nowPs)) return;
    const position = requester.positionOf(psn);
    const wqe = ring.wqe[position & ring.mask];
    const isAtomic = isReadOrAtomic(wqes.opcode[wqe]) && wqes.opcode[wqe] !== Op.RDMA_READ;
    if (!isAtomic || this.selective.has(psn)) {
      device.counters.dropped_packets++;
      return;
    }
    this.readCredits(packet);
    if (!device.placeAtomic(endpoint, packet, wqe)) {
      this.fail(position, Status.LOC_PROT_ERR);
      return;
    }
    this.take(psn, psnAdd(psn, 1), nowPs);
  }

  /** Acknowledges what a response stands for; false where it is about something that has ended by that. */
  private reaches(psn: number, nowPs: number): boolean {
    const { requester } = this;
    this.answering = true;
    this.acknowledgeBefore(psn, nowPs);
    this.answering = false;
    if (!requester.active) return false;
    return psnDiff(psn, requester.unackedPsn) >= 0;
  }

  private readCredits(packet: number): void {
    const { packets } = this.requester.endpoint.context;
    this.requester.updateCredits(packets.syndrome[packet] & SYNDROME_VALUE_MASK, packets.msn[packet]);
  }

  /** A response that cannot be taken ends its request in its turn; before that it counts as lost. */
  private fail(position: number, status: number): void {
    if (position === this.requester.ring.head) this.requester.failOldest(status);
    else this.requester.endpoint.context.device.counters.dropped_packets++;
  }

  /** The response of a PSN is in its place; its request was executed up to `end`. */
  private take(psn: number, end: number, nowPs: number): void {
    const { requester, selective } = this;
    if (!selective.tracking && psn === requester.unackedPsn) {
      this.answered(psnAdd(psn, 1) === requester.oldestEnd(), psn, nowPs);
      return;
    }
    selective.answerArrived(psn, end, nowPs);
  }
}
