import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Statistics } from './statistics.js';

const values = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 2, maxLength: 60 });

function of(list: readonly number[]): Statistics {
  const statistics = new Statistics();
  for (const value of list) statistics.add(value);
  return statistics;
}

function expectNaive(statistics: Statistics, list: readonly number[]): void {
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  const variance = list.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (list.length - 1);
  expect(statistics.count).toBe(list.length);
  expect(statistics.mean).toBeCloseTo(mean, 5);
  expect(Math.abs(statistics.variance - variance)).toBeLessThanOrEqual(1e-9 * variance + 1e-9);
  expect(statistics.min).toBe(Math.min(...list));
  expect(statistics.max).toBe(Math.max(...list));
}

describe('Statistics', () => {
  it('agrees with the naive formulas', () => {
    fc.assert(fc.property(values, (list) => expectNaive(of(list), list)));
  });

  it('merges as though all had been added to one', () => {
    fc.assert(
      fc.property(values, fc.array(fc.integer({ min: -1000, max: 1000 })), (left, right) => {
        const merged = of(left);
        merged.merge(of(right));
        expectNaive(merged, [...left, ...right]);
        const reversed = of(right);
        reversed.merge(of(left));
        expectNaive(reversed, [...left, ...right]);
      }),
    );
  });

  it('keeps small deviations of large values', () => {
    expect(of([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]).variance).toBe(30);
  });

  it('has nothing to say about nothing', () => {
    const empty = new Statistics();
    expect([empty.count, empty.mean, empty.min, empty.max, empty.variance]).toEqual([
      0,
      Number.NaN,
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
    expect(of([5]).deviation).toBeNaN();
  });
});
