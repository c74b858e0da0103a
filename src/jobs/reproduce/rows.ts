import { KelpieError } from '../../error.js';
import { collieRows } from './collie.js';
import { type SearchRow, searchRows } from './collie-search.js';
import { hostpingRows } from './hostping.js';
import { huskyRows } from './husky.js';
import { huskyApplicationRows } from './husky-applications.js';
import { huskyTable3Row } from './husky-table3.js';
import { lamdaRows } from './lamda.js';
import { type PendingRow, pendingRows } from './pending.js';
import { perfRows } from './perf.js';
import { perfSchemeRows } from './perf-schemes.js';
import type { Row } from './row.js';
import { srnicRows } from './srnic.js';

/** Every row that can be run, in the order of the board. */
export const rows: readonly Row[] = [
  ...perfRows,
  ...perfSchemeRows,
  ...huskyRows,
  ...huskyApplicationRows,
  huskyTable3Row,
  ...srnicRows,
  ...hostpingRows,
  ...collieRows,
  ...lamdaRows,
];

/** Rows of the papers that cannot be run yet. */
export const pending: readonly PendingRow[] = pendingRows(
  new Set([...rows, ...searchRows].map(({ id }) => id)),
);

/** Rows that take long: tens of seconds, or many points. */
const slow: ReadonlySet<string> = new Set([
  'P12',
  'P13',
  'P18',
  'P19',
  'P20',
  'H3',
  'H4',
  'H12',
  'H14',
  'S1',
  'S2',
  'C10',
  'C14',
  'T3',
  'HA1',
  'HA2',
  'HA3',
  'HA4',
  'HA5',
  'HA6',
  'HA7',
]);

/** The rows that CI compares with the board: well under two minutes on two cores. */
export const ciRows: readonly string[] = rows.map(({ id }) => id).filter((id) => !slow.has(id));

/** The row about the search of this id, if it is one: whole hunts, which no board waits for. */
export function findSearchRow(id: string): SearchRow | undefined {
  return searchRows.find((each) => each.id === id);
}

/** The row of this id. */
export function findRow(id: string): Row {
  const row = rows.find((each) => each.id === id);
  if (row !== undefined) return row;
  const waiting = pending.find((each) => each.id === id);
  throw new KelpieError(
    'UNKNOWN_ROW',
    waiting === undefined ? 'there is no such row' : `this row is not yet simulated: it ${waiting.reason}`,
    { field: 'id', given: id, allowed: [...rows, ...searchRows].map((each) => each.id).join(', ') },
  );
}
