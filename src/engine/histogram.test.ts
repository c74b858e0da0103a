import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from './histogram.js';

const anyValue = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1), fc.maxSafeNat());
const values = fc.array(anyValue, { minLength: 1, maxLength: 80 });

function of(list: readonly number[], relativeError: number): Histogram {
  const histogram = new Histogram({ relativeError });
  for (const value of list) histogram.record(value);
  return histogram;
}

describe('Histogram', () => {
  it('gives percentiles within the relative error, never below the true value', () => {
    const errors = fc.constantFrom(0.5, 0.1, 0.01, 0.001, 0.0001);
    fc.assert(
      fc.property(
        values,
        errors,
        fc.double({ min: 0.001, max: 100, noNaN: true }),
        (list, relativeError, percent) => {
          const sorted = list.toSorted((left, right) => left - right);
          const exact = sorted[Math.ceil((percent * list.length) / 100) - 1];
          const histogram = of(list, relativeError);
          const estimate = histogram.percentile(percent);
          expect(histogram.relativeError).toBeLessThanOrEqual(relativeError);
          expect(estimate).toBeGreaterThanOrEqual(exact);
          expect(estimate - exact).toBeLessThanOrEqual(relativeError * exact);
        },
      ),
    );
  });

  it('knows count, least, greatest and mean exactly', () => {
    const histogram = of([1000, 3000, 2000], 0.5);
    expect([histogram.count, histogram.min, histogram.max, histogram.mean, histogram.deviation]).toEqual([
      3, 1000, 3000, 2000, 1000,
    ]);
    expect([histogram.percentile(0), histogram.percentile(100)]).toEqual([1000, 3000]);
  });

  it('merges as though all had been recorded in one', () => {
    fc.assert(
      fc.property(values, values, (left, right) => {
        const merged = of(left, 0.01);
        merged.merge(of(right, 0.01));
        const whole = of([...left, ...right], 0.01);
        for (const percent of [0, 1, 50, 90, 99.9, 100])
          expect(merged.percentile(percent)).toBe(whole.percentile(percent));
        expect(merged.count).toBe(whole.count);
      }),
      { numRuns: 50 },
    );
  });

  it('takes the extremes and refuses what is no count of ticks', () => {
    const histogram = of([0, Number.MAX_SAFE_INTEGER], 0.0001);
    expect([histogram.percentile(50), histogram.percentile(100)]).toEqual([0, Number.MAX_SAFE_INTEGER]);
    for (const value of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => histogram.record(value)).toThrow(
        expect.objectContaining({ code: 'HISTOGRAM_VALUE', given: value }),
      );
    }
    for (const percent of [-1, 101, Number.NaN]) {
      expect(() => histogram.percentile(percent)).toThrow(
        expect.objectContaining({ code: 'HISTOGRAM_PERCENT' }),
      );
    }
    expect(histogram.count).toBe(2);
  });

  it('refuses to merge another fineness, or to be made with none', () => {
    expect(() => new Histogram({ relativeError: 0.1 }).merge(new Histogram())).toThrow(
      expect.objectContaining({ code: 'HISTOGRAM_MISMATCH' }),
    );
    for (const relativeError of [0, -1, 1, Number.NaN]) {
      expect(() => new Histogram({ relativeError })).toThrow(
        expect.objectContaining({ code: 'HISTOGRAM_ERROR' }),
      );
    }
  });

  it('has no percentile of nothing', () => {
    expect([new Histogram().percentile(50), new Histogram().percentile(0)]).toEqual([Number.NaN, Number.NaN]);
  });
});
