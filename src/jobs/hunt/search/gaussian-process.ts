/** Lengths that the reach of a point is chosen from: decades, in the units of the inputs. */
const LENGTHS = Array.from({ length: 11 }, (_, index) => 10 ** (index - 5));
/** On the diagonal of the kernel, so that its matrix stays positive. */
const NOISE = 1e-6;

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
 * A Gaussian process with a Matérn kernel of order 5/2, whose one length is the likeliest of some decades: what a function
 * is likely to be where it was not measured.
 *
 * @example
 * const process = new GaussianProcess(inputs, values);
 * const { mean, deviation } = process.predict(input);
 */
export class GaussianProcess {
  private readonly inputs: readonly Float64Array[];
  private readonly mean: number;
  private readonly scale: number;
  private lower: Float64Array[] = [];
  private weights: Float64Array = new Float64Array(0);
  private lengthScale = 1;

  constructor(inputs: readonly Float64Array[], values: readonly number[]) {
    this.inputs = inputs;
    this.mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - this.mean) ** 2, 0);
    this.scale = Math.sqrt(squares / values.length) || 1;
    const scaled = Float64Array.from(values, (value) => (value - this.mean) / this.scale);
    const apart = inputs.map((one) => Float64Array.from(inputs, (other) => distance(one, other)));
    let most = Number.NEGATIVE_INFINITY;
    for (const length of LENGTHS) {
      const lower = cholesky(
        apart.map((row, index) =>
          row.map((each, column) => matern(each, length) + (index === column ? NOISE : 0)),
        ),
      );
      const weights = solveUpper(lower, solveLower(lower, scaled));
      const likelihood = logLikelihood(lower, weights, scaled);
      if (likelihood <= most) continue;
      most = likelihood;
      this.lower = lower;
      this.weights = weights;
      this.lengthScale = length;
    }
  }

  /** The likely value and how uncertain it is. */
  predict(input: Float64Array): { mean: number; deviation: number } {
    const near = Float64Array.from(this.inputs, (each) => matern(distance(each, input), this.lengthScale));
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

/** The logarithm of how likely values of mean 0 and deviation 1 are, but for a constant. */
function logLikelihood(lower: readonly Float64Array[], weights: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++)
    sum -= 0.5 * values[index] * weights[index] + Math.log(lower[index][index]);
  return sum;
}

function distance(one: Float64Array, other: Float64Array): number {
  let square = 0;
  for (let index = 0; index < one.length; index++) square += (one[index] - other[index]) ** 2;
  return Math.sqrt(square);
}

function matern(apart: number, length: number): number {
  const steps = (Math.sqrt(5) * apart) / length;
  return (1 + steps + (steps * steps) / 3) * Math.exp(-steps);
}
