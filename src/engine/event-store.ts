import { KelpieError } from '../error.js';
import type { EventId } from './queue.js';

// One event is 32 bytes, half a cache line, so that none lies across two: an 8-byte word for the time, then 4-byte words
// for sequence, handler, a, b and c. Slot 0 is never used.
export const SLOT_FLOATS = 4;
export const SLOT_INTS = 8;
export const SEQUENCE = 2;
export const HANDLER = 3;
export const A = 4;
export const B = 5;
export const C = 6;

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
 * Memory of the pending events: slots in one buffer, reused last in first out (the freshest is still in the cache).
 *
 * Slots are chained in an array of their own, which is small enough to stay in the cache: who walks a chain then knows
 * all its slots before the first of them has come from memory, and the processor fetches them side by side.
 */
export class EventStore {
  capacity: number;
  /** Times, `SLOT_FLOATS` apart, words, `SLOT_INTS` apart, and next of the slots. Growth replaces them: never keep them. */
  times: Float64Array;
  words: Int32Array;
  links: Int32Array;
  private free = NO_SLOT;
  /** The slot written last. */
  private last = NO_SLOT;
  private sequence = 0;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1 || capacity > CAPACITY_MAX) {
      throw new KelpieError('QUEUE_CAPACITY', 'a queue cannot start with this capacity', {
        field: 'capacity',
        given: capacity,
        allowed: `an integer from 1 to ${CAPACITY_MAX}`,
      });
    }
    this.capacity = capacity;
    this.times = new Float64Array((capacity + 1) * SLOT_FLOATS);
    this.words = new Int32Array(this.times.buffer);
    this.links = new Int32Array(capacity + 1);
    this.chainFree(1);
  }

  /** Number of events ever written, modulo 2^32: grows by one a push, and orders events of equal time. */
  get written(): number {
    return this.sequence;
  }

  /** Writes an event to a free slot; the store doubles when it has none. */
  write(time: number, handler: number, a: number, b: number, c: number): number {
    if (handler < 0 || (handler | 0) !== handler || (a | 0) !== a || (b | 0) !== b || (c | 0) !== c)
      refuseArguments(handler, a, b, c);
    if (this.free === NO_SLOT) this.grow();
    const slot = this.free;
    const { words } = this;
    const at = slot * SLOT_INTS;
    this.free = this.links[slot];
    this.times[slot * SLOT_FLOATS] = time;
    words[at + SEQUENCE] = this.sequence;
    this.sequence = (this.sequence + 1) | 0;
    words[at + HANDLER] = handler;
    words[at + A] = a;
    words[at + B] = b;
    words[at + C] = c;
    this.last = slot;
    return slot;
  }

  /** Gives a slot back; its id is stale from now on. */
  release(slot: number): void {
    this.words[slot * SLOT_INTS + HANDLER] = FREE;
    this.links[slot] = this.free;
    this.free = slot;
  }

  /** Marks the event cancelled and leaves its slot where it is chained; false if the id is stale. */
  cancel(id: EventId): boolean {
    const slot = (id % ID_SLOTS) | 0;
    if (slot < 1 || slot > this.capacity) return false;
    if (this.handler(slot) < 0 || this.id(slot) !== id) return false;
    this.words[slot * SLOT_INTS + HANDLER] = CANCELLED;
    return true;
  }

  /** The id of the event written last. */
  get lastId(): EventId {
    return this.id(this.last);
  }

  /** The id under which the event now in the slot can be cancelled. */
  private id(slot: number): EventId {
    return slot + (this.words[slot * SLOT_INTS + SEQUENCE] & GENERATION_MASK) * ID_SLOTS;
  }

  isCancelled(slot: number): boolean {
    return this.words[slot * SLOT_INTS + HANDLER] === CANCELLED;
  }

  time(slot: number): number {
    return this.times[slot * SLOT_FLOATS];
  }

  /** Whether one slot was written before another: modulo 2^32, which is exact unless 2^31 pushes lie between them. */
  isOlder(slot: number, other: number): boolean {
    const { words } = this;
    return ((words[slot * SLOT_INTS + SEQUENCE] - words[other * SLOT_INTS + SEQUENCE]) | 0) < 0;
  }

  handler(slot: number): number {
    return this.words[slot * SLOT_INTS + HANDLER];
  }

  a(slot: number): number {
    return this.words[slot * SLOT_INTS + A];
  }

  b(slot: number): number {
    return this.words[slot * SLOT_INTS + B];
  }

  c(slot: number): number {
    return this.words[slot * SLOT_INTS + C];
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
    const times = new Float64Array((this.capacity + 1) * SLOT_FLOATS);
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

/** Refuses what is no time or lies before `earliest`. Kept out of line: the caller tests, this one only throws. */
export function refuseTime(time: number, earliest: number): never {
  const detail = {
    field: 'time',
    given: time,
    allowed: `an integer from ${earliest} to ${Number.MAX_SAFE_INTEGER}`,
  };
  if (time < earliest)
    throw new KelpieError('EVENT_IN_PAST', 'an event cannot happen before the present', detail);
  throw new KelpieError('EVENT_TIME', 'the time of an event is not a safe integer', detail);
}

function refuseArguments(handler: number, a: number, b: number, c: number): never {
  if (handler < 0 || (handler | 0) !== handler) {
    const allowed = 'an integer from 0 to 2147483647';
    throw new KelpieError('EVENT_HANDLER', 'this is no handler number', {
      field: 'handler',
      given: handler,
      allowed,
    });
  }
  const [field, given] = (a | 0) !== a ? ['a', a] : (b | 0) !== b ? ['b', b] : ['c', c];
  throw new KelpieError('EVENT_ARGUMENT', 'an argument of an event does not fit', {
    field: String(field),
    given,
    allowed: 'a 32-bit integer',
  });
}
