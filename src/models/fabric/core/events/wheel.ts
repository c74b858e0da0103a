import { EventBuckets } from './event-buckets.js';
import { LaterHeap } from './later-heap.js';

const LEAST_BITS = 15;
const MOST_BITS = 21;

/**
 * The events of a fabric: a wheel of one-nanosecond buckets, each a list in order of scheduling. That order is ns-3's
 * (time, then order of scheduling), and no two events are ever compared. What lies beyond the horizon waits in a heap
 * and is poured into the wheel twice per turn, before anything can be scheduled behind it.
 */
export class Wheel {
  /** Nanoseconds since the start of the run. */
  nowNs = 0;
  private readonly size: number;
  private readonly mask: number;
  private readonly buckets: EventBuckets;
  private readonly later = new LaterHeap();
  /** The bucket of now. */
  private cursor = 0;
  /** Nanoseconds from now to the horizon: what is nearer goes into the wheel. */
  private room: number;
  /** When the horizon moves next. */
  private pourNs: number;

  /** `reachNs` is a delay that should not need the heap: the longest link. */
  constructor(reachNs: number) {
    const bits = Math.min(MOST_BITS, Math.max(LEAST_BITS, Math.ceil(Math.log2(reachNs + 1)) + 1));
    this.size = 2 ** bits;
    this.mask = this.size - 1;
    this.buckets = new EventBuckets(this.size);
    this.room = this.size;
    this.pourNs = this.size / 2;
  }

  /** Schedules a record this many nanoseconds from now. */
  after(delayNs: number, record: number): void {
    if (delayNs >= this.room) this.later.push(this.nowNs + delayNs, record);
    else this.buckets.append((this.cursor + delayNs) & this.mask, record);
  }

  /** Moves to the next nanosecond that has records, no further than `untilNs`; false if there is none. */
  advance(untilNs: number): boolean {
    for (;;) {
      // Halves are aligned, so that the rest of this half does not wrap around.
      const bucket = this.buckets.next(this.cursor, this.cursor | (this.mask >> 1));
      if (bucket >= 0) {
        const timeNs = this.nowNs + bucket - this.cursor;
        this.moveTo(timeNs < untilNs ? timeNs : untilNs);
        return timeNs <= untilNs;
      }
      if (this.pourNs > untilNs) {
        this.moveTo(untilNs);
        return false;
      }
      if (this.later.size === 0 && this.buckets.isEmpty()) return false;
      this.pour(untilNs);
    }
  }

  /** When the next record is due; Infinity if there is none. */
  nextNs(): number {
    const { buckets, cursor, mask } = this;
    const last = cursor | (mask >> 1);
    const here = buckets.next(cursor, last);
    if (here >= 0) return this.nowNs + here - cursor;
    // The other half lies behind this one in time.
    const other = (last + 1) & mask;
    const there = buckets.next(other, other | (mask >> 1));
    if (there >= 0) return this.pourNs + there - other;
    return this.later.size > 0 ? this.later.firstNs : Infinity;
  }

  /** Records of this nanosecond that have not been taken. */
  get count(): number {
    return this.buckets.countOf(this.cursor);
  }

  /** Takes all records of this nanosecond, in order, into `records`, which has room for `count` of them. */
  take(records: Int32Array): void {
    this.buckets.take(this.cursor, records);
  }

  private moveTo(timeNs: number): void {
    const ticks = timeNs - this.nowNs;
    if (ticks <= 0) return;
    this.nowNs = timeNs;
    this.cursor = (this.cursor + ticks) & this.mask;
    this.room -= ticks;
  }

  /**
   * Moves to the end of this half and lets in what the horizon now reaches. Skips turns in which nothing happens, but
   * stays at or before `untilNs`: others may schedule for what comes after it.
   */
  private pour(untilNs: number): void {
    const { later } = this;
    const half = this.size / 2;
    this.moveTo(this.pourNs);
    if (later.size > 0 && this.buckets.isEmpty()) {
      const idle = Math.floor((Math.min(later.firstNs, untilNs) - this.nowNs) / half) - 1;
      if (idle > 0) this.moveTo(this.nowNs + idle * half);
    }
    this.pourNs = this.nowNs + half;
    this.room = this.size;
    const horizonNs = this.nowNs + this.size;
    while (later.size > 0 && later.firstNs < horizonNs) {
      const ticks = later.firstNs - this.nowNs;
      this.buckets.append((this.cursor + ticks) & this.mask, later.pop());
    }
  }
}
