/** The items of a queue that has had none: shared, since nothing can be written to it. */
const NONE = new Int32Array(0);
/** Room of a queue with its first item; a power of two. */
const FIRST_CAPACITY = 8;

/** A first-in first-out queue of integers in one typed array that grows by doubling; an unused one has no array. */
export class IndexQueue {
  private items = NONE;
  private head = 0;
  length = 0;

  push(item: number): void {
    if (this.length === this.items.length) this.grow();
    this.items[(this.head + this.length) & (this.items.length - 1)] = item;
    this.length++;
  }

  /** The oldest item; -1 when empty. */
  peek(): number {
    return this.length === 0 ? -1 : this.items[this.head];
  }

  /** Takes the oldest item; -1 when empty. */
  shift(): number {
    if (this.length === 0) return -1;
    const item = this.items[this.head];
    this.head = (this.head + 1) & (this.items.length - 1);
    this.length--;
    return item;
  }

  /** Forgets all items. */
  clear(): void {
    this.length = 0;
  }

  private grow(): void {
    const size = this.items.length;
    const items = new Int32Array(Math.max(FIRST_CAPACITY, 2 * size));
    for (let index = 0; index < this.length; index++)
      items[index] = this.items[(this.head + index) & (size - 1)];
    this.items = items;
    this.head = 0;
  }
}
