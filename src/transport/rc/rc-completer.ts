import { isReadOrAtomic, Op, Status } from '../../verbs/base/codes.js';
import { NAK_CODE } from '../../wire/ib/aeth.js';
import { Trait } from '../packet/opcode-traits.js';
import { psnAdd, psnDistance } from '../packet/psn.js';
import { SYNDROME_KIND_MASK, SYNDROME_VALUE_MASK, SyndromeKind } from '../packet/syndrome.js';
import type { RcRequester } from './rc-requester.js';

/** The status of a request that a NAK code ends (9.7.5.2, table 'NAK codes'); -1 where it does not end one. */
const STATUS_OF_NAK = new Int8Array(32).fill(-1);
STATUS_OF_NAK[NAK_CODE.INVALID_REQUEST] = Status.REM_INV_REQ_ERR;
STATUS_OF_NAK[NAK_CODE.REMOTE_ACCESS_ERROR] = Status.REM_ACCESS_ERR;
STATUS_OF_NAK[NAK_CODE.REMOTE_OPERATIONAL_ERROR] = Status.REM_OP_ERR;

/**
 * The receiving half of the RC requester: reads acknowledgements and responses and ends requests (9.7.5).
 *
 * A response with PSN p acknowledges everything before p. It cannot stand for the response of an earlier READ or
 * atomic: if one of those is still open its response was lost, which is an implied NAK.
 */
export class RcCompleter {
  protected readonly requester: RcRequester;

  /** Acknowledgements say how many packets arrived marked. */
  protected readonly echoes: boolean;

  constructor(requester: RcRequester) {
    this.requester = requester;
    this.echoes = requester.endpoint.context.options.echoMarks;
  }

  /** Processes an arrived response; `traits` are those of its opcode. */
  onResponse(packet: number, traits: number, nowPs: number): void {
    const { requester } = this;
    const { packets, device } = requester.endpoint.context;
    const psn = packets.psn[packet];
    const outstanding = psnDistance(requester.sentPsn, requester.unackedPsn);
    // Answers to what was answered before, and ghosts of earlier connections (9.7.5.1.1).
    if (!requester.active || psnDistance(psn, requester.unackedPsn) >= outstanding) {
      if (!this.onStale(packet, traits, nowPs)) device.counters.dropped_packets++;
      return;
    }
    if ((traits & Trait.READ_RESPONSE) !== 0) this.onReadResponse(packet, traits, psn, nowPs);
    else if ((traits & Trait.ATOMIC_RESPONSE) !== 0) this.onAtomicResponse(packet, psn, nowPs);
    else this.onAcknowledge(packet, psn, nowPs);
  }

  /** A response about what is not outstanding; false where it has no news all the same. */
  protected onStale(_packet: number, _traits: number, _nowPs: number): boolean {
    return false;
  }

  private onAcknowledge(packet: number, psn: number, nowPs: number): void {
    const { requester } = this;
    const { packets } = requester.endpoint.context;
    const syndrome = packets.syndrome[packet];
    const value = syndrome & SYNDROME_VALUE_MASK;
    if (this.echoes) requester.echoed(packets.placementWords[2 * packet + 1]);
    switch (syndrome & SYNDROME_KIND_MASK) {
      case SyndromeKind.ACK:
        requester.updateCredits(value, packets.msn[packet]);
        if (!this.acknowledge(psn, nowPs)) requester.impliedNak(nowPs);
        break;
      case SyndromeKind.RNR_NAK:
        if (!this.acknowledgeBefore(psn, nowPs)) requester.impliedNak(nowPs);
        else if (requester.active) requester.receiverNotReady(psn, value, nowPs);
        break;
      case SyndromeKind.NAK:
        if (!this.acknowledgeBefore(psn, nowPs)) requester.impliedNak(nowPs);
        else if (requester.active) this.onNak(packet, value, psn, nowPs);
        break;
    }
  }

  private onNak(packet: number, code: number, psn: number, nowPs: number): void {
    const { requester } = this;
    if (code === NAK_CODE.PSN_SEQUENCE_ERROR) {
      const { packets } = requester.endpoint.context;
      const sackPsn = requester.selective === null ? psn : packets.placementWords[2 * packet];
      requester.sequenceNak(psn, sackPsn, nowPs);
      return;
    }
    const status = STATUS_OF_NAK[code];
    if (status < 0) return;
    const { counters } = requester.endpoint.context.device;
    if (status === Status.REM_ACCESS_ERR) counters.req_remote_access_errors++;
    else if (status === Status.REM_INV_REQ_ERR) counters.req_remote_invalid_request++;
    requester.failOldest(status);
  }

