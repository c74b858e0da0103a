import { EventStore, NO_SLOT, SLOT_FLOATS_LOG } from './event-store.js';
import type { EventId, Queue } from './queue.js';
import { SlotHeap } from './slot-heap.js';
import { WheelLevel } from './wheel-level.js';

/** Buckets of the nearest level: 16384 heads are 64 KB and stay in the cache. */
const NEAR_BUCKETS = 2 ** 14;
const NEAR_MASK = NEAR_BUCKETS - 1;
/** Buckets of each farther level. */
const FAR_BUCKETS = 2 ** 10;
/** 14 + 4 * 10 bits cover every safe integer, even with buckets of one tick. */
const FAR_LEVELS = 4;
/** Fewer, and finding the next bucket costs more than finding the first event in it. */
const EVENTS_A_BUCKET = 0.5;
/** A chain longer than this is sorted by a heap: walking it once a pop would cost more. */
const LONG_CHAIN = 24;
/** The length is looked at once per this many pops: that costs next to nothing, and no crowd is walked much more often. */
const POPS_BETWEEN_CHECKS = 32;
/** Width of the near buckets before anything was measured. */
const FIRST_WIDTH = 1024;
/** Buckets between two looks at the pace. */
const BUCKETS_BETWEEN_LOOKS = 256;
/** Fewest pops between two fits of the width; at many events a quarter of them, as a fit may move them all. */
const POPS_BETWEEN_FITS = 1024;
/** A heap beyond this is no longer small: the buckets may be too wide. */
const SMALL_HEAP = 256;
/** Cancelled events that may lie about before they are worth a sweep. */
const CANCELLED_SPARE = 1024;

/**
 * The fast queue: a ladder of timing wheels.
 *
 * Events lie in buckets, each a short chain in no order. One bucket is the current one: it holds everything before the
 * `horizon`, and a pop walks its chain for the earliest (time, then insertion). When it is empty, the next occupied
 * bucket of the nearest level becomes the current one. Buckets of a farther level are poured into nearer ones when the
 * horizon reaches them. Most events are placed once and never moved, and since order is decided when they are taken,
 * moving never disturbs it. A current bucket of many (a crowd at one instant) goes into a heap until that is empty.
 *
 * The bucket width follows the load: as many ticks as part of a pop takes, which keeps about one event in a bucket at a
 * thousand pending events as at a million.
 */
export class EventQueue extends EventStore implements Queue {
  /** Takes the current bucket while it is long. */
  private readonly heap: SlotHeap = new SlotHeap(this);
  private readonly near = new WheelLevel(NEAR_BUCKETS);
  private readonly heads = this.near.heads;
  private inverseWidth = 1;
  private readonly far: WheelLevel[] = [];
  /** Events before this time are in the current bucket or the heap; a multiple of the near width. */
  private horizon = 0;
  /** Events from here on are in the far levels. */
  private nearEnd = 0;
  /** Place of the current bucket in the near level. */
  private current = 0;
  /** Start of the earliest occupied bucket of the far levels. */
  private nextCascade = Number.POSITIVE_INFINITY;
  /** Events in heap and wheels that were cancelled. */
  private cancelled = 0;
  /** Whether the heap is in use: pops then go through it, and so does what was pushed before the horizon. */
  private crowded = false;
  /** When this many events have gone, the length of the current bucket is looked at. */
  private goneAtCheck = POPS_BETWEEN_CHECKS;
  private heapLimit = SMALL_HEAP;
  /** Nothing begins before this time, as long as no more was written. */
  private quietUntil = 0;
  private quietWritten = 0;
  /** Time, pushes and size at the last look at the width. */
  private lookTime = 0;
  private lookWritten = 0;
  private lookSize = 0;
  /** Buckets from now to the next look. */
  private bucketsToLook = BUCKETS_BETWEEN_LOOKS;

