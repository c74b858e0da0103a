import { KelpieError } from '../error.js';
import type { EventId, Handler } from './queue.js';

// One event is 32 bytes, half a cache line, so that none lies across two: an 8-byte word for the time, then 4-byte words
// for sequence, handler, a, b, c and the stamp. Slot 0 is never used.
export const SLOT_FLOATS_LOG = 2;
export const SLOT_INTS_LOG = 3;
export const SEQUENCE = 2;
export const HANDLER = 3;
export const A = 4;
export const B = 5;
export const C = 6;
const STAMP = 7;

const CANCELLED = -1;
const FREE = -2;

// An id is slot + generation * 2^26: 26 + 27 bits make a safe integer. The generation is the low part of the sequence
// number, which no two pushes share within 2^27 pushes.
const ID_SLOTS = 2 ** 26;
const GENERATION_MASK = 2 ** 27 - 1;
const CAPACITY_MAX = 2 ** 23;

/** Ends a chain of slots; no slot has this number, and fresh memory is full of it. */
export const NO_SLOT = 0;

/**
 * What all queues are built on: memory of the pending events, slots in one buffer, reused last in first out (the
 * freshest is still in the cache), and the event that was handed over last. A queue extends it rather than having one:
 * a push and a pop are short enough that the way to another object shows.
 *
 * Slots are chained in an array of their own, which is small enough to stay in the cache: who walks a chain then knows
 * all its slots before the first of them has come from memory, and the processor fetches them side by side.
 */
