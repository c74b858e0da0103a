import { describe, expect, it } from 'vitest';
import { Mrg32k3a } from './mrg32k3a.js';

const M1 = 4294967087n;
const M2 = 4294944443n;

type Vector = bigint[];
type Matrix = bigint[][];

/** The generator by the book, with big integers: state after `stream` jumps of 2^127 and one of 2^76, from seed 1. */
function byTheBook(stream: bigint, count: number): number[] {
  const steps: [Matrix, bigint][] = [
    [
      [
        [0n, 1n, 0n],
        [0n, 0n, 1n],
        [M1 - 810728n, 1403580n, 0n],
      ],
      M1,
    ],
    [
      [
        [0n, 1n, 0n],
        [0n, 0n, 1n],
        [M2 - 1370589n, 0n, 527612n],
      ],
      M2,
    ],
  ];
  const states = steps.map(([step, m]) => {
    const advance = power(step, 2n ** 127n * stream + 2n ** 76n, m);
    return times(advance, [1n, 1n, 1n], m);
  });
  const numbers: number[] = [];
  for (let each = 0; each < count; each++) {
    const [first, second] = steps.map(([step, m], index) => {
      states[index] = times(step, states[index], m);
      return states[index][2];
    });
    numbers.push(Number(first > second ? first - second : first - second + M1) / (Number(M1) + 1));
  }
  return numbers;
}

function times(matrix: Matrix, vector: Vector, m: bigint): Vector {
  return matrix.map((row) => row.reduce((sum, value, index) => sum + value * vector[index], 0n) % m);
}

function power(matrix: Matrix, exponent: bigint, m: bigint): Matrix {
  let result: Matrix = [
    [1n, 0n, 0n],
    [0n, 1n, 0n],
    [0n, 0n, 1n],
  ];
  let base = matrix;
  const multiply = (a: Matrix, b: Matrix) =>
    a.map((row) =>
      row.map((_, column) => row.reduce((sum, value, index) => sum + value * b[index][column], 0n) % m),
    );
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

describe('MRG32k3a', () => {
  it('draws the numbers of a stream', () => {
    for (const stream of [0n, 1n, 398n, 2n ** 63n + 50n]) {
      const generator = new Mrg32k3a(stream);
      const numbers = Array.from({ length: 20 }, () => generator.next());
      expect(numbers).toEqual(byTheBook(stream, 20).map((value) => expect.closeTo(value, 14)));
    }
  });

  it('goes from stream to stream', () => {
    const generator = new Mrg32k3a(398n);
    expect(generator.firstAndGoOn()).toBeCloseTo(byTheBook(398n, 1)[0], 14);
    expect(generator.firstAndGoOn()).toBeCloseTo(byTheBook(399n, 1)[0], 14);
    generator.goOn();
    expect(generator.firstAndGoOn()).toBeCloseTo(byTheBook(401n, 1)[0], 14);
  });
});
