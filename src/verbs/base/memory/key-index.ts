import { NO_SLOT } from '../codes.js';

/** Random 32-bit words: seeded in a simulation, from the system where strangers could guess keys. */
export type RandomWords = () => number;

/** The bits of a key that name its entry; the 8 below are the entry's key byte. */
const INDEX_BITS = 24;
const INDEX_MASK = 2 ** INDEX_BITS - 1;
const MOST_DRAWS = 64;
const FIRST_CAPACITY = 128;
/** The places of an index without entries: one that is free, which ends every search. */
const NO_PLACES = Int32Array.of(NO_SLOT);
const NO_BITS = new Uint32Array(1);

/**
 * Finds the slot of an entry by the 24 index bits of its key, which are drawn at random for every entry: an old key says
 * nothing about the next one of its slot, and one key nothing about others. Open addressing with linear probing; the
 * bits are random already, so that they need no hash function.
 */
export class KeyIndex {
  /** Slots by place; NO_SLOT where free. At most half are taken. */
  private places = NO_PLACES;
  /** The index bits by place. */
  private bits = NO_BITS;
  private mask = 0;
  private used = 0;
  private readonly random: RandomWords;

  constructor(random: RandomWords) {
    this.random = random;
  }

  /** The slot of these index bits, NO_SLOT where there is none. */
  find(bits: number): number {
    const { places, bits: known, mask } = this;
    let at = bits & mask;
    while (places[at] !== NO_SLOT) {
      if (known[at] === bits) return places[at];
      at = (at + 1) & mask;
    }
    return NO_SLOT;
  }

  /** Draws index bits for a slot that nobody else has; never 0, so that no key is, which programs take for 'none'. */
  add(slot: number): number {
    if (2 * (this.used + 1) > this.places.length) this.grow();
    let bits = this.random() >>> (32 - INDEX_BITS);
    // Bits that are taken are rare; where they are not, a source that repeats itself must not be asked forever.
    for (let tries = 1; bits === 0 || this.find(bits) !== NO_SLOT; tries++)
      bits = tries < MOST_DRAWS ? this.random() >>> (32 - INDEX_BITS) : (bits + 1) & INDEX_MASK;
    this.insert(bits, slot);
    this.used++;
    return bits;
  }

  /** Forgets index bits that were drawn; bits that nobody has are passed over. */
  remove(bits: number): void {
    const { places, mask } = this;
    let hole = bits & mask;
    while (places[hole] !== NO_SLOT && this.bits[hole] !== bits) hole = (hole + 1) & mask;
    if (places[hole] === NO_SLOT) return;
    // What probing would find behind the hole moves up into it.
    for (let at = (hole + 1) & mask; places[at] !== NO_SLOT; at = (at + 1) & mask) {
      const home = this.bits[at] & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      places[hole] = places[at];
      this.bits[hole] = this.bits[at];
      hole = at;
    }
    places[hole] = NO_SLOT;
    this.used--;
  }

  private insert(bits: number, slot: number): void {
    let at = bits & this.mask;
    while (this.places[at] !== NO_SLOT) at = (at + 1) & this.mask;
    this.places[at] = slot;
    this.bits[at] = bits;
  }

  private grow(): void {
    const { places, bits } = this;
    const capacity = Math.max(FIRST_CAPACITY, 2 * places.length);
    this.places = new Int32Array(capacity).fill(NO_SLOT);
    this.bits = new Uint32Array(capacity);
    this.mask = capacity - 1;
    for (let at = 0; at < places.length; at++) if (places[at] !== NO_SLOT) this.insert(bits[at], places[at]);
  }
}
