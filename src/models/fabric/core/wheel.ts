import { LaterHeap } from './later-heap.js';
import { NEXT, RECORD_SHIFT, type Records } from './records.js';

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
  private readonly records: Records;
  private readonly size: number;
  private readonly mask: number;
  /** Head and tail of each bucket's list; head -1 if it is empty. */
  private readonly buckets: Int32Array;
  /** A bit per bucket that has records. */
  private readonly occupied: Int32Array;
  private readonly later = new LaterHeap();
  /** The bucket of now. */
  private cursor = 0;
  /** Nanoseconds from now to the horizon: what is nearer goes into the wheel. */
  private room: number;
  /** When the horizon moves next. */
  private pourNs: number;

  /** `reachNs` is a delay that should not need the heap: the longest link. */
  constructor(records: Records, reachNs: number) {
    const bits = Math.min(MOST_BITS, Math.max(LEAST_BITS, Math.ceil(Math.log2(reachNs + 1)) + 1));
    this.records = records;
    this.size = 2 ** bits;
    this.mask = this.size - 1;
    this.buckets = new Int32Array(2 * this.size).fill(-1);
    this.occupied = new Int32Array(this.size >> 5);
    this.room = this.size;
    this.pourNs = this.size / 2;
  }

  /** Schedules a record so many nanoseconds from now. */
  after(delayNs: number, record: number): void {
    if (delayNs >= this.room) {
      this.later.push(this.nowNs + delayNs, record);
      return;
    }
    this.append((this.cursor + delayNs) & this.mask, record);
  }

  /** Moves to the next nanosecond that has records, no further than `untilNs`; false if there is none. */
  advance(untilNs: number): boolean {
    for (;;) {
      const ticks = this.ticksToNext();
      if (ticks >= 0) {
        if (this.nowNs + ticks > untilNs) {
          this.moveTo(untilNs);
          return false;
        }
        this.move(ticks);
        return true;
      }
      if (this.pourNs > untilNs) {
        this.moveTo(untilNs);
        return false;
      }
      if (this.later.size === 0 && this.isEmpty()) return false;
      this.pour();
    }
  }

  /** Takes the next record of this nanosecond; -1 if there is none. */
  take(): number {
    const at = this.cursor << 1;
    const { buckets } = this;
    const record = buckets[at];
    if (record >= 0) buckets[at] = this.records.words[(record << RECORD_SHIFT) + NEXT];
    else this.occupied[this.cursor >>> 5] &= ~(1 << (this.cursor & 31));
    return record;
  }

  private append(bucket: number, record: number): void {
    const { buckets } = this;
    const { words } = this.records;
    const at = bucket << 1;
    words[(record << RECORD_SHIFT) + NEXT] = -1;
    if (buckets[at] < 0) {
      buckets[at] = record;
      this.occupied[bucket >>> 5] |= 1 << (bucket & 31);
    } else {
      words[(buckets[at + 1] << RECORD_SHIFT) + NEXT] = record;
    }
    buckets[at + 1] = record;
  }

  /** Ticks to the next occupied bucket of this half of the wheel; -1 if there is none. */
  private ticksToNext(): number {
    const { occupied, cursor } = this;
    let word = cursor >>> 5;
    let bits = occupied[word] & (-1 << (cursor & 31));
    if (bits === 0) {
      // The half that `pourNs` ends: halves are aligned, so that it does not wrap.
      const end = (cursor | (this.mask >> 1)) >>> 5;
      do {
        if (word === end) return -1;
        bits = occupied[++word];
      } while (bits === 0);
    }
    return (word << 5) + 31 - Math.clz32(bits & -bits) - cursor;
  }

  private move(ticks: number): void {
    this.nowNs += ticks;
    this.cursor = (this.cursor + ticks) & this.mask;
    this.room -= ticks;
  }

  private moveTo(timeNs: number): void {
    if (timeNs > this.nowNs) this.move(timeNs - this.nowNs);
  }

  /** Moves to the end of this half and lets in what the horizon now reaches. Skips turns in which nothing happens. */
  private pour(): void {
    const half = this.size / 2;
    this.moveTo(this.pourNs);
    if (this.later.size > 0 && this.isEmpty()) {
      const idleTurns = Math.floor((this.later.firstNs - this.nowNs) / half) - 1;
      if (idleTurns > 0) {
        this.room += idleTurns * half;
        this.move(idleTurns * half);
      }
    }
    this.pourNs = this.nowNs + half;
    this.room = this.size;
    const horizonNs = this.nowNs + this.size;
    const { later } = this;
    while (later.size > 0 && later.firstNs < horizonNs) {
      const timeNs = later.firstNs;
      this.append((this.cursor + (timeNs - this.nowNs)) & this.mask, later.pop());
    }
  }

  private isEmpty(): boolean {
    const { occupied } = this;
    for (let word = 0; word < occupied.length; word++) if (occupied[word] !== 0) return false;
    return true;
  }
}
