import {
  findRow,
  findSearchRow,
  type PendingRow,
  type RowResult,
  showValue,
} from '../../jobs/reproduce/index.js';
import { formatTable } from '../terminal.js';

/** The rows for people, paper beside simulator, and how many of these are green or what else there is to say. */
export function formatRows(results: readonly RowResult[], headline?: string): string {
  const lines = results.map(({ id, ok, paper, simulated, unit, tolerance, trend, magnitude, ...rest }) => [
    id,
    (findSearchRow(id) ?? findRow(id)).setting,
    showValue(paper),
    showValue(simulated),
    unit,
    tolerance,
    mark(trend),
    mark(magnitude),
    ok ? (rest.encoded === undefined ? 'ok' : 'ok, encoded') : rest.partly === undefined ? 'red' : 'partly',
    rest.reason ?? rest.encoded ?? '',
  ]);
  const green = results.filter(({ ok }) => ok).length;
  const head = [
    'row',
    'setting',
    'paper',
    'simulated',
    'unit',
    'tolerance',
    'trend',
    'magnitude',
    '',
    'reason',
  ];
  return `${formatTable([head, ...lines])}\n${headline ?? `${green} of ${results.length} rows are green`}\n`;
}

/** A mark, or a dash where the source gives nothing to hold it against. */
function mark(holds: boolean | null): string {
  return holds === null ? '-' : holds ? 'yes' : 'no';
}

/** What cannot be run yet, in one line a reason. */
export function formatPending(pending: readonly PendingRow[]): string {
  const reasons = [...new Set(pending.map(({ reason }) => reason))];
  const lines = reasons.map((reason) => {
    const ids = pending.filter((each) => each.reason === reason).map(({ id }) => id);
    return `  ${ids.join(', ')}: ${reason}\n`;
  });
  return `not yet simulated:\n${lines.join('')}`;
}
