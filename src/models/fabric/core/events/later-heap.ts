/** Records that are due beyond the wheel's horizon: a heap by time, equal times in order of arrival. */
export class LaterHeap {
  size = 0;
  private timesNs = new Float64Array(64);
  private orders = new Float64Array(64);
  private records = new Int32Array(64);
  private arrivals = 0;

  /** When the first is due; only if there is one. */
  get firstNs(): number {
    return this.timesNs[0];
  }

  push(timeNs: number, record: number): void {
    if (this.size === this.records.length) this.grow();
    const order = this.arrivals++;
    let place = this.size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.isAfter(parent, timeNs, order)) break;
      this.copy(parent, place);
      place = parent;
    }
    this.put(place, timeNs, order, record);
  }

  /** Takes the first. */
  pop(): number {
    const first = this.records[0];
    const last = --this.size;
    const timeNs = this.timesNs[last];
    const order = this.orders[last];
    const record = this.records[last];
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= last) break;
      if (child + 1 < last && this.isAfter(child, this.timesNs[child + 1], this.orders[child + 1])) child++;
      if (this.isAfter(child, timeNs, order)) break;
      this.copy(child, place);
      place = child;
    }
    if (last > 0) this.put(place, timeNs, order, record);
    return first;
  }

  private isAfter(place: number, timeNs: number, order: number): boolean {
    const other = this.timesNs[place];
    return other > timeNs || (other === timeNs && this.orders[place] > order);
  }

  private copy(from: number, to: number): void {
    this.put(to, this.timesNs[from], this.orders[from], this.records[from]);
  }

  private put(place: number, timeNs: number, order: number, record: number): void {
    this.timesNs[place] = timeNs;
    this.orders[place] = order;
    this.records[place] = record;
  }

  private grow(): void {
    const capacity = this.records.length * 2;
    const timesNs = new Float64Array(capacity);
    const orders = new Float64Array(capacity);
    const records = new Int32Array(capacity);
    timesNs.set(this.timesNs);
    orders.set(this.orders);
    records.set(this.records);
    this.timesNs = timesNs;
    this.orders = orders;
    this.records = records;
  }
}
