import type { Random } from '../../engine/index.js';

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
  private usedBytes = 0;
  /** The keys that are here, in no order, and their sizes. */
  private keys = new Int32Array(256);
  private sizes = new Uint16Array(256);
  private count = 0;
  /** Where a key stands in `keys`, -1 where it does not. */
  private placeOf = new Int32Array(256).fill(-1);

  constructor(capacityBytes: number, random: Random) {
    this.capacityBytes = capacityBytes;
    this.random = random;
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
  insert(key: number, sizeBytes: number): void {
    if (key >= this.placeOf.length) this.extend(key);
    if (this.placeOf[key] >= 0) return;
    while (this.count > 0 && this.usedBytes + sizeBytes > this.capacityBytes) {
      this.evictions++;
      this.removeAt(this.random.nextInt(this.count));
    }
    if (sizeBytes > this.capacityBytes) return;
    if (this.count === this.keys.length) this.grow();
    this.keys[this.count] = key;
    this.sizes[this.count] = sizeBytes;
    this.placeOf[key] = this.count++;
    this.usedBytes += sizeBytes;
  }

  /** Takes an entry out because it is no longer needed. */
  free(key: number): void {
    if (this.has(key)) this.removeAt(this.placeOf[key]);
  }

  private removeAt(place: number): void {
    this.placeOf[this.keys[place]] = -1;
    this.usedBytes -= this.sizes[place];
    const last = --this.count;
    if (place === last) return;
    this.keys[place] = this.keys[last];
    this.sizes[place] = this.sizes[last];
    this.placeOf[this.keys[place]] = place;
  }

  private grow(): void {
    const keys = new Int32Array(2 * this.keys.length);
    keys.set(this.keys);
    this.keys = keys;
    const sizes = new Uint16Array(2 * this.sizes.length);
    sizes.set(this.sizes);
    this.sizes = sizes;
  }

  private extend(key: number): void {
    const next = new Int32Array(Math.max(2 * this.placeOf.length, key + 1)).fill(-1);
    next.set(this.placeOf);
    this.placeOf = next;
  }
}