export class EventStore {
  time = 0;
  handler = 0;
  capacity: number;
  /** Times, 4 apart, words, 8 apart, and next of the slots. Growth replaces them: never keep them. */
  times: Float64Array;
  words: Int32Array;
  links: Int32Array;
  private free = NO_SLOT;
  /** The slot written last. */
  private last = NO_SLOT;
  private sequence = 0;
  /**
   * When events are pushed now: twice the time, modulo 2^32, plus 1 where they only count as pushed then. It decides
   * between events of equal time where one of them has that 1, and those lie far less than 2^30 ticks apart.
   */
  private stamp = 0;
  /** Events that were handed over or cancelled, modulo 2^32. */
  protected gone = 0;
  /** The slot that was handed over last: what it held stays there until the next push. */
  private handed = NO_SLOT;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1 || capacity > CAPACITY_MAX) {
      throw new KelpieError('QUEUE_CAPACITY', 'a queue cannot start with this capacity', {
        field: 'capacity',
        given: capacity,
        allowed: `an integer from 1 to ${CAPACITY_MAX}`,
      });
    }
    this.capacity = capacity;
    this.times = new Float64Array((capacity + 1) << SLOT_FLOATS_LOG);
    this.words = new Int32Array(this.times.buffer);
    this.links = new Int32Array(capacity + 1);
    this.chainFree(1);
  }

  /** Number of events ever written, modulo 2^32: grows by one a push, and orders events of equal time. */
  get written(): number {
    return this.sequence;
  }

  get size(): number {
    return (this.sequence - this.gone) | 0;
  }

  get a(): number {
    return this.words[(this.handed << SLOT_INTS_LOG) + A];
  }

  get b(): number {
    return this.words[(this.handed << SLOT_INTS_LOG) + B];
  }

  get c(): number {
    return this.words[(this.handed << SLOT_INTS_LOG) + C];
  }

  /** Calls the handler of the event handed over last: one look at its slot, where `a`, `b` and `c` are one each. */
  call(handlers: readonly Handler[]): void {
    const { words } = this;
    const at = this.handed << SLOT_INTS_LOG;
    handlers[this.handler](words[at + A], words[at + B], words[at + C]);
  }

  /** Names the event written last. */
  get pushed(): EventId {
    return this.idOf(this.last);
  }

  /** Writes an event to a free slot; the store doubles when it has none. */
  protected write(time: number, handler: number, a: number, b: number, c: number): number {
    if (this.free === NO_SLOT) this.grow();
    const slot = this.free;
    const { words } = this;
    const at = slot << SLOT_INTS_LOG;
    this.free = this.links[slot];
    this.times[slot << SLOT_FLOATS_LOG] = time;
    const { sequence } = this;
    words[at + SEQUENCE] = sequence;
    this.sequence = (sequence + 1) | 0;
    words[at + HANDLER] = handler;
    words[at + A] = a;
    words[at + B] = b;
    words[at + C] = c;
    words[at + STAMP] = this.stamp;
    this.last = slot;
    return slot;
  }

  /** Hands the event of a slot over in the fields and frees the slot; false if it was cancelled. */
  protected handOver(slot: number): boolean {
    const { words } = this;
    const at = (slot << SLOT_INTS_LOG) + HANDLER;
    const handler = words[at];
    words[at] = FREE;
    this.links[slot] = this.free;
    this.free = slot;
    if (handler < 0) return false;
    const time = this.times[slot << SLOT_FLOATS_LOG];
    this.time = time;
    this.stamp = (time | 0) << 1;
    this.handler = handler;
    this.handed = slot;
    this.gone = (this.gone + 1) | 0;
    return true;
  }

  /** Gives a slot back; its id is stale from now on. */
  release(slot: number): void {
    this.words[(slot << SLOT_INTS_LOG) + HANDLER] = FREE;
    this.links[slot] = this.free;
    this.free = slot;
  }

  /** Marks the event cancelled and leaves its slot where it is chained; false if the id is stale. */
  protected cancelSlot(id: EventId): boolean {
    const slot = (id % ID_SLOTS) | 0;
    if (slot < 1 || slot > this.capacity) return false;
    if (this.words[(slot << SLOT_INTS_LOG) + HANDLER] < 0 || this.idOf(slot) !== id) return false;
    this.words[(slot << SLOT_INTS_LOG) + HANDLER] = CANCELLED;
    this.gone = (this.gone + 1) | 0;
    return true;
  }

  /** The id under which the event now in the slot can be cancelled. */
  private idOf(slot: number): EventId {
    return slot + (this.words[(slot << SLOT_INTS_LOG) + SEQUENCE] & GENERATION_MASK) * ID_SLOTS;
  }

  isCancelled(slot: number): boolean {
    return this.words[(slot << SLOT_INTS_LOG) + HANDLER] === CANCELLED;
  }

  timeOf(slot: number): number {
    return this.times[slot << SLOT_FLOATS_LOG];
  }

  /** Events count as pushed at a time from now on, until the next pop or `standNow`. */
  standAsOf(time: number): void {
    this.stamp = ((time | 0) << 1) | 1;
  }

  /** Events count as pushed when they are. */
  standNow(): void {
    this.stamp = (this.time | 0) << 1;
  }

  /** Whether one slot was written before another: modulo 2^32, which is exact unless 2^31 pushes lie between them. */
  isOlder(slot: number, other: number): boolean {
    const { words } = this;
    const at = slot << SLOT_INTS_LOG;
    const than = other << SLOT_INTS_LOG;
    const isBefore = ((words[at + SEQUENCE] - words[than + SEQUENCE]) | 0) < 0;
    // What was pushed before an event that counts as pushed later is older in any case.
    const late = isBefore ? words[at + STAMP] : words[than + STAMP];
    if ((late & 1) === 0) return isBefore;
    const apart = ((words[at + STAMP] & ~1) - (words[than + STAMP] & ~1)) | 0;
    return apart === 0 ? isBefore : apart < 0;
  }

  next(slot: number): number {
    return this.links[slot];
  }

  chain(slot: number, next: number): void {
    this.links[slot] = next;
  }

  private grow(): void {
    const from = this.capacity;
    if (from >= CAPACITY_MAX) {
      throw new KelpieError('QUEUE_FULL', 'too many events are pending', {
        field: 'size',
        given: from,
        allowed: `at most ${CAPACITY_MAX}`,
      });
    }
    this.capacity = Math.min(from * 2, CAPACITY_MAX);
    const times = new Float64Array((this.capacity + 1) << SLOT_FLOATS_LOG);
    times.set(this.times);
    this.times = times;
    this.words = new Int32Array(times.buffer);
    const links = new Int32Array(this.capacity + 1);
    links.set(this.links);
    this.links = links;
    this.chainFree(from + 1);
  }

  /** Chains the slots from `first` on as free, lowest first. */
  private chainFree(first: number): void {
    for (let slot = this.capacity; slot >= first; slot--) this.release(slot);
  }
}
