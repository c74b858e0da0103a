import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FluidServer } from './fluid-server.js';

describe('a fluid server', () => {
  it('serves work one after another', () => {
    const server = new FluidServer();
    expect(server.book(0, 0, 10)).toBe(10);
    expect(server.book(0, 0, 5)).toBe(15);
    expect(server.waitPs(0)).toBe(15);
    expect(server.waitPs(12)).toBe(3);
    expect(server.book(100, 100, 1)).toBe(101);
    expect(server.bookedPs).toBe(16);
  });

  it('lets work that arrives later not delay work that is there now', () => {
    const server = new FluidServer();
    expect(server.book(0, 1000, 10)).toBe(1010);
    // A 'next free' time would have answered 1020.
    expect(server.book(0, 0, 10)).toBe(20);
  });

  it('is never faster than its rate while it has work', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { minLength: 1, maxLength: 50 }), (jobs) => {
        const server = new FluidServer();
        let now = 0;
        let free = 0;
        for (const [gap, service] of jobs) {
          now += gap;
          free = Math.max(free, now) + service;
          expect(server.book(now, now, service)).toBe(free);
        }
      }),
    );
  });
});
