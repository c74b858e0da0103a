import { KelpieError } from '../error.js';
import type { EventId } from './queue.js';

// One event is 40 bytes side by side: in 8-byte words time, sequence and c; in 4-byte words from the same start a, b,
// handler and next. A slot is the place of its first 8-byte word, so that finding a field takes no multiplication.
const SLOT_FLOATS = 4;
const C = 1;
const A = 4;
const B = 5;
const HANDLER = 6;
const NEXT = 7;

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
 * Memory of the pending events: slots in one buffer, reused last in first out (the freshest is still in the cache),
 * chained by `next` for whoever owns them.
 *
 * In front of the slots the owner may reserve words for its own tables. All in one buffer, seen through two arrays,
 * means that the compiler loads and checks two arrays in a push or a pop rather than ten.
 */
export class EventStore {
  capacity: number;
  /** The buffer in 4-byte words; the reserved ones come first. Growth replaces it: never keep it. */
  ints: Int32Array;
  private floats: Float64Array;
  private sequences: Float64Array;
  private free = NO_SLOT;
  private sequence = 0;
  private readonly firstSlot: number;

  constructor(capacity: number, reservedInts = 0) {
    if (!Number.isInteger(capacity) || capacity < 1 || capacity > CAPACITY_MAX) {
      throw new KelpieError('QUEUE_CAPACITY', 'a queue cannot start with this capacity', {
        field: 'capacity',
        given: capacity,
        allowed: `an integer from 1 to ${CAPACITY_MAX}`,
      });
    }
    this.capacity = capacity;
    this.firstSlot = (((reservedInts >> 1) + 7) & ~3) + 2;
    this.floats = new Float64Array(this.firstSlot + capacity * SLOT_FLOATS);
    this.ints = new Int32Array(this.floats.buffer);
    this.sequences = new Float64Array((this.firstSlot >> 2) + capacity);
    this.chainFree(0);
  }

  /** Number of events ever written: grows by one a push, and orders events of equal time. */
  get written(): number {
    return this.sequence;
  }

  /** Writes an event to a free slot; the store doubles when it has none. */
  write(time: number, handler: number, a: number, b: number, c: number): number {
    if (handler < 0 || (handler | 0) !== handler || (a | 0) !== a || (b | 0) !== b)
      refuseArguments(handler, a, b);
    if (this.free === NO_SLOT) this.grow();
    const slot = this.free;
    const { floats, ints } = this;
    this.free = ints[2 * slot + NEXT];
    floats[slot] = time;
    this.sequences[slot >> 2] = this.sequence++;
    floats[slot + C] = c;
    ints[2 * slot + A] = a;
    ints[2 * slot + B] = b;
    ints[2 * slot + HANDLER] = handler;
    return slot;
  }

  /** Gives a slot back; its id is stale from now on. */
  release(slot: number): void {
    const { ints } = this;
    ints[2 * slot + HANDLER] = FREE;
    ints[2 * slot + NEXT] = this.free;
    this.free = slot;
  }

  /** Marks the event cancelled and leaves its slot where it is chained; false if the id is stale. */
  cancel(id: EventId): boolean {
    const slot = (id % ID_SLOTS) | 0;
    const offset = slot - this.firstSlot;
    if (offset < 0 || offset >= this.capacity * SLOT_FLOATS || offset % SLOT_FLOATS !== 0) return false;
    if (this.handler(slot) < 0 || this.id(slot) !== id) return false;
    this.ints[2 * slot + HANDLER] = CANCELLED;
    return true;
  }

  /** The id under which the event now in the slot can be cancelled. */
  id(slot: number): EventId {
    return slot + (this.sequences[slot >> 2] & GENERATION_MASK) * ID_SLOTS;
  }

  isCancelled(slot: number): boolean {
    return this.ints[2 * slot + HANDLER] === CANCELLED;
  }

  time(slot: number): number {
    return this.floats[slot];
  }

  order(slot: number): number {
    return this.sequences[slot >> 2];
  }

  handler(slot: number): number {
    return this.ints[2 * slot + HANDLER];
  }

  a(slot: number): number {
    return this.ints[2 * slot + A];
  }

  b(slot: number): number {
    return this.ints[2 * slot + B];
  }

  c(slot: number): number {
    return this.floats[slot + C];
  }

  next(slot: number): number {
    return this.ints[2 * slot + NEXT];
  }

  chain(slot: number, next: number): void {
    this.ints[2 * slot + NEXT] = next;
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
    const floats = new Float64Array(this.firstSlot + this.capacity * SLOT_FLOATS);
    floats.set(this.floats);
    this.floats = floats;
    this.ints = new Int32Array(floats.buffer);
    const sequences = new Float64Array((this.firstSlot >> 2) + this.capacity);
    sequences.set(this.sequences);
    this.sequences = sequences;
    this.chainFree(from);
  }

  /** Chains the slots from the `first`-th on as free, lowest first. */
  private chainFree(first: number): void {
    for (let index = this.capacity - 1; index >= first; index--)
      this.release(this.firstSlot + index * SLOT_FLOATS);
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

function refuseArguments(handler: number, a: number, b: number): never {
  if (handler < 0 || (handler | 0) !== handler) {
    const allowed = 'an integer from 0 to 2147483647';
    throw new KelpieError('EVENT_HANDLER', 'this is no handler number', {
      field: 'handler',
      given: handler,
      allowed,
    });
  }
  const [field, given] = (a | 0) !== a ? ['a', a] : ['b', b];
  throw new KelpieError('EVENT_ARGUMENT', 'an argument of an event does not fit', {
    field: String(field),
    given,
    allowed: 'a 32-bit integer',
  });
}
