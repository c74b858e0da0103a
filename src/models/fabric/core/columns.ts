/** Gives out the columns of a fabric that its answer is read from: the threads of a team share them. */
export interface Columns {
  int32(name: string, length: number): Int32Array;
  float64(name: string, length: number): Float64Array;
}

/** Columns of one thread. */
export const ownColumns: Columns = {
  int32: (_, length) => new Int32Array(length),
  float64: (_, length) => new Float64Array(length),
};
