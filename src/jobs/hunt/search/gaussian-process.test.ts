import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { cholesky, GaussianProcess } from './gaussian-process.js';

const at = (...coordinates: number[]) => Float64Array.from(coordinates);

describe('a Gaussian process', () => {
  it('goes through what was measured, and is the less certain the farther it is from it', () => {
    const process = new GaussianProcess([at(0), at(10), at(20)], [1, 5, 3]);
    expect(process.predict(at(10)).mean).toBeCloseTo(5, 2);
    expect(process.predict(at(10)).deviation).toBeLessThan(0.05);
    const deviations = [11, 15, 60, 6e6].map((place) => process.predict(at(place)).deviation);
    expect(deviations).toEqual([...deviations].sort((one, other) => one - other));
    // Where nothing is near it knows the mean of all alone.
    expect(process.predict(at(6e6)).mean).toBeCloseTo(3, 6);
  });

  it('takes the length that suits the units of its inputs', () => {
    const random = new Random(3);
    for (const unit of [0.01, 1, 1000]) {
      const places = Array.from({ length: 40 }, () => random.nextFloat() * 20);
      const process = new GaussianProcess(
        places.map((place) => at(place * unit)),
        places.map((place) => Math.sin(place)),
      );
      for (const place of [3.3, 9.9, 15.1])
        expect(Math.abs(process.predict(at(place * unit)).mean - Math.sin(place))).toBeLessThan(0.2);
    }
  });

  it('is content with values that are all the same, and with one place measured twice', () => {
    const process = new GaussianProcess([at(1, 2), at(1, 2), at(3, 4)], [7, 7, 7]);
    expect(process.predict(at(2, 2)).mean).toBeCloseTo(7, 6);
  });
});

describe('the Cholesky factor', () => {
  it('times its transpose is the matrix', () => {
    const matrix = [at(4, 2, 0.5), at(2, 5, 1), at(0.5, 1, 3)];
    const lower = cholesky(matrix);
    for (const [row, values] of matrix.entries())
      for (const [column, value] of values.entries()) {
        const product = lower[row].reduce((sum, each, k) => sum + each * lower[column][k], 0);
        expect(product).toBeCloseTo(value, 12);
      }
  });
});
