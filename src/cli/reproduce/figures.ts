import { findSearchRow, type RowResult, rows } from '../../jobs/reproduce/index.js';
import type { FigureNames, JobFigures } from '../checks/job-figures.js';

/** What can be asserted of rows; also the id of a row whose simulated value is one number. */
export const rowFigureNames = {
  rows: 'rows that were run',
  green: 'of them green',
  red: 'of them red',
  trend: 'rows whose trend or symptom holds',
  magnitude: 'rows whose numbers are near the source',
} as const satisfies FigureNames;

/** Whether this is the id of a row. */
export function isRowId(name: string): boolean {
  return rows.some(({ id }) => id === name) || findSearchRow(name) !== undefined;
}

/** The figures of rows. */
export function rowFigures(results: readonly RowResult[]): JobFigures {
  const green = results.filter(({ ok }) => ok).length;
  const numbers = results.flatMap(({ id, simulated }) =>
    typeof simulated === 'number' ? [[id, simulated] as const] : [],
  );
  return {
    ...Object.fromEntries(numbers),
    ...({
      rows: results.length,
      green,
      red: results.length - green,
      trend: results.filter(({ trend }) => trend === true).length,
      magnitude: results.filter(({ magnitude }) => magnitude === true).length,
    } satisfies Record<keyof typeof rowFigureNames, number>),
  };
}
