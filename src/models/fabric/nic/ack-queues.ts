import type { Records } from '../core/records.js';

/** Acknowledgements that wait at hosts, a list per port. */
export class AckQueues {
  private readonly records: Records;
  private readonly head: Int32Array;
  private readonly tail: Int32Array;

  constructor(records: Records, hostPorts: number) {
    this.records = records;
    this.head = new Int32Array(hostPorts).fill(-1);
    this.tail = new Int32Array(hostPorts).fill(-1);
  }

  isEmpty(port: number): boolean {
    return this.head[port] < 0;
  }

  push(port: number, record: number): void {
    if (this.head[port] >= 0) this.records.next[this.tail[port]] = record;
    else this.head[port] = record;
    this.tail[port] = record;
  }

  shift(port: number): number {
    const record = this.head[port];
    this.head[port] = record === this.tail[port] ? -1 : this.records.next[record];
    return record;
  }
}
