import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import { confidence, findSteadyState, type Series, truncationPoint } from './steady-state.js';

function series(values: readonly number[], change: Partial<Series> = {}): Series {
  return { name: 'rate', values, absoluteError: 0, relativeError: 0.02, ...change };
}

function noisy(count: number, mean: number, deviation: number, seed = 1): number[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.nextNormal(mean, deviation));
}

describe('truncation', () => {
  it('finds the end of a ramp', () => {
    const ramp = Array.from({ length: 10 }, (_, index) => index * 10);
    expect(truncationPoint([...ramp, ...noisy(40, 100, 1)])).toBe(10);
  });

  it('finds the end of a start-up burst', () => {
    expect(truncationPoint([300, 280, 150, ...noisy(30, 100, 1)])).toBe(3);
  });

  it('leaves a constant series whole and never takes more than half', () => {
    expect(truncationPoint(new Array(20).fill(7))).toBe(0);
    expect(truncationPoint(Array.from({ length: 600 }, (_, index) => 0.1 * 3 + (index % 2) * 1e-16))).toBe(0);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e12, noNaN: true }), { minLength: 1, maxLength: 60 }),
        (values) => {
          const cut = truncationPoint(values);
          expect(cut).toBeGreaterThanOrEqual(0);
          expect(cut).toBeLessThanOrEqual(values.length / 2);
        },
      ),
    );
  });
});

describe('confidence', () => {
  it('covers the true mean about 95 times in 100', () => {
    let covered = 0;
    for (let seed = 0; seed < 400; seed++) {
      const { mean, halfWidth } = confidence(noisy(64, 10, 3, seed));
      if (Math.abs(mean - 10) <= halfWidth) covered++;
    }
    expect(covered / 400).toBeGreaterThan(0.91);
    expect(covered / 400).toBeLessThan(0.99);
  });

  it('is infinite for too few values', () => {
    expect(confidence([1, 2, 3]).halfWidth).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('steady state', () => {
  it('is said with what it rests on', () => {
    const found = findSteadyState([series([10, 60, ...noisy(30, 100, 1)])]);
    expect(found).toMatchObject({ steady: true, truncated: 2 });
    expect(found.reason).toMatch(/rate within [\d.]+ %/);
  });

  it('is refused while a series still grows', () => {
    const growing = Array.from({ length: 40 }, (_, index) => 100 + index * 5);
    const found = findSteadyState([series(growing)]);
    expect(found.steady).toBe(false);
    expect(found.reason).toContain('uncertain');
  });

  it('waits for all series, the absolute bound sparing those near zero', () => {
    const calm = series(noisy(40, 100, 1));
    const bursts = Array.from({ length: 40 }, (_, index) => (index % 11 === 0 ? 0.001 : 0));
    expect(findSteadyState([calm, series(bursts, { name: 'pause' })]).steady).toBe(false);
    expect(findSteadyState([calm, series(bursts, { name: 'pause', absoluteError: 0.001 })]).steady).toBe(
      true,
    );
  });

  it('wants enough slices', () => {
    expect(findSteadyState([series([5, 5, 5, 5])]).steady).toBe(false);
  });
});
