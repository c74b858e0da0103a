import type { Random } from '../../engine/index.js';

/** A key that nobody looks up. */
const STRANGER = 2 ** 31 - 1;

/** The shape of a set-associative cache. */
export interface SetCacheOptions {
  entries: number;
  /** Places of a set; 8 where left out. A key can only be in the set that its hash names. */
  ways?: number;
  /** Draws the way that is replaced. */
  random: Random;
}

/**
 * A set-associative cache of integer keys with random replacement, for contexts and translations. Random replacement
 * makes misses grow gradually once the working set is larger than the cache; least-recently-used under round-robin
 * access would fall off a cliff.
 */
export class SetCache {
  hits = 0;
  misses = 0;
  private readonly sets: number;
  private readonly ways: number;
  private readonly keys: Int32Array;
  private readonly random: Random;
  /** Where a key is, -1 where it is not. Keys are small and dense. */
  private placeOf = new Int32Array(256).fill(-1);

  constructor(options: SetCacheOptions) {
    this.ways = Math.min(options.ways ?? 8, options.entries);
    this.sets = Math.max(1, Math.floor(options.entries / this.ways));
    this.keys = new Int32Array(this.sets * this.ways).fill(-1);
    this.random = options.random;
  }

  /** Entries that it can hold. */
  get entries(): number {
    return this.keys.length;
  }

  /** Looks a key up, counts, and says whether it is there. A miss changes nothing: `fill` does, when the data came. */
  lookup(key: number): boolean {
    const hit = this.has(key);
    if (hit) this.hits++;
    else this.misses++;
    return hit;
  }

  /** Whether the key is there; counts nothing. */
  has(key: number): boolean {
    return key < this.placeOf.length && this.placeOf[key] >= 0;
  }

  /** Puts a key in, in a free way of its set or in the place of a random one. */
  fill(key: number): void {
    if (key >= this.placeOf.length) this.extend(key);
    if (this.placeOf[key] >= 0) return;
    const place = this.freePlace(this.setOf(key));
    this.keys[place] = key;
    this.placeOf[key] = place;
  }

  /** Puts in entries that nobody will look up, each in a set of its own drawing: others may give way to them. */
  fillStrangers(count: number): void {
    for (let entry = 0; entry < count; entry++) {
      this.keys[this.freePlace(this.random.nextInt(this.sets))] = STRANGER;
    }
  }

  /** Takes a key out, if it is there. */
  evict(key: number): void {
    if (!this.has(key)) return;
    this.keys[this.placeOf[key]] = -1;
    this.placeOf[key] = -1;
  }

  /** Empties it. */
  clear(): void {
    for (let place = 0; place < this.keys.length; place++) this.forget(place);
    this.keys.fill(-1);
  }

  /** A place of a set for a new key: a free one, or that of a random key, which is forgotten. */
  private freePlace(set: number): number {
    const first = set * this.ways;
    for (let place = first; place < first + this.ways; place++) if (this.keys[place] < 0) return place;
    const place = first + this.random.nextInt(this.ways);
    this.forget(place);
    return place;
  }

  private forget(place: number): void {
    const key = this.keys[place];
    if (key >= 0 && key !== STRANGER) this.placeOf[key] = -1;
  }

  // Dense keys spread evenly over the sets by a multiplicative hash, as hardware index hashes do.
  private setOf(key: number): number {
    // The high bits: the low ones of a product keep the parity of the key, and would leave half of the sets empty.
    return Math.floor(((Math.imul(key, 0x9e3779b1) >>> 0) / 2 ** 32) * this.sets);
  }

  private extend(key: number): void {
    const next = new Int32Array(Math.max(2 * this.placeOf.length, key + 1)).fill(-1);
    next.set(this.placeOf);
    this.placeOf = next;
  }
}
