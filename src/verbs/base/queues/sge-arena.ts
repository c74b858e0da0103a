import { NO_SLOT } from '../codes.js';
import { grown, NONE } from './column.js';

/** Elements that there is room for once there is one. */
const FIRST_CAPACITY = 64;

/**
 * The scatter-gather elements of all work requests of a device, in three columns. A request owns a range; ranges come
 * in powers of two and free ones are linked, per size, through their first element's `lkey`.
 */
export class SgeArena {
  addr = NONE.float64;
  length = NONE.uint32;
  lkey = NONE.uint32;
  private end = 0;
  private readonly freeBySize = new Int32Array(32).fill(NO_SLOT);

  /** Takes a range of at least `count` elements and returns its first. */
  allocate(count: number): number {
    const size = sizeClass(count);
    const free = this.freeBySize[size];
    if (free !== NO_SLOT) {
      this.freeBySize[size] = this.lkey[free] | 0;
      return free;
    }
    const first = this.end;
    this.end += 1 << size;
    if (this.end > this.addr.length) this.enlarge();
    return first;
  }

  /** Gives back a range that was taken for `count` elements. */
  release(first: number, count: number): void {
    const size = sizeClass(count);
    this.lkey[first] = this.freeBySize[size];
    this.freeBySize[size] = first;
  }

  private enlarge(): void {
    let capacity = Math.max(FIRST_CAPACITY, this.addr.length);
    while (capacity < this.end) capacity *= 2;
    this.addr = grown(this.addr, capacity);
    this.length = grown(this.length, capacity);
    this.lkey = grown(this.lkey, capacity);
  }
}

/** The power of two that holds `count`. */
function sizeClass(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}