  constructor(capacity = 1024) {
    super(capacity);
    for (let level = 0; level < FAR_LEVELS; level++) this.far.push(new WheelLevel(FAR_BUCKETS));
    this.setWidth(FIRST_WIDTH);
    this.enter(0);
  }

  push(time: number, handler: number, a: number, b: number, c: number): void {
    const slot = this.write(time, handler, a, b, c);
    if (time >= this.nearEnd) {
      this.placeFar(slot);
      return;
    }
    const { heads } = this;
    const index = time < this.horizon ? this.current : (time * this.inverseWidth) & NEAR_MASK;
    const head = heads[index];
    this.links[slot] = head;
    heads[index] = slot;
    if (head === NO_SLOT) heads[NEAR_BUCKETS + (index >>> 5)] |= 1 << index;
  }

  cancel(id: EventId): boolean {
    if (!this.cancelSlot(id)) return false;
    // Cancelled events stay in their chains until they come first; timers set far ahead and cancelled at once
    // would pile up, hence the sweep when they outnumber the live ones.
    if (++this.cancelled > this.size + CANCELLED_SPARE) this.rebuild(this.near.width);
    return true;
  }

  pop(): boolean {
    return this.popUntil(Number.POSITIVE_INFINITY);
  }

  popUntil(limit: number): boolean {
    if (this.crowded) return this.popHeap(limit);
    const { heads, times, links } = this;
    let head = heads[this.current];
    if (head === NO_SLOT) {
      if (!this.advance(limit)) return false;
      head = heads[this.current];
    }
    let first = head;
    let firstTime = times[head << SLOT_FLOATS_LOG];
    let beforeFirst = NO_SLOT;
    let before = head;
    for (let slot = links[head]; slot !== NO_SLOT; slot = links[slot]) {
      const time = times[slot << SLOT_FLOATS_LOG];
      if (time < firstTime || (time === firstTime && this.isOlder(slot, first))) {
        first = slot;
        firstTime = time;
        beforeFirst = before;
      }
      before = slot;
    }
    if (firstTime > limit) return false;
    const next = links[first];
    if (beforeFirst !== NO_SLOT) links[beforeFirst] = next;
    else {
      heads[this.current] = next;
      if (next === NO_SLOT) heads[NEAR_BUCKETS + (this.current >>> 5)] &= ~(1 << this.current);
    }
    if (((this.gone - this.goneAtCheck) | 0) >= 0) this.sortCrowd();
    return this.handOver(first) || this.popAgain(limit);
  }

  peekTime(): number {
    const { near, heap } = this;
    for (;;) {
      if (this.crowded) {
        this.fillHeap();
        while (heap.size > 0) {
          if (!this.isCancelled(heap.first)) return heap.firstTime;
          this.drop(heap.remove());
        }
        this.crowded = false;
      }
      let earliest = Number.POSITIVE_INFINITY;
      for (let slot = near.heads[this.current]; slot !== NO_SLOT; slot = this.next(slot)) {
        if (!this.isCancelled(slot)) earliest = Math.min(earliest, this.timeOf(slot));
      }
      if (earliest !== Number.POSITIVE_INFINITY) return earliest;
      this.replace(near.take(this.current));
      if (!this.advance(Number.POSITIVE_INFINITY)) return earliest;
    }
  }

  /** The event that came first was cancelled, and its slot is free now. */
  private popAgain(limit: number): boolean {
    this.cancelled--;
    return this.popUntil(limit);
  }

  private popHeap(limit: number): boolean {
    const { heap } = this;
    this.fillHeap();
    while (heap.size > 0) {
      if (heap.firstTime > limit) return false;
      if (this.handOver(heap.remove())) return true;
      this.cancelled--;
    }
    this.crowded = false;
    return this.popUntil(limit);
  }

  /** Forgets a cancelled event. */
  private drop(slot: number): void {
    this.release(slot);
    this.cancelled--;
  }

