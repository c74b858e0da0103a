/** What a queue that has had nothing is made of: shared, since nothing can be written to it. */
const NO_ITEMS = new Int32Array(0);
const NO_KEYS = new Float64Array(0);
/** Room of a queue with its first item. */
const FIRST_CAPACITY = 32;

/**
 * A queue of integers in the order of a key: the smallest first, and of equal ones the one that came first. For few items:
 * each is put in its place when it comes.
 */
export class TurnQueue {
  private items = NO_ITEMS;
  private keys = NO_KEYS;
  /** Where the first item is. */
  private first = 0;
  length = 0;

  push(item: number, key: number): void {
    const { first } = this;
    // One that comes back before its turn is over stands where it stood.
    if (first > 0 && key < this.keys[first]) {
      this.first = first - 1;
      this.items[first - 1] = item;
      this.keys[first - 1] = key;
      this.length++;
      return;
    }
    let at = first + this.length++;
    if (at === this.items.length) {
      this.makeRoom();
      at -= first;
    }
    const start = this.first;
    while (at > start && this.keys[at - 1] > key) {
      this.items[at] = this.items[at - 1];
      this.keys[at] = this.keys[at - 1];
      at--;
    }
    this.items[at] = item;
    this.keys[at] = key;
  }

  /** The item whose turn it is; -1 when empty. */
  peek(): number {
    return this.length === 0 ? -1 : this.items[this.first];
  }

  /** Takes the item whose turn it is; -1 when empty. */
  shift(): number {
    if (this.length === 0) return -1;
    const item = this.items[this.first];
    this.length--;
    this.first = this.length === 0 ? 0 : this.first + 1;
    return item;
  }

  /** Moves what there is to the beginning, of arrays twice as long where that alone would not help for long. */
  private makeRoom(): void {
    const { items, keys, first } = this;
    const end = items.length;
    if (first <= end >> 1) {
      const capacity = Math.max(FIRST_CAPACITY, 2 * end);
      this.items = new Int32Array(capacity);
      this.keys = new Float64Array(capacity);
      this.items.set(items.subarray(first, end));
      this.keys.set(keys.subarray(first, end));
    } else {
      items.copyWithin(0, first, end);
      keys.copyWithin(0, first, end);
    }
    this.first = 0;
  }
}
