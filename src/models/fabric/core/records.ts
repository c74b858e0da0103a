import { HOP_WORDS } from '../../../transport/congestion/rates/feedback.js';

/**
 * A record is a packet and, while it is on a wire, the event of its arrival; timers are records too. It is in one list
 * at a time: a bucket of the wheel, a queue of a port, or the free list.
 *
 * What a switch needs to know of a packet is in four words, a quarter of a cache line, from `record << RECORD_SHIFT`
 * on; what only the ends need is in four words of another array.
 */
export const RECORD_SHIFT = 2;

/** Words of `Records.words`. Bytes on the wire. */
export const SIZE = 0;
/** Kind in the low bits, then the mark, then the lane. */
export const META = 1;
/** On a wire: the port that it arrives at. In a switch: the port that it came in by. */
export const PORT = 2;
/** Data and acknowledgements: where the next hop stands in the routes. Pause frames: 1 pauses, 0 resumes. */
export const ROUTE = 3;

/** Words of `Records.ends`. The packet's flow. Timers: their argument. */
export const FLOW = 0;
/** The low 32 bits of a byte offset. Timers: their handler. */
export const SEQ = 1;
/** When the packet was sent: the low 32 bits of nanoseconds. */
export const STAMP = 2;
/** Answers under selective repeat to a packet beyond a gap: the low 32 bits of its offset. */
export const ARRIVED = 3;

/** What a record is: the kinds below `PAUSE` are forwarded by switches. */
export const DATA = 0;
export const ACK = 1;
export const NACK = 2;
export const PAUSE = 3;
/** A NIC wakes up to send. */
export const WAKE = 4;
/** Anything else that was planned for a time. */
export const TIMER = 5;

export const KIND_MASK = 7;
/** Congestion experienced; on an acknowledgement, its echo. */
export const MARKED = 8;
export const LANE_SHIFT = 4;
export const LANE_MASK = 15;
/** The packet of a guest: another simulation knows it, by the number in `FLOW`. */
export const GUEST = 256;

const FIRST_CAPACITY = 4096;

/** The records of a fabric: a pool, with telemetry beside them if packets carry it. */
export class Records {
  /** The record behind this one in its list. A column of its own: lists are walked without touching the packets. */
  next: Int32Array;
  words: Int32Array;
  ends: Int32Array;
  /** Per record: the number of hops, then `HOP_WORDS` per hop. Empty unless packets carry telemetry. */
  telemetry: Int32Array;
  /** Words of telemetry per record. */
  readonly telemetryStride: number;
  private capacity = 0;
  private freeHead = -1;
  private freeCount = 0;

  /** `maxHops` is the number of hops that a packet carries telemetry of, 0 for none. */
  constructor(maxHops: number) {
    this.telemetryStride = maxHops === 0 ? 0 : 1 + maxHops * HOP_WORDS;
    this.next = new Int32Array(0);
    this.words = new Int32Array(0);
    this.ends = new Int32Array(0);
    this.telemetry = new Int32Array(0);
    this.grow(FIRST_CAPACITY);
  }

  /** Records that are packets or timers at the moment. */
  get inUse(): number {
    return this.capacity - this.freeCount;
  }

  /** Takes a record. The pool may grow: whoever holds its arrays reads them anew. */
  take(): number {
    if (this.freeHead < 0) this.grow(this.capacity * 2);
    const record = this.freeHead;
    this.freeHead = this.next[record];
    this.freeCount--;
    return record;
  }

  free(record: number): void {
    this.next[record] = this.freeHead;
    this.freeHead = record;
    this.freeCount++;
  }

  /** Makes a record the same as one of another pool: the packet, but not its place in a list. */
  copyFrom(record: number, other: Records, from: number): void {
    const to = record << RECORD_SHIFT;
    const at = from << RECORD_SHIFT;
    for (let word = 0; word < 1 << RECORD_SHIFT; word++) {
      this.words[to + word] = other.words[at + word];
      this.ends[to + word] = other.ends[at + word];
    }
    const stride = this.telemetryStride;
    for (let word = 0; word < stride; word++)
      this.telemetry[record * stride + word] = other.telemetry[from * stride + word];
  }

  private grow(capacity: number): void {
    const next = new Int32Array(capacity);
    const words = new Int32Array(capacity << RECORD_SHIFT);
    const ends = new Int32Array(capacity << RECORD_SHIFT);
    next.set(this.next);
    words.set(this.words);
    ends.set(this.ends);
    this.next = next;
    this.words = words;
    this.ends = ends;
    if (this.telemetryStride > 0) {
      const telemetry = new Int32Array(capacity * this.telemetryStride);
      telemetry.set(this.telemetry);
      this.telemetry = telemetry;
    }
    for (let record = capacity - 1; record >= this.capacity; record--) {
      next[record] = this.freeHead;
      this.freeHead = record;
    }
    this.freeCount += capacity - this.capacity;
    this.capacity = capacity;
  }
}
