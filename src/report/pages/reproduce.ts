import { findRow, findSearchRow, type RowResult, showValue } from '../../jobs/reproduce/index.js';
import { reportPage } from '../page.js';
import { card, sortable } from '../parts.js';

/** Rows of papers as a report: paper beside simulator, red ones first with their reasons. */
export function reproducePage(
  results: readonly RowResult[],
  seed: number,
  partial: boolean,
  command: string,
): string {
  const red = results.filter(({ ok }) => !ok);
  const rows = [...red, ...results.filter(({ ok }) => ok)].map((row) => [
    row.id,
    row.ok ? '■ green' : '● red',
    (findSearchRow(row.id) ?? findRow(row.id)).setting,
    showValue(row.paper),
    showValue(row.simulated),
    row.unit,
    row.tolerance,
    [row.reason, row.partly, row.encoded === undefined ? undefined : `encoded: ${row.encoded}`]
      .filter((each) => each !== undefined)
      .join('; '),
  ]);
  return reportPage({
    title: `Papers beside the simulator: ${results.length - red.length} of ${results.length} rows green`,
    job: 'kelpie reproduce',
    mood: partial ? 'warn' : red.length > 0 ? 'bad' : 'ok',
    headline: `${results.length - red.length} of ${results.length} rows come out as the papers measured them`,
    lead: partial ? 'Interrupted: the other rows were not run.' : '',
    facts: [
      { name: 'rows', value: String(results.length) },
      { name: 'green', value: String(results.length - red.length) },
      { name: 'seed', value: String(seed) },
    ],
    command,
    body: [
      card(
        'Rows',
        sortable(
          'Rows',
          ['row', 'outcome', 'setting', 'paper', 'simulated', 'unit', 'tolerance', 'why'],
          rows,
        ),
      ),
    ],
  });
}
