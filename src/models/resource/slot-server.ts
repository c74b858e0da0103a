/** A few servers side by side: work takes the one that is free first. Kept as one next-free time a server. */
export class SlotServer {
  private readonly freePs: Float64Array;

  constructor(slots: number) {
    this.freePs = new Float64Array(slots);
  }

  /** Books a server for `servicePs` from now on, or from when one is free, and returns when it is done. */
  book(nowPs: number, servicePs: number): number {
    const { freePs } = this;
    let first = 0;
    let earliest = freePs[0];
    for (let slot = 1; slot < freePs.length && earliest > nowPs; slot++) {
      if (freePs[slot] < earliest) {
        earliest = freePs[slot];
        first = slot;
      }
    }
    const done = (earliest > nowPs ? earliest : nowPs) + servicePs;
    freePs[first] = done;
    return done;
  }

  /** As `book`, on some of the servers: `count` of them from `first` on. */
  bookSome(nowPs: number, servicePs: number, first: number, count: number): number {
    const { freePs } = this;
    let found = first;
    for (let slot = first + 1; slot < first + count && freePs[found] > nowPs; slot++)
      if (freePs[slot] < freePs[found]) found = slot;
    const done = Math.max(freePs[found], nowPs) + servicePs;
    freePs[found] = done;
    return done;
  }

  /** How many servers there are. */
  get slots(): number {
    return this.freePs.length;
  }

  /** How many servers are busy now. */
  busy(nowPs: number): number {
    let count = 0;
    for (const free of this.freePs) if (free > nowPs) count++;
    return count;
  }
}
