/**
 * MRG32k3a (L'Ecuyer, Simard, Chen and Kelton 2002), the generator of ns-3: two recurrences of order three, modulo two
 * primes below 2^32. Streams lie 2^127 steps apart, substreams 2^76. ns-3 opens streams by number and takes few numbers
 * from each, so what counts here is the way from the start of one stream to the start of the next.
 */
const M1 = 4294967087;
const M2 = 4294944443;
const A12 = 1403580;
const A13 = 810728;
const A21 = 527612;
const A23 = 1370589;
const NORM = 1 / (M1 + 1);
const STREAM_BITS = 127;
const SUBSTREAM_BITS = 76;

type Matrix = readonly number[];

const STEP_1: Matrix = [0, 1, 0, 0, 0, 1, M1 - A13, A12, 0];
const STEP_2: Matrix = [0, 1, 0, 0, 0, 1, M2 - A23, 0, A21];

/** Seed 1 and substream 1, ns-3's defaults. */
const SEED = 1;

/** One stream of MRG32k3a. */
export class Mrg32k3a {
  private readonly state1: Float64Array;
  private readonly state2: Float64Array;

  constructor(stream: bigint) {
    const jump1 = power(JUMP_1, stream, M1);
    const jump2 = power(JUMP_2, stream, M2);
    this.state1 = Float64Array.of(SEED, SEED, SEED);
    this.state2 = Float64Array.of(SEED, SEED, SEED);
    apply(jump1, this.state1, M1);
    apply(jump2, this.state2, M2);
    apply(squared(STEP_1, SUBSTREAM_BITS, M1), this.state1, M1);
    apply(squared(STEP_2, SUBSTREAM_BITS, M2), this.state2, M2);
  }

  /** The next number in (0, 1). */
  next(): number {
    const { state1, state2 } = this;
    const value = drawn(state1, state2);
    apply(STEP_1, state1, M1);
    apply(STEP_2, state2, M2);
    return value;
  }

  /** The first number of this stream, while nothing was drawn. Goes on to the start of the stream after it. */
  firstAndGoOn(): number {
    const value = drawn(this.state1, this.state2);
    this.goOn();
    return value;
  }

  /** Goes on to the start of the next stream, while nothing was drawn. */
  goOn(): void {
    apply(JUMP_1, this.state1, M1);
    apply(JUMP_2, this.state2, M2);
  }
}

/** The number that a state gives next. */
function drawn(state1: Float64Array, state2: Float64Array): number {
  const first = modulo(product(A12, state1[1], M1) - product(A13, state1[0], M1), M1);
  const second = modulo(product(A21, state2[2], M2) - product(A23, state2[0], M2), M2);
  return (first > second ? first - second : first - second + M1) * NORM;
}

/** a times b modulo m, all below 2^32: in two halves, so that every step is exact in a double. */
function product(a: number, b: number, m: number): number {
  const high = Math.floor(a / 65536);
  const low = a - high * 65536;
  const upper = high * b;
  const rest = upper - Math.floor(upper / m) * m;
  const sum = rest * 65536 + low * b;
  return sum - Math.floor(sum / m) * m;
}

function modulo(value: number, m: number): number {
  return value < 0 ? value + m : value;
}

/** The vector times the matrix, in place. */
function apply(matrix: Matrix, vector: Float64Array, m: number): void {
  const [x, y, z] = vector;
  for (let row = 0; row < 3; row++) {
    const at = row * 3;
    const sum = product(matrix[at], x, m) + product(matrix[at + 1], y, m) + product(matrix[at + 2], z, m);
    vector[row] = sum - Math.floor(sum / m) * m;
  }
}

function multiplied(a: Matrix, b: Matrix, m: number): Matrix {
  const result: number[] = new Array(9);
  for (let row = 0; row < 3; row++)
    for (let column = 0; column < 3; column++) {
      let sum = 0;
      for (let each = 0; each < 3; each++) sum += product(a[row * 3 + each], b[each * 3 + column], m);
      result[row * 3 + column] = sum % m;
    }
  return result;
}

/** The matrix to the power 2^exponent. */
function squared(matrix: Matrix, exponent: number, m: number): Matrix {
  let result = matrix;
  for (let step = 0; step < exponent; step++) result = multiplied(result, result, m);
  return result;
}

function power(matrix: Matrix, exponent: bigint, m: number): Matrix {
  let result: Matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  let base = matrix;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = multiplied(result, base, m);
    base = multiplied(base, base, m);
  }
  return result;
}

/** From the start of a stream to the start of the next. */
const JUMP_1 = squared(STEP_1, STREAM_BITS, M1);
const JUMP_2 = squared(STEP_2, STREAM_BITS, M2);