  protected onReadResponse(packet: number, traits: number, psn: number, nowPs: number): void {
    const { requester } = this;
    const { endpoint, ring } = requester;
    const { packets, wqes, device } = endpoint.context;
    if (!this.acknowledgeBefore(psn, nowPs)) {
      requester.impliedNak(nowPs);
      return;
    }
    const at = ring.head & ring.mask;
    const wqe = ring.wqe[at];
    if (!requester.active || wqes.opcode[wqe] !== Op.RDMA_READ) {
      device.counters.dropped_packets++;
      return;
    }
    const mtu = endpoint.attributes.pathMtu;
    const index = psnDistance(psn, ring.firstPsn[at]);
    const offset = index * mtu;
    const last = index === ring.packets[at] - 1;
    const bytes = last ? wqes.length[wqe] - offset : mtu;
    if (packets.payloadBytes[packet] !== bytes || ((traits & Trait.LAST) !== 0) !== last) {
      requester.failOldest(Status.BAD_RESP_ERR);
      return;
    }
    if ((traits & (Trait.FIRST | Trait.LAST)) !== 0) {
      requester.updateCredits(packets.syndrome[packet] & SYNDROME_VALUE_MASK, packets.msn[packet]);
    }
    if (bytes > 0 && !device.placeRead(endpoint, packet, wqe, offset, bytes)) {
      requester.failOldest(Status.LOC_PROT_ERR);
      return;
    }
    this.answered(last, psn, nowPs);
  }

  protected onAtomicResponse(packet: number, psn: number, nowPs: number): void {
    const { requester } = this;
    const { endpoint, ring } = requester;
    const { wqes, device, packets } = endpoint.context;
    if (!this.acknowledgeBefore(psn, nowPs)) {
      requester.impliedNak(nowPs);
      return;
    }
    const wqe = ring.wqe[ring.head & ring.mask];
    if (!requester.active || !isReadOrAtomic(wqes.opcode[wqe]) || wqes.opcode[wqe] === Op.RDMA_READ) {
      device.counters.dropped_packets++;
      return;
    }
    requester.updateCredits(packets.syndrome[packet] & SYNDROME_VALUE_MASK, packets.msn[packet]);
    if (!device.placeAtomic(endpoint, packet, wqe)) {
      requester.failOldest(Status.LOC_PROT_ERR);
      return;
    }
    this.answered(true, psn, nowPs);
  }

  /** One more response packet of the oldest request is in place. */
  protected answered(whole: boolean, psn: number, nowPs: number): void {
    const { requester } = this;
    requester.unackedPsn = psnAdd(psn, 1);
    if (whole) requester.completeOldest();
    requester.moved(1, nowPs);
  }

  /** Acknowledges all before `psn`; false where that meets an open READ or atomic. */
  protected acknowledgeBefore(psn: number, nowPs: number): boolean {
    if (psn === this.requester.unackedPsn) return true;
    return this.acknowledge(psnAdd(psn, -1), nowPs);
  }

  /** Acknowledges all up to and with `psn`, which lies in the window; false where that meets an open READ or atomic. */
  protected acknowledge(psn: number, nowPs: number): boolean {
    const { requester } = this;
    const { ring } = requester;
    const { wqes } = requester.endpoint.context;
    const from = requester.unackedPsn;
    const acknowledged = psnDistance(psn, from) + 1;
    let complete = true;
    while (ring.head !== ring.tail) {
      const at = ring.head & ring.mask;
      if (psnDistance(requester.unackedPsn, from) >= acknowledged) break;
      if (isReadOrAtomic(wqes.opcode[ring.wqe[at]])) {
        complete = false;
        break;
      }
      const end = psnAdd(ring.firstPsn[at], ring.packets[at]);
      if (psnDistance(end, from) > acknowledged) {
        requester.unackedPsn = psnAdd(psn, 1);
        break;
      }
      requester.unackedPsn = end;
      requester.completeOldest();
    }
    const progress = psnDistance(requester.unackedPsn, from);
    if (progress > 0) requester.moved(progress, nowPs);
    return complete;
  }
}