  // No call from here on passes a time: numbers beyond 2^31 would be allocated wherever it is not inlined.

  /** Puts a slot where its time belongs. */
  private place(slot: number): void {
    const time = this.timeOf(slot);
    if (time >= this.nearEnd) this.placeFar(slot);
    else if (time >= this.horizon) this.near.add(this, this.near.indexOf(time), slot);
    else this.near.add(this, this.current, slot);
  }

  private placeFar(slot: number): void {
    const time = this.timeOf(slot);
    const { far } = this;
    for (let index = 0; index < far.length; index++) {
      const level = far[index];
      const bucket = Math.floor(time * level.inverseWidth);
      if (bucket - Math.floor(this.horizon * level.inverseWidth) < FAR_BUCKETS) {
        level.add(this, bucket & level.mask, slot);
        const start = bucket * level.width;
        if (start < this.nextCascade) this.nextCascade = start;
        return;
      }
    }
  }

  /** Makes the next occupied bucket the current one, which is empty; false if nothing begins by the limit. */
  private advance(limit: number): boolean {
    // Programs that post verb after verb ask time and again whether something is due now. All that begins before the
    // horizon was in the current bucket.
    if (limit < this.horizon) return false;
    if (limit < this.quietUntil && this.quietWritten === this.written) return false;
    if (--this.bucketsToLook < 0) {
      this.look();
      if (this.heads[this.current] !== NO_SLOT) return true;
    }
    const { near } = this;
    for (;;) {
      const distance = near.distance((this.current + 1) & NEAR_MASK);
      const start = distance < 0 ? Number.POSITIVE_INFINITY : this.horizon + distance * near.width;
      if (start < this.nextCascade) {
        // The horizon stays behind the limit: were it to run ahead to a lone timer, all pushes until then would
        // crowd in one bucket.
        if (start > limit) return this.quiet(start);
        this.current = (this.current + 1 + distance) & NEAR_MASK;
        this.horizon = start + near.width;
        this.nearEnd = start + near.span;
        return true;
      }
      if (this.nextCascade > limit || this.nextCascade === Number.POSITIVE_INFINITY)
        return this.quiet(this.nextCascade);
      this.cascade(this.nextCascade);
      if (near.heads[this.current] !== NO_SLOT) return true;
    }
  }

  /** Remembers that nothing begins before a time, unless something is pushed; false, for `advance`. */
  private quiet(until: number): boolean {
    this.quietUntil = until;
    this.quietWritten = this.written;
    return false;
  }

  /** Moves the horizon past a bucket boundary of the far levels and pours every far bucket that begins there. */
  private cascade(start: number): void {
    const { far } = this;
    this.enter(start);
    this.nextCascade = Number.POSITIVE_INFINITY;
    for (let index = far.length - 1; index >= 0; index--) {
      const level = far[index];
      if (level.startOf(start) === start) this.replace(level.take(level.indexOf(start)));
    }
    for (let index = 0; index < far.length; index++) {
      const level = far[index];
      const distance = level.distance(level.indexOf(start));
      if (distance >= 0)
        this.nextCascade = Math.min(this.nextCascade, level.startOf(start) + distance * level.width);
    }
  }

  /** Moves the current bucket into the heap if it is long. */
  private sortCrowd(): void {
    this.goneAtCheck = (this.gone + POPS_BETWEEN_CHECKS) | 0;
    const { links } = this;
    let slot = this.heads[this.current];
    for (let length = 0; slot !== NO_SLOT; slot = links[slot]) {
      if (++length > LONG_CHAIN) {
        this.fillHeap();
        return;
      }
    }
  }

  /** Moves the current bucket into the heap. */
  private fillHeap(): void {
    this.crowded = true;
    const { heap, near } = this;
    let slot = near.take(this.current);
    while (slot !== NO_SLOT) {
      const next = this.next(slot);
      heap.add(slot);
      slot = next;
    }
    // Not sooner: relief moves the horizon back, and then the rest of the chain would not belong here.
    if (heap.size > this.heapLimit) this.relieveHeap();
  }

