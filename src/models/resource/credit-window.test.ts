import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreditWindow } from './credit-window.js';

describe('a credit window', () => {
  it('admits up to its limit and then as credit comes back, oldest first', () => {
    const window = new CreditWindow(100);
    expect(window.admitPs(0, 60)).toBe(0);
    window.take(60, 500);
    expect(window.admitPs(0, 40)).toBe(0);
    window.take(40, 300);
    expect(window.outstanding).toBe(100);
    // The 40 are back at 300, but the oldest holds the queue until 500.
    expect(window.admitPs(10, 30)).toBe(500);
  });

  it('lets one ask for more than there is, once all is back', () => {
    const window = new CreditWindow(100);
    window.take(window.admitPs(0, 1) + 1, 70);
    expect(window.admitPs(0, 1000)).toBe(70);
  });

  it('serves in order: nobody is admitted before the last one was', () => {
    const window = new CreditWindow(10);
    window.take(10, 50);
    expect(window.admitPs(0, 10)).toBe(50);
    window.take(0, 50);
    expect(window.admitPs(20, 0)).toBe(50);
  });

  it('never has more out than its limit', () => {
    const jobs = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(20), fc.nat(200)), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(jobs, (list) => {
        const window = new CreditWindow(100);
        const taken: { from: number; until: number; amount: number }[] = [];
        let now = 0;
        for (const [amount, gap, hold] of list) {
          now += gap;
          const from = window.admitPs(now, amount);
          expect(from).toBeGreaterThanOrEqual(now);
          window.take(amount, from + hold);
          taken.push({ from, until: from + hold, amount });
        }
        for (const { from } of taken) {
          const out = taken.filter((each) => each.from <= from && each.until > from);
          expect(out.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });

  it('says when credit will be free as it then gives it, and takes nothing by that', () => {
    const taker = fc.record({
      gapPs: fc.nat(50),
      amount: fc.integer({ min: 1, max: 60 }),
      heldPs: fc.nat(200),
    });
    fc.assert(
      fc.property(fc.array(taker, { minLength: 1, maxLength: 40 }), (takers) => {
        const window = new CreditWindow(100);
        let now = 0;
        for (const { gapPs, amount, heldPs } of takers) {
          now += gapPs;
          const free = window.freePs(now, amount);
          expect(window.freePs(now, amount)).toBe(free);
          const admitted = window.admitPs(now, amount);
          expect(free).toBe(admitted);
          window.take(amount, admitted + heldPs);
        }
      }),
    );
  });
});
