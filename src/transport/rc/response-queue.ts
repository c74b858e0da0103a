import { NO_SLOT } from '../../verbs/base/codes.js';
import { grown, NONE } from '../../verbs/base/queues/column.js';
import { SlotPool } from '../../verbs/base/queues/slots.js';

/** What a response is. */
export const ResponseKind = { ACK: 0, NAK: 1, READ: 2, ATOMIC: 3 } as const;

/**
 * The responses that wait at a device, of all its queue pairs: one set of columns, however many of these there are. Each
 * queue pair has a few at a time, and most of a large program never have one.
 */
export class ResponsePool extends SlotPool {
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
  /** ATOMIC: the original value. NAK: the PSN that came in place of the missing one. */
  low = NONE.uint32;
  high = NONE.uint32;

  /** Takes a slot; the columns of its kind are the caller's to fill. */
  take(kind: number, psn: number, msn: number): number {
    const slot = this.slots.allocate();
    this.kind[slot] = kind;
    this.psn[slot] = psn;
    this.msn[slot] = msn;
    this.detail[slot] = 0;
    this.fresh[slot] = 0;
    return slot;
  }

  /** Gives a slot back. */
  free(slot: number): void {
    this.slots.release(slot);
  }

  protected override growColumns(capacity: number): void {
    this.kind = grown(this.kind, capacity);
    this.psn = grown(this.psn, capacity);
    this.msn = grown(this.msn, capacity);
    this.detail = grown(this.detail, capacity);
    this.fresh = grown(this.fresh, capacity);
    this.addrHigh = grown(this.addrHigh, capacity);
    this.addrLow = grown(this.addrLow, capacity);
    this.rkey = grown(this.rkey, capacity);
    this.bytes = grown(this.bytes, capacity);
    this.low = grown(this.low, capacity);
    this.high = grown(this.high, capacity);
  }
}

/**
 * Responses of a queue pair that wait to be sent, in PSN order: an acknowledgement never overtakes the data of an earlier
 * READ (9.7.5.1.2). Plain acknowledgements that meet at the end of the queue become one. A list in the device's pool.
 */
export class ResponseQueue {
  readonly pool: ResponsePool;
  /** The slot of the oldest response; those behind it follow by the pool's `next`. */
  head = NO_SLOT;
  count = 0;
  private tail = NO_SLOT;

  constructor(pool: ResponsePool) {
    this.pool = pool;
  }

  /** Appends a response and returns its slot. */
  push(kind: number, psn: number, msn: number): number {
    const { pool } = this;
    const slot = pool.take(kind, psn, msn);
    if (this.count === 0) this.head = slot;
    else pool.next[this.tail] = slot;
    this.tail = slot;
    this.count++;
    return slot;
  }

  /** As `push`, before all others. */
  pushFront(kind: number, psn: number, msn: number): number {
    const { pool } = this;
    const slot = pool.take(kind, psn, msn);
    if (this.count === 0) this.tail = slot;
    else pool.next[slot] = this.head;
    this.head = slot;
    this.count++;
    return slot;
  }

  /** Appends an acknowledgement, or lets the one at the end say more. */
  acknowledge(psn: number, msn: number): void {
    const { pool, tail } = this;
    if (this.count > 0 && pool.kind[tail] === ResponseKind.ACK) {
      pool.psn[tail] = psn;
      pool.msn[tail] = msn;
      return;
    }
    this.push(ResponseKind.ACK, psn, msn);
  }

  /** Removes the oldest response. */
  shift(): void {
    const { pool, head } = this;
    this.head = pool.next[head];
    this.count--;
    pool.free(head);
  }

  /** Forgets all. */
  clear(): void {
    while (this.count > 0) this.shift();
  }
}