  /** Places a chain of slots anew, without the cancelled ones. */
  private replace(chain: number): void {
    let slot = chain;
    while (slot !== NO_SLOT) {
      const next = this.next(slot);
      if (this.isCancelled(slot)) this.drop(slot);
      else this.place(slot);
      slot = next;
    }
  }

  /** Fits the width of the buckets to the pace of the last pops, now and then. */
  private look(): void {
    this.bucketsToLook = BUCKETS_BETWEEN_LOOKS;
    const pops = ((this.written - this.lookWritten) | 0) - (this.size - this.lookSize);
    if (pops < POPS_BETWEEN_FITS || pops < this.size >> 2) return;
    const width = widthFor((EVENTS_A_BUCKET * (this.time - this.lookTime)) / pops);
    this.lookTime = this.time;
    this.lookWritten = this.written;
    this.lookSize = this.size;
    this.heapLimit = SMALL_HEAP;
    // A factor of four, lest a load between two powers of two be moved to and fro.
    if (width >= 4 * this.near.width || 4 * width <= this.near.width) this.rebuild(width);
  }
  /**
   * The heap has outgrown its limit: the buckets are too wide for a burst, or `peekTime` has sent the horizon ahead of
   * the present. Moves its events back to narrower buckets, unless they are few of many: then the next look serves.
   * The limit doubles, so that a crowd at one instant, which no width can part, is not moved again and again.
   */
  private relieveHeap(): void {
    this.heapLimit *= 2;
    if (this.heap.size * 4 < this.size) return;
    const ahead = this.horizon - this.time;
    const width = Math.min(this.near.width, widthFor((EVENTS_A_BUCKET * ahead) / this.heap.size));
    if (4 * width <= this.near.width || ahead > 4 * this.near.width) this.rebuild(width);
  }

  /** Puts every event into buckets of a new width, with the horizon at the present, and drops the cancelled ones. */
  private rebuild(width: number): void {
    const { heap, near, far } = this;
    let all = NO_SLOT;
    this.crowded = false;
    while (heap.size > 0) {
      const slot = heap.at(--heap.size);
      this.chain(slot, all);
      all = slot;
    }
    all = this.unload(near, all);
    for (const level of far) all = this.unload(level, all);
    this.setWidth(width);
    this.enter(near.startOf(this.time));
    this.nextCascade = Number.POSITIVE_INFINITY;
    this.replace(all);
  }

  /** Empties a level in front of a chain and returns the longer chain. */
  private unload(level: WheelLevel, chain: number): number {
    let all = chain;
    let index = 0;
    // On from the bucket before: looking from the first one each time, a full ring would be walked once per bucket.
    for (let distance = level.distance(0); distance >= 0; distance = level.distance(index)) {
      index = (index + distance) & level.mask;
      let slot = level.take(index);
      while (slot !== NO_SLOT) {
        const next = this.next(slot);
        this.chain(slot, all);
        all = slot;
        slot = next;
      }
    }
    return all;
  }

  /** Makes the bucket that begins at `start` the current one. */
  private enter(start: number): void {
    const { near } = this;
    this.current = near.indexOf(start);
    this.horizon = start + near.width;
    // Not one bucket more: its place in the ring would be that of the current one.
    this.nearEnd = start + near.span;
  }

  private setWidth(width: number): void {
    this.near.setWidth(width);
    this.inverseWidth = 1 / width;
    let levelWidth = width * NEAR_BUCKETS;
    for (const level of this.far) {
      level.setWidth(levelWidth);
      levelWidth *= FAR_BUCKETS;
    }
  }
}

/** The least power of two, from 1 to 2^40, that is no less than the spacing. */
function widthFor(spacing: number): number {
  let width = 1;
  while (width < spacing && width < 2 ** 40) width *= 2;
  return width;
}
