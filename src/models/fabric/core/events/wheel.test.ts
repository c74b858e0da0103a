import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Wheel } from './wheel.js';

// Goal: records come out in order of time, those of one nanosecond in order of scheduling, whether they went into the
// wheel or had to wait in the heap.

/** Takes what is there now. */
function taken(wheel: Wheel): number[] {
  const records = new Int32Array(wheel.count);
  if (records.length > 0) wheel.take(records);
  return [...records];
}

/** Schedules from within events: each plans the next of `delays`, every third one two of them. */
function drain(delays: readonly number[], seeds: number): { got: number[][]; planned: number[][] } {
  const wheel = new Wheel(0);
  const planned: number[][] = [];
  let next = 0;
  const plan = () => {
    if (next >= delays.length) return;
    planned.push([wheel.nowNs + delays[next], next]);
    wheel.after(delays[next], next);
    next++;
  };
  for (let seed = 0; seed < seeds; seed++) plan();
  const got: number[][] = [];
  while (wheel.advance(Number.MAX_SAFE_INTEGER))
    while (wheel.count > 0)
      for (const record of taken(wheel)) {
        got.push([wheel.nowNs, record]);
        plan();
        if (got.length % 3 === 0) plan();
      }
  return { got, planned };
}

describe('the wheel', () => {
  it('gives records in order of time, then of scheduling', () => {
    const delay = fc.oneof(
      fc.nat(3),
      fc.nat(2000),
      fc.constantFrom(16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_536),
      fc.nat(200_000),
      fc.nat(50_000_000),
    );
    fc.assert(
      fc.property(
        fc.array(delay, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 100 }),
        (delays, seeds) => {
          const { got, planned } = drain(delays, seeds);
          expect(got).toEqual([...planned].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('takes thousands of records for one nanosecond, again and again', () => {
    const wheel = new Wheel(0);
    for (let round = 1; round <= 3; round++) {
      for (let record = 0; record < 40_000; record++) wheel.after(record % 2 === 0 ? 7 : 11, record);
      for (const parity of [0, 1]) {
        expect(wheel.advance(1e9)).toBe(true);
        expect(taken(wheel)).toEqual(Array.from({ length: 20_000 }, (_, index) => index * 2 + parity));
      }
    }
  });

  it('stops at the limit and goes on from there', () => {
    const wheel = new Wheel(0);
    for (const [record, delay] of [5, 40_000, 3_000_000].entries()) wheel.after(delay, record);
    expect([wheel.advance(4), wheel.nowNs]).toEqual([false, 4]);
    expect([wheel.advance(40_000), wheel.nowNs, taken(wheel)]).toEqual([true, 5, [0]]);
    expect([wheel.advance(40_000), wheel.nowNs, taken(wheel)]).toEqual([true, 40_000, [1]]);
    expect(wheel.advance(2_999_999)).toBe(false);
    wheel.after(1, 9);
    expect([wheel.advance(3_000_000), wheel.nowNs, taken(wheel)]).toEqual([true, 3_000_000, [2, 9]]);
    expect(wheel.advance(1e12)).toBe(false);
  });

  it('never goes beyond the limit, however long nothing happens', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 20 }), fc.nat(1_000_000), (steps, delay) => {
        const wheel = new Wheel(0);
        wheel.after(delay, 1);
        let limit = 0;
        for (const step of steps) {
          limit += step;
          if (wheel.advance(limit)) {
            expect([wheel.nowNs, delay <= limit, taken(wheel)]).toEqual([delay, true, [1]]);
            return;
          }
          expect(wheel.nowNs).toBeLessThanOrEqual(limit);
          expect(wheel.nextNs()).toBe(delay);
        }
      }),
    );
  });

  it('is large enough for the longest link', () => {
    const wheel = new Wheel(400_000);
    wheel.after(450_000, 1);
    wheel.after(450_000, 2);
    expect([wheel.advance(1e9), wheel.nowNs, taken(wheel)]).toEqual([true, 450_000, [1, 2]]);
  });
});
