import { KelpieError } from '../../error.js';
import { namesNear, noSuch } from '../../schema/index.js';
import { type PendingRow, pendingRows } from './pending.js';
import type { Row } from './row.js';
import { azureRows } from './rows/azure/azure.js';
import { basicsRows } from './rows/basics.js';
import { collieRows } from './rows/collie/collie.js';
import { type SearchRow, searchRows } from './rows/collie/search.js';
import { hostpingRows } from './rows/hostping/hostping.js';
import { huskyApplicationRows } from './rows/husky/applications.js';
import { huskyRows } from './rows/husky/husky.js';
import { huskyTable3Row } from './rows/husky/table3.js';
import { irnFatTreeRows } from './rows/irn-fat-tree.js';
import { lamdaRows } from './rows/lamda.js';
import { perfRows } from './rows/perf.js';
import { perfSchemeRows } from './rows/perf-schemes.js';
import { srnicConnectionRows } from './rows/srnic/connections.js';
import { srnicDeviceRows } from './rows/srnic/device.js';
import { srnicFatTreeRows } from './rows/srnic/fat-trees.js';
import { srnicLedgerRows } from './rows/srnic/ledger.js';
import { srnicLossRows } from './rows/srnic/loss.js';
import { srnicRows } from './rows/srnic/srnic.js';
import { srnicTranslationRows } from './rows/srnic/translations.js';

/** Every row that can be run, in the order of the board. */
export const rows: readonly Row[] = [
  ...perfRows,
  ...perfSchemeRows,
  ...huskyRows,
  ...huskyApplicationRows,
  huskyTable3Row,
  ...srnicRows,
  ...srnicConnectionRows,
  ...srnicDeviceRows,
  ...srnicLedgerRows,
  ...srnicTranslationRows,
  ...srnicLossRows,
  ...srnicFatTreeRows,
  ...irnFatTreeRows,
  ...hostpingRows,
  ...collieRows,
  ...lamdaRows,
  ...azureRows,
  ...basicsRows,
];

/** Rows of the papers that cannot be run yet. */
export const pending: readonly PendingRow[] = pendingRows(
  new Set([...rows, ...searchRows].map(({ id }) => id)),
);

/** The rows that CI compares with the board: all, as none takes minutes. Those about the search, whole hunts, are apart. */
export const ciRows: readonly string[] = rows.map(({ id }) => id);

/** The row about the search of this id, if it is one: whole hunts, which no board waits for. */
export function findSearchRow(id: string): SearchRow | undefined {
  return searchRows.find((each) => each.id === id);
}

/** The row of this id. */
export function findRow(id: string): Row {
  const row = rows.find((each) => each.id === id);
  if (row !== undefined) return row;
  const known = [...rows, ...searchRows].map((each) => each.id);
  const waiting = pending.find((each) => each.id === id);
  if (waiting === undefined) throw noSuch('UNKNOWN_ROW', 'row', id, known, { field: 'id' });
  throw new KelpieError('UNKNOWN_ROW', `this row is not yet simulated: it ${waiting.reason}`, {
    field: 'id',
    given: id,
    allowed: namesNear(id, known),
  });
}
