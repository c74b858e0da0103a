/**
 * A queue of integers in the order of a key: the smallest first, and of equal ones the one that came first. For few items:
 * each is put in its place when it comes.
 */
export class TurnQueue {
  private items = new Int32Array(16);
  private keys = new Float64Array(16);
  length = 0;

  push(item: number, key: number): void {
    if (this.length === this.items.length) this.grow();
    let at = this.length++;
    while (at > 0 && this.keys[at - 1] > key) {
      this.items[at] = this.items[at - 1];
      this.keys[at] = this.keys[at - 1];
      at--;
    }
    this.items[at] = item;
    this.keys[at] = key;
  }

  /** The item whose turn it is; -1 when empty. */
  peek(): number {
    return this.length === 0 ? -1 : this.items[0];
  }

  /** Takes the item whose turn it is; -1 when empty. */
  shift(): number {
    if (this.length === 0) return -1;
    const item = this.items[0];
    this.length--;
    this.items.copyWithin(0, 1, this.length + 1);
    this.keys.copyWithin(0, 1, this.length + 1);
    return item;
  }

  private grow(): void {
    const items = new Int32Array(2 * this.items.length);
    const keys = new Float64Array(2 * this.keys.length);
    items.set(this.items);
    keys.set(this.keys);
    this.items = items;
    this.keys = keys;
  }
}
