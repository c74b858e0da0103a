import { HOP_WORDS } from '../../../transport/congestion/rates/feedback.js';

/**
 * The words of a record. A record is a packet and, while it is on a wire, the event of its arrival; timers are records
 * too. It is in one list at a time: a bucket of the wheel, a queue of a port, or the free list.
 */
export const NEXT = 0;
/** The packet's flow. Timers: their argument. */
export const FLOW = 1;
/** Data and acknowledgements: the low 32 bits of a byte offset. Pause frames: the class. Timers: their handler. */
export const SEQ = 2;
/** Bytes on the wire. */
export const SIZE = 3;
/** Kind in the low bits, then the mark, then the class; above `EXTRA_SHIFT` what the kind needs. */
export const META = 4;
/** On a wire: the port that it arrives at. In a switch: the port that it came in by. */
export const PORT = 5;
/** Data and acknowledgements: where the next hop stands in the routes. Pause frames: 1 pauses, 0 resumes. */
export const ROUTE = 6;
/** When the packet was sent: the low 32 bits of nanoseconds. */
export const STAMP = 7;

/** A record is 8 words: its first word is at `record << RECORD_SHIFT`. */
export const RECORD_SHIFT = 3;

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
export const CLASS_SHIFT = 4;
export const CLASS_MASK = 7;

/** Traffic classes of a port. A queue's number is `(port << QUEUE_SHIFT) | class`. */
export const CLASSES = 8;
export const QUEUE_SHIFT = 3;

/** A handler takes no more records than this; the loop keeps so many free, so that none moves while it runs. */
const RESERVE = 16;
const FIRST_CAPACITY = 4096;

/** The records of a fabric: a pool of 8 words each, with telemetry beside them if packets carry it. */
export class Records {
  words: Int32Array;
  /** Per record: the number of hops, then `HOP_WORDS` per hop. Empty unless packets carry telemetry. */
  telemetry: Int32Array;
  /** Words of telemetry per record. */
  readonly telemetryStride: number;
  private readonly fixed: number;
  private capacity: number;
  private freeHead = -1;
  private freeCount = 0;

  /** The first `fixed` records are never in the pool: they belong to the ports. */
  constructor(fixed: number, maxHops: number) {
    this.fixed = fixed;
    this.capacity = fixed;
    this.telemetryStride = maxHops === 0 ? 0 : 1 + maxHops * HOP_WORDS;
    this.words = new Int32Array(fixed << RECORD_SHIFT);
    this.telemetry = new Int32Array(0);
    this.grow(fixed + FIRST_CAPACITY);
  }

  /** Records that are packets or timers at the moment. */
  get inUse(): number {
    return this.capacity - this.fixed - this.freeCount;
  }

  /** Called between events: makes sure that the next handler finds records without moving the pool. */
  ensure(count = RESERVE): void {
    if (this.freeCount < count) this.grow(this.capacity + Math.max(this.capacity, count));
  }

  take(): number {
    const record = this.freeHead;
    this.freeHead = this.words[(record << RECORD_SHIFT) + NEXT];
    this.freeCount--;
    return record;
  }

  free(record: number): void {
    this.words[(record << RECORD_SHIFT) + NEXT] = this.freeHead;
    this.freeHead = record;
    this.freeCount++;
  }

  private grow(capacity: number): void {
    const words = new Int32Array(capacity << RECORD_SHIFT);
    words.set(this.words);
    this.words = words;
    if (this.telemetryStride > 0) {
      const telemetry = new Int32Array(capacity * this.telemetryStride);
      telemetry.set(this.telemetry);
      this.telemetry = telemetry;
    }
    for (let record = capacity - 1; record >= this.capacity; record--) {
      words[(record << RECORD_SHIFT) + NEXT] = this.freeHead;
      this.freeHead = record;
    }
    this.freeCount += capacity - this.capacity;
    this.capacity = capacity;
  }
}
