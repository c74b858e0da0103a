/** A value on the diagonal for what the kernel does not explain: counters jump. */
const NOISE = 1e-3;
/** Reach of a point over the unit cube of the dimensions. */
const LENGTH_SCALE = 0.6;

/** The lower triangle L of a symmetric positive matrix A = L L', row by row. */
export function cholesky(matrix: readonly Float64Array[]): Float64Array[] {
  const lower = matrix.map((row) => new Float64Array(row.length));
  for (let row = 0; row < matrix.length; row++) {
    for (let column = 0; column <= row; column++) {
      let rest = matrix[row][column];
      for (let k = 0; k < column; k++) rest -= lower[row][k] * lower[column][k];
      lower[row][column] = row === column ? Math.sqrt(Math.max(rest, 1e-12)) : rest / lower[column][column];
    }
  }
  return lower;
}

/** Solves L x = b. */
export function solveLower(lower: readonly Float64Array[], b: Float64Array): Float64Array {
  const x = new Float64Array(b.length);
  for (let row = 0; row < b.length; row++) {
    let rest = b[row];
    for (let k = 0; k < row; k++) rest -= lower[row][k] * x[k];
    x[row] = rest / lower[row][row];
  }
  return x;
}

/** Solves L' x = b. */
export function solveUpper(lower: readonly Float64Array[], b: Float64Array): Float64Array {
  const x = new Float64Array(b.length);
  for (let row = b.length - 1; row >= 0; row--) {
    let rest = b[row];
    for (let k = row + 1; k < b.length; k++) rest -= lower[k][row] * x[k];
    x[row] = rest / lower[row][row];
  }
  return x;
}

/**
 * A Gaussian process with a squared-exponential kernel over points of the unit cube: what a function is likely to be
 * where it was not measured.
 *
 * @example
 * const process = new GaussianProcess(inputs, values);
 * const { mean, deviation } = process.predict(input);
 */
export class GaussianProcess {
  private readonly inputs: readonly Float64Array[];
  private readonly lower: Float64Array[];
  private readonly weights: Float64Array;
  private readonly mean: number;
  private readonly scale: number;

  constructor(inputs: readonly Float64Array[], values: readonly number[]) {
    this.inputs = inputs;
    this.mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - this.mean) ** 2, 0);
    this.scale = Math.sqrt(squares / values.length) || 1;
    const matrix = inputs.map((one, row) =>
      Float64Array.from(inputs, (other, column) => kernel(one, other) + (row === column ? NOISE : 0)),
    );
    this.lower = cholesky(matrix);
    const scaled = Float64Array.from(values, (value) => (value - this.mean) / this.scale);
    this.weights = solveUpper(this.lower, solveLower(this.lower, scaled));
  }

  /** The likely value and how uncertain it is. */
  predict(input: Float64Array): { mean: number; deviation: number } {
    const near = Float64Array.from(this.inputs, (each) => kernel(each, input));
    const half = solveLower(this.lower, near);
    let mean = 0;
    let explained = 0;
    for (let index = 0; index < near.length; index++) {
      mean += near[index] * this.weights[index];
      explained += half[index] * half[index];
    }
    const deviation = Math.sqrt(Math.max(0, 1 - explained)) * this.scale;
    return { mean: this.mean + mean * this.scale, deviation };
  }
}

/** How much a point is expected to exceed the best so far, counting only what exceeds it. */
export function expectedImprovement(mean: number, deviation: number, best: number): number {
  if (deviation <= 0) return Math.max(0, mean - best);
  const z = (mean - best) / deviation;
  return (mean - best) * normalShare(z) + deviation * normalDensity(z);
}

function kernel(one: Float64Array, other: Float64Array): number {
  let square = 0;
  for (let index = 0; index < one.length; index++) square += (one[index] - other[index]) ** 2;
  return Math.exp(-square / (2 * LENGTH_SCALE * LENGTH_SCALE));
}

function normalDensity(z: number): number {
  return Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** Share of a normal distribution below z (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    normalDensity(z) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z >= 0 ? 1 - tail : tail;
}
