import { grown, NONE } from '../../verbs/base/queues/column.js';

/** Room with the first request; queue pairs that only answer never have one. */
const FIRST_CAPACITY = 8;

/**
 * The send requests that an RC requester has begun and that have no answer yet, oldest first. Positions count up for
 * ever (modulo 2^32) and are masked at access, so that a position stays valid while the ring grows.
 */
export class RequestRing {
  wqe = NONE.int32;
  /** The PSN of the request's first packet. */
  firstPsn = NONE.int32;
  /** PSNs that it takes: packets sent, or for a READ the packets of its response. */
  packets = NONE.int32;
  /** Its number among all messages, 24 bits: the SSN that credits are counted in (9.7.7.2). */
  ssn = NONE.int32;
  /** The number of the receive that it takes at the peer, or that the next one to take one does; 16 bits. */
  receive = NONE.int32;
  mask = -1;
  /** Position of the oldest. */
  head = 0;
  /** Position behind the newest. */
  tail = 0;

  /** Appends a request. */
  push(wqe: number, firstPsn: number, packets: number, ssn: number, receive: number): void {
    if (this.tail - this.head > this.mask) this.enlarge();
    const at = this.tail++ & this.mask;
    this.wqe[at] = wqe;
    this.firstPsn[at] = firstPsn;
    this.packets[at] = packets;
    this.ssn[at] = ssn;
    this.receive[at] = receive;
  }

  /** Forgets all. */
  clear(): void {
    this.head = 0;
    this.tail = 0;
  }

  private enlarge(): void {
    const capacity = Math.max(FIRST_CAPACITY, 2 * (this.mask + 1));
    this.wqe = this.unrolled(this.wqe, capacity);
    this.firstPsn = this.unrolled(this.firstPsn, capacity);
    this.packets = this.unrolled(this.packets, capacity);
    this.ssn = this.unrolled(this.ssn, capacity);
    this.receive = this.unrolled(this.receive, capacity);
    this.mask = capacity - 1;
  }

  /** The column in a larger array, each entry where the larger mask will look for it. */
  private unrolled(column: Int32Array<ArrayBuffer>, capacity: number): Int32Array<ArrayBuffer> {
    const larger = grown(column, capacity);
    for (let position = this.head; position !== this.tail; position++) {
      larger[position & (capacity - 1)] = column[position & this.mask];
    }
    return larger;
  }
}
