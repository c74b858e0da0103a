import { EventStore, NO_SLOT, refuseTime } from './event-store.js';
import type { EventId, Queue } from './queue.js';
import { SlotHeap } from './slot-heap.js';
import { SortedRun } from './sorted-run.js';
import { WheelLevel } from './wheel-level.js';

/** Buckets of the nearest level: 8192 heads are 32 KB and stay in the cache. */
const NEAR_BUCKETS = 2 ** 13;
/** Buckets of each farther level. */
const FAR_BUCKETS = 2 ** 10;
/** 14 + 4 * 10 bits cover every safe integer, even with buckets of one tick. */
const FAR_LEVELS = 4;
/** So many events of a bucket are fetched from memory side by side; more would make sorting dearer. */
const EVENTS_A_BUCKET = 8;
/** Width of the near buckets before anything was measured. */
const FIRST_WIDTH = 1024;
/** Fewest pops between two looks at the width of the buckets. */
const POPS_BETWEEN_LOOKS = 1024;
/** A heap beyond this is no longer small: the buckets may be too wide. */
const SMALL_HEAP = 256;
/** Cancelled events that may lie about before they are worth a sweep. */
const CANCELLED_SPARE = 1024;

/**
 * The fast queue: a ladder of timing wheels over a short sorted run.
 *
 * Events before `horizon` are in a sorted run of a few (and in a heap, should they be many); the others lie unsorted in
 * buckets. When both are empty, the next occupied bucket of the nearest level is poured into the run. Buckets of a
 * farther level are poured into nearer ones when the horizon reaches them. An event is moved once or twice in its life,
 * and order (time, then insertion) is decided in run and heap alone, so that moving never disturbs it.
 *
 * The bucket width follows the load: as many ticks as a few pops take, which keeps a few events in a bucket at a
 * thousand pending events as at a million.
 */
export class EventQueue implements Queue {
  time = 0;
  handler = 0;
  a = 0;
  b = 0;
  c = 0;
  size = 0;
  private readonly store: EventStore;
  private readonly run: SortedRun;
  /** What does not fit into the run. */
  private readonly heap: SlotHeap;
  private readonly near: WheelLevel;
  private readonly far: WheelLevel[] = [];
  /** Events before this time are in run or heap, all others in the wheels; a multiple of the near width. */
  private horizon = 0;
  /** Events from here on are in the far levels. */
  private nearEnd = 0;
  /** Place of the horizon in the near level. */
  private nearIndex = 0;
  /** Start of the earliest occupied bucket of the far levels. */
  private nextCascade = Number.POSITIVE_INFINITY;
  /** Events in run, heap and wheels that were cancelled. */
  private cancelled = 0;
  private heapLimit = SMALL_HEAP;
  /** Time and number of pops at the last look at the width. */
  private lookTime = 0;
  private lookPops = 0;
  /** Number of pops at which to look again. */
  private nextLook = POPS_BETWEEN_LOOKS;

  constructor(capacity = 1024) {
    const nearInts = WheelLevel.intsFor(NEAR_BUCKETS);
    const farInts = WheelLevel.intsFor(FAR_BUCKETS);
    this.store = new EventStore(capacity, nearInts + FAR_LEVELS * farInts);
    this.run = new SortedRun(this.store);
    this.heap = new SlotHeap(this.store);
    this.near = new WheelLevel(this.store, NEAR_BUCKETS, 0);
    for (let level = 0; level < FAR_LEVELS; level++) {
      this.far.push(new WheelLevel(this.store, FAR_BUCKETS, nearInts + level * farInts));
    }
    this.setWidth(FIRST_WIDTH);
    this.setHorizon(0);
  }

  push(time: number, handler: number, a = 0, b = 0, c = 0): EventId {
    if (!(time >= this.time && time <= Number.MAX_SAFE_INTEGER && Math.floor(time) === time))
      refuseTime(time, this.time);
    const slot = this.store.write(time, handler, a, b, c);
    this.size++;
    this.place(slot);
    return this.store.id(slot);
  }

  cancel(id: EventId): boolean {
    if (!this.store.cancel(id)) return false;
    this.size--;
    // Cancelled events stay in their chains until these are poured; timers set far ahead and cancelled at once
    // would pile up, hence the sweep when they outnumber the live ones.
    if (++this.cancelled > this.size + CANCELLED_SPARE) this.rebuild(this.near.width);
    return true;
  }

  pop(): boolean {
    return this.popUntil(Number.POSITIVE_INFINITY);
  }

  popUntil(limit: number): boolean {
    const { run, heap, store } = this;
    const ready = run.size > 0 && heap.size === 0 && !store.isCancelled(run.first);
    const slot = ready ? run.first : this.findFirst(limit);
    if (slot === NO_SLOT) return false;
    const time = store.time(slot);
    if (time > limit) return false;
    if (heap.size === 0) run.size--;
    else this.removeFirst(slot);
    this.time = time;
    this.handler = store.handler(slot);
    this.a = store.a(slot);
    this.b = store.b(slot);
    this.c = store.c(slot);
    store.release(slot);
    this.size--;
    return true;
  }

  peekTime(): number {
    const slot = this.findFirst(Number.POSITIVE_INFINITY);
    return slot === NO_SLOT ? Number.POSITIVE_INFINITY : this.store.time(slot);
  }

