import { type EventStore, NO_SLOT } from './event-store.js';

/**
 * One level of a timing wheel: a ring of buckets of equal width, each a chain of slots in no order, and a bitmap of
 * the occupied ones with a summary bit for every 32 buckets, so that the next occupied bucket is a few words away.
 *
 * The ring holds the `buckets` consecutive buckets from the horizon of its owner on. Places in it are small integers, so
 * that no call passes a floating-point number, which might be allocated.
 */
export class WheelLevel {
  /** Width of a bucket in ticks, a power of two. */
  width = 1;
  /** 1 / width: exact, as the width is a power of two. */
  inverseWidth = 1;
  /** Ticks once around the ring. */
  span = 1;
  readonly buckets: number;
  private readonly mask: number;
  private readonly store: EventStore;
  private readonly heads: number;
  private readonly words: number;
  private readonly summary: number;

  /** How many 4-byte words a level of this many buckets needs. */
  static intsFor(buckets: number): number {
    return buckets + (buckets >>> 5) + (buckets >>> 10);
  }

  /** Takes its tables from the words of the store from `firstInt` on. `buckets` is a power of two, 1024 or more. */
  constructor(store: EventStore, buckets: number, firstInt: number) {
    this.store = store;
    this.buckets = buckets;
    this.mask = buckets - 1;
    this.heads = firstInt;
    this.words = this.heads + buckets;
    this.summary = this.words + (buckets >>> 5);
  }

  setWidth(width: number): void {
    this.width = width;
    this.inverseWidth = 1 / width;
    this.span = this.buckets * width;
  }

  /** Start of the bucket that a time falls into. */
  startOf(time: number): number {
    return Math.floor(time * this.inverseWidth) * this.width;
  }

  /** Place in the ring of the bucket that a time falls into. */
  indexOf(time: number): number {
    // Bit operators drop the fraction and take a number modulo 2^32, which keeps the low bits of any safe integer.
    return (time * this.inverseWidth) & this.mask;
  }

  add(index: number, slot: number): void {
    const { links: ints } = this.store;
    const place = this.heads + index;
    const head = ints[place];
    this.store.chain(slot, head);
    ints[place] = slot;
    if (head === NO_SLOT) {
      ints[this.words + (index >>> 5)] |= 1 << index;
      ints[this.summary + (index >>> 10)] |= 1 << (index >>> 5);
    }
  }

  /** Empties a bucket and returns its chain. */
  take(index: number): number {
    const { links: ints } = this.store;
    const head = ints[this.heads + index];
    if (head === NO_SLOT) return NO_SLOT;
    ints[this.heads + index] = NO_SLOT;
    const word = index >>> 5;
    const left = ints[this.words + word] & ~(1 << index);
    ints[this.words + word] = left;
    if (left === 0) ints[this.summary + (word >>> 5)] &= ~(1 << word);
    return head;
  }

  /** How many buckets on from `index`, around the ring, the first occupied one lies; -1 if all are empty. */
  distance(index: number): number {
    const { links: ints } = this.store;
    const word = index >>> 5;
    const bits = ints[this.words + word] & (-1 << index);
    if (bits !== 0) return (word << 5) + lowestBit(bits) - index;
    const found = this.nextWord(word);
    return found < 0 ? -1 : ((found << 5) + lowestBit(ints[this.words + found]) - index) & this.mask;
  }

  /** The first word with a bit set after `word`, around the ring and back to `word` itself; -1 if there is none. */
  private nextWord(word: number): number {
    const { links: ints } = this.store;
    const count = this.buckets >>> 10;
    let place = word >>> 5;
    // The shift count is taken modulo 32, so the word after the last of a group must not wrap to its first.
    let bits = (word & 31) === 31 ? 0 : ints[this.summary + place] & (-1 << (word + 1));
    for (let tries = 0; tries <= count; tries++) {
      if (bits !== 0) return (place << 5) + lowestBit(bits);
      place = place + 1 === count ? 0 : place + 1;
      bits = ints[this.summary + place];
    }
    return -1;
  }
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
