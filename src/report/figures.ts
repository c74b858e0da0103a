/** A number as people read it: four figures, whole numbers as they are. */
export function figures(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(4)));
}

/** A number that a bound was held against: six figures, so that it is on the side that it was judged to be on. */
export function reading(value: number | null): string {
  return value === null ? 'none' : String(Number(value.toPrecision(6)));
}
