import type { Random } from '../../engine/index.js';

/** Draws for an entry that is to give way. */
const SACRIFICE_DRAWS = 16;
/** The columns of a cache that has held nothing: shared, since nothing can be written to them. */
const NONE = {
  owners: new Uint8Array(0),
  bytes: new Float64Array(0),
  keys: new Int32Array(0),
  sizes: new Uint16Array(0),
};
/** Room for entries, and for keys, once there is one. */
const FIRST_CAPACITY = 256;
/** Tenants that can be told apart. */
const TENANTS = 256;

/**
 * A cache of entries of different sizes with random replacement, for work requests that are used once and freed then.
 *
 * An entry that is needed only after much else has come has a chance to have been pushed out that grows with what has
 * come, so that misses set in gradually when the entries outgrow the cache. Keys are dense integers.
 */
export class EntryCache {
  /** Entries that were pushed out before they were used. */
  evictions = 0;
  private readonly capacityBytes: number;
  private readonly random: Random;
  private readonly quotaBytes: ((tenant: number) => number) | null;
  private usedBytes = 0;
  /** Whose each entry is, and what each tenant has; with a quota alone. */
  private owners = NONE.owners;
  private ownedBytes = NONE.bytes;
  /** The keys that are here, in no order, and their sizes. */
  private keys = NONE.keys;
  private sizes = NONE.sizes;
  private count = 0;
  /** Where a key stands in `keys`, -1 where it does not. */
  private placeOf = NONE.keys;

  /** `quotaBytes`: what a tenant may have now, where tenants are told apart. */
  constructor(capacityBytes: number, random: Random, quotaBytes: ((tenant: number) => number) | null = null) {
    this.capacityBytes = capacityBytes;
    this.random = random;
    this.quotaBytes = quotaBytes;
  }

  /** Bytes in it. */
  get bytes(): number {
    return this.usedBytes;
  }

  /** Whether an entry is here. */
  has(key: number): boolean {
    return key < this.placeOf.length && this.placeOf[key] >= 0;
  }

  /** Puts an entry in; random others give way until it has room. */
  insert(key: number, sizeBytes: number, tenant = 0): void {
    if (key >= this.placeOf.length) this.extend(key);
    if (this.placeOf[key] >= 0) return;
    while (this.count > 0 && this.usedBytes + sizeBytes > this.capacityBytes) {
      this.evictions++;
      this.removeAt(this.quotaBytes === null ? this.random.nextInt(this.count) : this.sacrifice(tenant));
    }
    if (sizeBytes > this.capacityBytes) return;
    if (this.count === this.keys.length) this.grow();
    this.keys[this.count] = key;
    this.sizes[this.count] = sizeBytes;
    this.owners[this.count] = tenant;
    this.ownedBytes[tenant] += sizeBytes;
    this.placeOf[key] = this.count++;
    this.usedBytes += sizeBytes;
  }

  /** Takes an entry out because it is no longer needed. */
  free(key: number): void {
    if (this.has(key)) this.removeAt(this.placeOf[key]);
  }

  /** A random entry of the tenant's own when it has enough; else of one that has too much; a few draws find one. */
  private sacrifice(tenant: number): number {
    const full = this.ownedBytes[tenant] >= this.quotaBytes!(tenant);
    let place = 0;
    for (let draw = 0; draw < SACRIFICE_DRAWS; draw++) {
      place = this.random.nextInt(this.count);
      const owner = this.owners[place];
      if (full ? owner === tenant : this.ownedBytes[owner] > this.quotaBytes!(owner)) return place;
    }
    return place;
  }

  private removeAt(place: number): void {
    this.placeOf[this.keys[place]] = -1;
    this.usedBytes -= this.sizes[place];
    this.ownedBytes[this.owners[place]] -= this.sizes[place];
    const last = --this.count;
    if (place === last) return;
    this.owners[place] = this.owners[last];
    this.keys[place] = this.keys[last];
    this.sizes[place] = this.sizes[last];
    this.placeOf[this.keys[place]] = place;
  }

  private grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, 2 * this.keys.length);
    if (this.ownedBytes.length === 0) this.ownedBytes = new Float64Array(TENANTS);
    const keys = new Int32Array(capacity);
    keys.set(this.keys);
    this.keys = keys;
    const sizes = new Uint16Array(capacity);
    sizes.set(this.sizes);
    this.sizes = sizes;
    const owners = new Uint8Array(capacity);
    owners.set(this.owners);
    this.owners = owners;
  }

  private extend(key: number): void {
    const next = new Int32Array(Math.max(FIRST_CAPACITY, 2 * this.placeOf.length, key + 1)).fill(-1);
    next.set(this.placeOf);
    this.placeOf = next;
  }
}
