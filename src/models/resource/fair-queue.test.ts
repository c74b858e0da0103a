import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

describe('a fair queue', () => {
  it('is a plain queue with one tenant', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 50 }), (items) => {
        const queue = new FairQueue(1);
        for (const item of items) queue.push(0, item);
        const out: number[] = [];
        for (let tenant = queue.next(); tenant >= 0; tenant = queue.next()) {
          queue.charge(tenant, 7);
          out.push(queue.shift(tenant));
        }
        expect(out).toEqual(items);
      }),
    );
  });

  it('gives tenants equal cost, whatever an item of each costs', () => {
    fc.assert(
      fc.property(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 })), (costs) => {
        const queue = new FairQueue(2);
        const spent = [0, 0];
        for (let each = 0; each < 2; each++)
          for (let tenant = 0; tenant < 2; tenant++) queue.push(tenant, each);
        for (let turn = 0; turn < 1000; turn++) {
          const tenant = queue.next();
          queue.push(tenant, queue.shift(tenant));
          queue.charge(tenant, costs[tenant]);
          spent[tenant] += costs[tenant];
        }
        expect(Math.abs(spent[0] - spent[1])).toBeLessThanOrEqual(2 * Math.max(...costs));
      }),
    );
  });

  it('does not pay a tenant back for time that it was away', () => {
    const queue = new FairQueue(2);
    queue.push(0, 1);
    for (let turn = 0; turn < 100; turn++) {
      queue.push(0, queue.shift(0));
      queue.charge(0, 10);
    }
    queue.push(1, 2);
    let first = 0;
    while (queue.next() === 1 && first < 50) {
      queue.push(1, queue.shift(1));
      queue.charge(1, 10);
      first++;
    }
    expect(first).toBeLessThanOrEqual(2);
  });

  it('looks at the tenants of a mask alone', () => {
    const queue = new FairQueue(3);
    queue.push(2, 5);
    expect([queue.next(0b011), queue.next(0b100), queue.length]).toEqual([-1, 2, 1]);
  });
});
