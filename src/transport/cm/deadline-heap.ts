/** Something that has at most one deadline. */
export interface Deadlined {
  /** When it is due. */
  deadlineNs: number;
  /** Where it stands in the heap, the heap's own; -1 where it has no deadline. */
  heapIndex: number;
}

/** Deadlines in order, each of which can be moved or taken away: nothing that is gone stays behind. */
export class DeadlineHeap<T extends Deadlined> {
  private readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  /** What is due first. */
  get first(): T | undefined {
    return this.items[0];
  }

  /** Gives an item a deadline, or another one. */
  set(item: T, deadlineNs: number): void {
    item.deadlineNs = deadlineNs;
    if (item.heapIndex < 0) {
      item.heapIndex = this.items.length;
      this.items.push(item);
    }
    this.up(item.heapIndex);
    this.down(item.heapIndex);
  }

  /** Takes an item's deadline away. */
  delete(item: T): void {
    const at = item.heapIndex;
    if (at < 0) return;
    const last = this.items.pop() as T;
    item.heapIndex = -1;
    if (last === item) return;
    this.place(last, at);
    this.up(at);
    this.down(last.heapIndex);
  }

  private place(item: T, at: number): void {
    this.items[at] = item;
    item.heapIndex = at;
  }

  private up(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.items[parent].deadlineNs <= this.items[at].deadlineNs) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private down(from: number): void {
    let at = from;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.items.length && this.items[child].deadlineNs < this.items[least].deadlineNs)
          least = child;
      }
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  private swap(one: number, other: number): void {
    const item = this.items[one];
    this.place(this.items[other], one);
    this.place(item, other);
  }
}
