import { KIND_MASK, META, PAUSE, PORT, RECORD_SHIFT, type Records } from '../records.js';

/**
 * Puts the records of one nanosecond into an order that depends on nothing but the nodes concerned: arrivals first, by
 * port, then what the nodes planned for themselves, as it was planned. A node's own plans come in the same order
 * however the fabric is divided; only arrivals from different neighbours do not.
 */
export class TickOrder {
  private readonly records: Records;
  private arrivals = new Int32Array(64);
  private arrivalPorts = new Int32Array(64);

  constructor(records: Records) {
    this.records = records;
  }

  sort(tick: Int32Array, count: number): void {
    if (count > this.arrivals.length) {
      this.arrivals = new Int32Array(count * 2);
      this.arrivalPorts = new Int32Array(count * 2);
    }
    const { arrivals } = this;
    const { words } = this.records;
    // Own plans move to the end, in order; arrivals are sorted as they are found.
    let found = 0;
    let kept = count;
    for (let index = count - 1; index >= 0; index--) {
      const record = tick[index];
      if (record >= 0 && (words[(record << RECORD_SHIFT) + META] & KIND_MASK) <= PAUSE)
        this.insert(found++, record, words[(record << RECORD_SHIFT) + PORT]);
      else tick[--kept] = record;
    }
    // They were found from the last to the first and are in falling order.
    for (let index = 0; index < found; index++) tick[index] = arrivals[found - 1 - index];
  }

  /** Inserts behind all of higher or equal port: those of one port are found from the last to the first. */
  private insert(count: number, record: number, port: number): void {
    const { arrivals, arrivalPorts } = this;
    let place = count;
    for (; place > 0 && arrivalPorts[place - 1] < port; place--) {
      arrivals[place] = arrivals[place - 1];
      arrivalPorts[place] = arrivalPorts[place - 1];
    }
    arrivals[place] = record;
    arrivalPorts[place] = port;
  }
}