  /** The earliest event that was not cancelled, now in run or heap; none if nothing begins by the limit. */
  private findFirst(limit: number): number {
    const { run, heap, store } = this;
    for (;;) {
      if (run.size + heap.size === 0) {
        if (this.pour(limit)) continue;
        return NO_SLOT;
      }
      const inHeap = heap.size > 0 && (run.size === 0 || heap.isBefore(run.first));
      const slot = inHeap ? heap.first : run.first;
      if (!store.isCancelled(slot)) return slot;
      this.removeFirst(slot);
      store.release(slot);
      this.cancelled--;
    }
  }

  /** Removes the slot, which is the first of either, from run or heap. */
  private removeFirst(slot: number): void {
    if (this.run.size > 0 && this.run.first === slot) this.run.size--;
    else this.heap.remove();
  }

  /** Puts a slot where its time belongs. */
  private place(slot: number): void {
    const time = this.store.time(slot);
    if (time >= this.nearEnd) this.placeFar(slot);
    else if (time >= this.horizon) this.near.add(this.near.indexOf(time), slot);
    else this.placeSorted(slot);
  }

  private placeSorted(slot: number): void {
    if (this.run.add(slot)) return;
    this.heap.add(slot);
    if (this.heap.size > this.heapLimit) this.relieveHeap();
  }

  private placeFar(slot: number): void {
    const time = this.store.time(slot);
    const { far } = this;
    for (let index = 0; index < far.length; index++) {
      const level = far[index];
      const start = level.startOf(time);
      if (start - level.startOf(this.horizon) < level.span) {
        level.add(level.indexOf(time), slot);
        if (start < this.nextCascade) this.nextCascade = start;
        return;
      }
    }
  }

  /** Pours the next bucket into the run, or far ones into nearer ones; false if nothing begins by the limit. */
  private pour(limit: number): boolean {
    if (this.store.written - this.size >= this.nextLook) this.look();
    const { near } = this;
    const distance = near.distance(this.nearIndex);
    const start = distance < 0 ? Number.POSITIVE_INFINITY : this.horizon + distance * near.width;
    if (start < this.nextCascade) {
      // The horizon stays behind the limit: were it to run ahead to a lone timer, all pushes until then would
      // have to be sorted at once.
      if (start > limit) return false;
      const chain = near.take(near.indexOf(start));
      this.setHorizon(start + near.width);
      this.pourNear(chain);
      return true;
    }
    if (this.nextCascade > limit || this.nextCascade === Number.POSITIVE_INFINITY) return false;
    this.cascade(this.nextCascade);
    return true;
  }

  /** Moves the horizon to a bucket boundary of the far levels and pours every far bucket that begins there. */
  private cascade(start: number): void {
    const { far } = this;
    this.setHorizon(start);
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

  /** Sorts a chain of slots into the run. Cancelled ones are dropped there, when they come first. */
  private pourNear(chain: number): void {
    const { store, run, heap } = this;
    // Run and heap are dry when a bucket is poured.
    let slot = run.fill(chain);
    while (slot !== NO_SLOT) {
      const next = store.next(slot);
      heap.add(slot);
      slot = next;
    }
    // Not sooner: relief moves the horizon back, and then the rest of the chain would not belong here.
    if (heap.size > this.heapLimit) this.relieveHeap();
  }

  /** Places a chain of slots anew, without the cancelled ones. */
  private replace(chain: number): void {
    const { store } = this;
    let slot = chain;
    while (slot !== NO_SLOT) {
      const next = store.next(slot);
      if (store.isCancelled(slot)) {
        store.release(slot);
        this.cancelled--;
      } else this.place(slot);
      slot = next;
    }
  }

  /** Fits the width of the buckets to the pace of the last pops, now and then. */
  private look(): void {
    const pops = this.store.written - this.size;
    const width = widthFor((EVENTS_A_BUCKET * (this.time - this.lookTime)) / (pops - this.lookPops));
    this.lookTime = this.time;
    this.lookPops = pops;
    this.nextLook = pops + Math.max(POPS_BETWEEN_LOOKS, this.size / 4);
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
    const { run, heap, near, far, store } = this;
    let all = NO_SLOT;
    for (; run.size > 0; run.size--) {
      store.chain(run.first, all);
      all = run.first;
    }
    while (heap.size > 0) {
      const slot = heap.at(--heap.size);
      store.chain(slot, all);
      all = slot;
    }
    all = this.unload(near, all);
    for (const level of far) all = this.unload(level, all);
    this.setWidth(width);
    this.setHorizon(near.startOf(this.time));
    this.nextCascade = Number.POSITIVE_INFINITY;
    this.replace(all);
  }

  /** Empties a level in front of a chain and returns the longer chain. */
  private unload(level: WheelLevel, chain: number): number {
    const { store } = this;
    const from = level.indexOf(this.horizon);
    let all = chain;
    for (let distance = level.distance(from); distance >= 0; distance = level.distance(from)) {
      let slot = level.take((from + distance) & (level.buckets - 1));
      while (slot !== NO_SLOT) {
        const next = store.next(slot);
        store.chain(slot, all);
        all = slot;
        slot = next;
      }
    }
    return all;
  }

  private setHorizon(horizon: number): void {
    this.horizon = horizon;
    this.nearIndex = this.near.indexOf(horizon);
    this.nearEnd = horizon + this.near.span;
  }

  private setWidth(width: number): void {
    this.near.setWidth(width);
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
