/** Rows of one allocation. */
const ROWS = 64;

/** Makes rows of numbers, many of them in one buffer: a buffer for each would cost more than what is written to it. */
export class Rows {
  private block = new Float64Array(0);
  private end = 0;

  /** A row of this many zeros. */
  next(length: number): Float64Array {
    if (this.end + length > this.block.length) {
      this.block = new Float64Array(ROWS * length);
      this.end = 0;
    }
    const row = this.block.subarray(this.end, this.end + length);
    this.end += length;
    return row;
  }
}
