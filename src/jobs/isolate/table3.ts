import { huskyTable3 } from '../reproduce/targets/husky.js';
import { COLUMNS, type Column } from './suite/index.js';

/** Our names of the schemes of Husky's Table 3 (NSDI 2023). */
const ROWS = {
  'sr-iov': huskyTable3['SR-IOV'],
  'hw-tc': huskyTable3['HW TC'],
  'sr-iov+hw-tc': huskyTable3['SR-IOV + HW TC'],
  justitia: huskyTable3.Justitia,
  'justitia+hw-tc': huskyTable3['Justitia + HW TC'],
} as const;

/** The schemes of Table 3. */
export const TABLE3_SCHEMES: readonly string[] = Object.keys(ROWS);

/** What the paper has for a scheme: true where it holds; null for schemes that it does not have. */
export function paperRow(scheme: string): Record<Column, boolean> | null {
  const row: readonly boolean[] | undefined = (ROWS as Readonly<Record<string, readonly boolean[]>>)[scheme];
  if (row === undefined) return null;
  return Object.fromEntries(COLUMNS.map((column, place) => [column, row[place]])) as Record<Column, boolean>;
}
