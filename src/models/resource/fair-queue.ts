import { IndexQueue } from './index-queue.js';

/**
 * A queue a tenant, served so that each gets its share of what serving costs (start-time fair queueing: each tenant has
 * a clock that its costs move on, and the one that is furthest behind is next). With one tenant it is a plain queue.
 */
export class FairQueue {
  length = 0;
  private readonly queues: readonly IndexQueue[];
  private readonly clocks: Float64Array;
  /** The clock of the tenant served last: one that comes back does not claim the time that it was away. */
  private now = 0;

  constructor(tenants: number) {
    this.queues = Array.from({ length: tenants }, () => new IndexQueue());
    this.clocks = new Float64Array(tenants);
  }

  push(tenant: number, item: number): void {
    const queue = this.queues[tenant];
    if (queue.length === 0 && this.clocks[tenant] < this.now) this.clocks[tenant] = this.now;
    queue.push(item);
    this.length++;
  }

  /** The tenant whose turn it is among those with a bit in `mask` that have something; -1 where none has. */
  next(mask = -1): number {
    if (this.queues.length === 1) return this.length > 0 && (mask & 1) !== 0 ? 0 : -1;
    let found = -1;
    for (let tenant = 0; tenant < this.queues.length; tenant++) {
      if (this.queues[tenant].length === 0 || (mask & (1 << tenant)) === 0) continue;
      if (found < 0 || this.clocks[tenant] < this.clocks[found]) found = tenant;
    }
    return found;
  }

  /** What serving a tenant has cost of its share so far. */
  clockOf(tenant: number): number {
    return this.clocks[tenant];
  }

  /** Takes the oldest item of a tenant. */
  shift(tenant: number): number {
    if (this.queues[tenant].length === 0) return -1;
    this.length--;
    if (this.clocks[tenant] > this.now) this.now = this.clocks[tenant];
    return this.queues[tenant].shift();
  }

  /** Serving a tenant cost this much of its share. */
  charge(tenant: number, cost: number): void {
    this.clocks[tenant] += cost;
  }
}
