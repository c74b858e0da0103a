import { type EventStore, NO_SLOT } from './event-store.js';

/**
 * One level of a timing wheel: a ring of buckets of equal width, each a chain of slots in no order, and a bitmap of
 * the occupied ones, so that the next of them is a few words away.
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
  readonly mask: number;
  /** The first slot of every bucket's chain; behind them the bitmap. */
  readonly heads: Int32Array;

  /** `buckets` is a power of two, 32 or more. */
  constructor(buckets: number) {
    this.buckets = buckets;
    this.mask = buckets - 1;
    this.heads = new Int32Array(buckets + (buckets >>> 5));
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

  add(store: EventStore, index: number, slot: number): void {
    const { heads } = this;
    const head = heads[index];
    store.chain(slot, head);
    heads[index] = slot;
    if (head === NO_SLOT) this.mark(index);
  }

  /** Empties a bucket and returns its chain. */
  take(index: number): number {
    const { heads } = this;
    const head = heads[index];
    if (head === NO_SLOT) return NO_SLOT;
    heads[index] = NO_SLOT;
    this.unmark(index);
    return head;
  }

  /** Notes that a bucket is no longer empty. */
  mark(index: number): void {
    this.heads[this.buckets + (index >>> 5)] |= 1 << index;
  }

  /** Notes that a bucket is empty. */
  unmark(index: number): void {
    this.heads[this.buckets + (index >>> 5)] &= ~(1 << index);
  }

  /** How many buckets on from `index`, around the ring, the first occupied one lies; -1 if all are empty. */
  distance(index: number): number {
    const { heads, buckets, mask } = this;
    const word = index >>> 5;
    let bits = heads[buckets + word] & (-1 << index);
    if (bits !== 0) return lowestBit(bits) - (index & 31);
    const wordMask = mask >>> 5;
    for (let step = 1; step <= wordMask + 1; step++) {
      const place = (word + step) & wordMask;
      bits = heads[buckets + place];
      if (bits !== 0) return ((place << 5) + lowestBit(bits) - index) & mask;
    }
    return -1;
  }
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
