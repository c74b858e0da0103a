import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import { heldAgainstLittle, summarizeLatencies } from './latency-summary.js';

const values = (...each: number[]) => Float64Array.from(each);
const upTo = (count: number) => Float64Array.from({ length: count }, (_, index) => index + 1);

describe('a summary of latencies', () => {
  it('has a percentile only with a sample beyond it', () => {
    expect(summarizeLatencies(upTo(1), values())).toMatchObject({ samples: 1, p50: null, mean: 1, max: 1 });
    expect(summarizeLatencies(upTo(99), values())).toMatchObject({ p50: 50, p99: null, p999: null });
    expect(summarizeLatencies(upTo(100), values())).toMatchObject({ p99: 99, p999: null });
    expect(summarizeLatencies(upTo(999), values())).toMatchObject({ p999: null });
    expect(summarizeLatencies(upTo(1000), values())).toMatchObject({ p99: 990, p999: 999, max: 1000 });
    expect(summarizeLatencies(values(), values())).toBeNull();
  });

  it('does not take those that came back for all', () => {
    // Eleven fast ones, and most of what was posted still on its way.
    const summary = summarizeLatencies(
      upTo(11),
      Float64Array.from({ length: 500 }, () => 3000),
    )!;
    expect(summary).toMatchObject({ samples: 11, waiting: 500, min: 1, mean: null, p50: null, max: null });
    expect(summary.doubt).toBe('500 of 511 requests that were followed outlasted the run');
    const nothing = summarizeLatencies(values(), values(10, 20))!;
    expect(nothing).toMatchObject({ samples: 0, waiting: 2, min: null, p50: null });
    expect(nothing.doubt).toContain('none of 2 requests');
  });

  it('finds the same figures whether or not a run ends while some are in flight', () => {
    // Latencies of 100 to 200; those that are posted last are seen for 0 to 100 only.
    const random = new Random(1);
    const all = Array.from({ length: 20_000 }, () => 100 + 100 * random.nextFloat());
    const seen = all.map(() => 400 * random.nextFloat());
    const done = all.filter((took, index) => took <= seen[index]);
    const waiting = seen.filter((age, index) => age < all[index]);
    const whole = summarizeLatencies(Float64Array.from(all), values())!;
    const cut = summarizeLatencies(Float64Array.from(done), Float64Array.from(waiting))!;
    expect(cut.mean! / whole.mean!).toBeCloseTo(1, 2);
    expect(cut.p50! / whole.p50!).toBeCloseTo(1, 2);
    expect(cut.p99! / whole.p99!).toBeCloseTo(1, 2);
    // The completed ones alone would be too fast.
    const survivors = summarizeLatencies(Float64Array.from(done), values())!;
    expect(survivors.p50! / whole.p50!).toBeLessThan(0.97);
  });

  it('keeps its figures in order, and a longer wait never makes them smaller', () => {
    const times = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(times, times, fc.integer({ min: 0, max: 1000 }), (done, waiting, longer) => {
        const summary = summarizeLatencies(Float64Array.from(done), Float64Array.from(waiting))!;
        const figures = [summary.min, summary.p50, summary.p99, summary.max].filter((each) => each !== null);
        expect(figures).toEqual([...figures].sort((one, other) => one - other));
        const later = summarizeLatencies(
          Float64Array.from(done),
          Float64Array.from(waiting, (age) => age + longer),
        )!;
        if (later.p50 !== null) expect(summary.p50).toBeLessThanOrEqual(later.p50);
      }),
    );
  });

  it("is held against Little's law", () => {
    const summary = summarizeLatencies(upTo(1000), values())!;
    expect(heldAgainstLittle(summary, 500)).toEqual({ ...summary, little: 500 });
    const apart = heldAgainstLittle(summary, 5000);
    expect(apart.doubt).toBe(
      "by Little's law a request takes 5.00 us, the samples' mean is -90 % from it: this was no steady state",
    );
    expect(heldAgainstLittle(summary, null).doubt).toContain('no request completed within');
  });
});
