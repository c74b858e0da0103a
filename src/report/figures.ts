/** A number as people read it: four figures, whole numbers as they are. */
export function figures(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(4)));
}
