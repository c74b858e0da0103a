/** A typed array of a kind that {@link grown} can make larger. */
type Column =
  | Uint8Array
  | Uint16Array
  | Int16Array
  | Int32Array
  | Uint32Array
  | Float64Array
  | BigUint64Array;

/** The columns of a pool that has no slots yet: shared, since nothing can be written to them. */
export const NONE = {
  uint8: new Uint8Array(0),
  uint16: new Uint16Array(0),
  int16: new Int16Array(0),
  int32: new Int32Array(0),
  uint32: new Uint32Array(0),
  float64: new Float64Array(0),
  bigUint64: new BigUint64Array(0),
};

/** The same column with room for `capacity` slots and the old content in front. */
export function grown<T extends Column>(column: T, capacity: number): T {
  const larger = new (column.constructor as new (length: number) => T)(capacity);
  // The two are of one class; the compiler cannot know it of a union.
  (larger as Float64Array).set(column as Float64Array);
  return larger;
}
