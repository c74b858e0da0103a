import { grown, NONE } from '../../verbs/base/queues/slots.js';

/** What a response is. */
export const ResponseKind = { ACK: 0, NAK: 1, READ: 2, ATOMIC: 3 } as const;

/** Room of a queue with its first response; most queue pairs of a large program never have one. */
const FIRST_CAPACITY = 4;

/**
 * Responses that wait to be sent, in PSN order: an acknowledgement never overtakes the data of an earlier READ
 * (9.7.5.1.2). Plain acknowledgements that meet at the end of the queue become one.
 */
export class ResponseQueue {
  kind = NONE.uint8;
  /** READ: of the next packet. */
  psn = NONE.uint32;
  msn = NONE.uint32;
  /** NAK: the syndrome. READ: 1 once a packet was sent. */
  detail = NONE.uint8;
  /** READ and ATOMIC: 1 for a request seen for the first time, which holds a responder resource until answered. */
  fresh = NONE.uint8;
  /** READ: the rest to send. */
  addrHigh = NONE.uint32;
  addrLow = NONE.uint32;
  rkey = NONE.uint32;
  bytes = NONE.uint32;
  /** ATOMIC: the original value. */
  low = NONE.uint32;
  high = NONE.uint32;
  count = 0;
  private first = 0;

  /** The slot of the oldest response. */
  get head(): number {
    return this.first;
  }

  /** The slot of a response by its place, 0 for the oldest. */
  at(place: number): number {
    return (this.first + place) & (this.kind.length - 1);
  }

  /** Appends a response and returns its slot; the columns of its kind are the caller's to fill. */
  push(kind: number, psn: number, msn: number): number {
    if (this.count === this.kind.length) this.enlarge();
    return this.fill(this.at(this.count++), kind, psn, msn);
  }

  /** As `push`, before all others. */
  pushFront(kind: number, psn: number, msn: number): number {
    if (this.count === this.kind.length) this.enlarge();
    this.first = this.at(-1);
    this.count++;
    return this.fill(this.first, kind, psn, msn);
  }

  private fill(slot: number, kind: number, psn: number, msn: number): number {
    this.kind[slot] = kind;
    this.psn[slot] = psn;
    this.msn[slot] = msn;
    this.detail[slot] = 0;
    this.fresh[slot] = 0;
    return slot;
  }

  /** Appends an acknowledgement, or lets the one at the end say more. */
  acknowledge(psn: number, msn: number): void {
    if (this.count > 0) {
      const last = this.at(this.count - 1);
      if (this.kind[last] === ResponseKind.ACK) {
        this.psn[last] = psn;
        this.msn[last] = msn;
        return;
      }
    }
    this.push(ResponseKind.ACK, psn, msn);
  }

  /** Removes the oldest response. */
  shift(): void {
    this.first = this.at(1);
    this.count--;
  }

  /** Forgets all. */
  clear(): void {
    this.count = 0;
  }

  private enlarge(): void {
    this.kind = unrolled(this.kind, this.first);
    this.psn = unrolled(this.psn, this.first);
    this.msn = unrolled(this.msn, this.first);
    this.detail = unrolled(this.detail, this.first);
    this.fresh = unrolled(this.fresh, this.first);
    this.addrHigh = unrolled(this.addrHigh, this.first);
    this.addrLow = unrolled(this.addrLow, this.first);
    this.rkey = unrolled(this.rkey, this.first);
    this.bytes = unrolled(this.bytes, this.first);
    this.low = unrolled(this.low, this.first);
    this.high = unrolled(this.high, this.first);
    this.first = 0;
  }
}

/** A full ring in an array twice as long, its oldest entry in front. */
function unrolled<T extends Uint8Array | Uint32Array>(column: T, first: number): T {
  const larger = grown(column, Math.max(FIRST_CAPACITY, 2 * column.length));
  larger.set(column.subarray(first));
  larger.set(column.subarray(0, first), column.length - first);
  return larger;
}
