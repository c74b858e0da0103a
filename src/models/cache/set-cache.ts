import type { Random } from '../../engine/index.js';

/** A key that nobody looks up. */
const STRANGER = 2 ** 31 - 1;
/** The tables of a cache that has held nothing: shared, since nothing can be written to them. */
const NONE = new Int32Array(0);
const NO_OWNERS = new Uint8Array(0);
/** Keys that `placeOf` has room for once there is one. */
const FIRST_KEYS = 256;
/** Tenants that can be told apart. */
const TENANTS = 256;

/**
 * A tenant at its quota keeps one out of this many of the keys that come. If it has more keys than places and kept every
 * key, it would have lost each before it is looked up again.
 */
const KEEPS_ONE_IN = 8;

/** The shape of a set-associative cache. */
export interface SetCacheOptions {
  entries: number;
  /** Places of a set; default: 8. A key can only be in the set that its hash names. */
  ways?: number;
  /** Draws the way that is replaced. */
  random: Random;
  /**
   * Entries that a tenant may have now, where tenants are told apart: one that has as many replaces its own, now and then,
   * and one that has more gives way to the others.
   */
  quota?: (tenant: number) => number;
  /** Whether keys may be any numbers below 2^31; default: they are small and dense, and found at once. */
  sparse?: boolean;
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
  /** By place; made when the first key comes, as devices that stay idle are many. */
  private keys = NONE;
  private readonly random: Random;
  private readonly quota: ((tenant: number) => number) | null;
  /** Whose each place is, and how many places each tenant has; with a quota alone. */
  private owners = NO_OWNERS;
  private readonly counts: Int32Array;
  /** Where a key is, -1 where it is not. Empty where keys are sparse: then the set of a key is searched. */
  private placeOf = NONE;
  private readonly sparse: boolean;

  constructor(options: SetCacheOptions) {
    this.ways = Math.min(options.ways ?? 8, options.entries);
    this.sets = Math.max(1, Math.floor(options.entries / this.ways));
    this.random = options.random;
    this.quota = options.quota ?? null;
    this.sparse = options.sparse ?? false;
    this.counts = this.quota === null ? NONE : new Int32Array(TENANTS);
  }

  /** Entries that it can hold. */
  get entries(): number {
    return this.sets * this.ways;
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
    return this.sparse ? this.search(key) >= 0 : key < this.placeOf.length && this.placeOf[key] >= 0;
  }

  /**
   * Puts a key in, in a free way of its set or in the place of a random one. A tenant at its quota keeps what it has most of
   * the time. Says whether a key had to leave, the new one itself where it is not kept.
   */
  fill(key: number, tenant = 0): boolean {
    if (!this.sparse && key >= this.placeOf.length) this.extend(key);
    if (this.has(key)) return false;
    const set = this.setOf(key);
    if (this.quota !== null && this.isPassedOver(set, tenant)) return true;
    const place = this.freePlace(set, tenant);
    const replaces = this.keys[place] >= 0;
    this.keys[place] = key;
    if (!this.sparse) this.placeOf[key] = place;
    return replaces;
  }

  /** Puts in entries that nobody will look up, each in a set of its own drawing: others may give way to them. */
  fillStrangers(count: number, tenant = 0): void {
    for (let entry = 0; entry < count; entry++) {
      this.keys[this.freePlace(this.random.nextInt(this.sets), tenant)] = STRANGER;
    }
  }

  /** Takes a key out, if it is there. */
  evict(key: number): void {
    if (!this.has(key)) return;
    const place = this.sparse ? this.search(key) : this.placeOf[key];
    this.forget(place);
    this.keys[place] = -1;
  }

  /** Empties it; where tenants are told apart, of this tenant's entries. */
  clear(tenant = 0): void {
    for (let place = 0; place < this.keys.length; place++) {
      if (this.keys[place] < 0 || (this.quota !== null && this.owners[place] !== tenant)) continue;
      this.forget(place);
      this.keys[place] = -1;
    }
  }

  /** Whether a new key of a tenant that has its quota, beside others, is not kept. */
  private isPassedOver(set: number, tenant: number): boolean {
    const quota = this.quota!(tenant);
    if (this.counts[tenant] < quota || quota >= this.entries || this.hasRoom(set)) return false;
    return this.random.nextInt(KEEPS_ONE_IN) > 0;
  }

  private hasRoom(set: number): boolean {
    const first = set * this.ways;
    for (let place = first; place < first + this.ways; place++) if (this.keys[place] < 0) return true;
    return false;
  }

  /** A place of a set for a new key: a free one, or that of a random key, which is forgotten. */
  private freePlace(set: number, tenant: number): number {
    if (this.keys.length === 0) this.makePlaces();
    const first = set * this.ways;
    let place = first;
    while (place < first + this.ways && this.keys[place] >= 0) place++;
    if (place === first + this.ways) {
      place = this.quota === null ? first + this.random.nextInt(this.ways) : this.sacrifice(first, tenant);
      this.forget(place);
    }
    if (this.quota !== null) {
      this.owners[place] = tenant;
      this.counts[tenant]++;
    }
    return place;
  }

  /** With quotas: one's own entry when one has enough; else one of a tenant that has too much; else any. */
  private sacrifice(first: number, tenant: number): number {
    const start = this.random.nextInt(this.ways);
    const full = this.counts[tenant] >= this.quota!(tenant);
    for (let step = 0; step < this.ways; step++) {
      const place = first + ((start + step) % this.ways);
      const owner = this.owners[place];
      if (full ? owner === tenant : owner !== tenant && this.counts[owner] > this.quota!(owner)) return place;
    }
    return first + start;
  }

  private forget(place: number): void {
    const key = this.keys[place];
    if (key < 0) return;
    if (this.quota !== null) this.counts[this.owners[place]]--;
    if (key !== STRANGER && !this.sparse) this.placeOf[key] = -1;
  }

  private search(key: number): number {
    const first = this.setOf(key) * this.ways;
    for (let place = first; place < first + this.ways; place++) if (this.keys[place] === key) return place;
    return -1;
  }

  // Dense keys spread evenly over the sets by a multiplicative hash, as hardware index hashes do.
  private setOf(key: number): number {
    // The high bits: the low ones of a product keep the parity of the key, and would leave half of the sets empty.
    return Math.floor(((Math.imul(key, 0x9e3779b1) >>> 0) / 2 ** 32) * this.sets);
  }

  private makePlaces(): void {
    this.keys = new Int32Array(this.entries).fill(-1);
    if (this.quota !== null) this.owners = new Uint8Array(this.entries);
  }

  private extend(key: number): void {
    const next = new Int32Array(Math.max(FIRST_KEYS, 2 * this.placeOf.length, key + 1)).fill(-1);
    next.set(this.placeOf);
    this.placeOf = next;
  }
}
