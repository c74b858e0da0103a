import { COLUMNS, type MatrixResult } from '../../jobs/isolate/index.js';
import type { FigureNames, JobFigures } from '../checks/job-figures.js';

/** What can be asserted of one or several matrices; with `SCHEME.` before it, of one of them. */
export const isolateFigureNames = {
  pairs: 'pairs measured',
  violated: 'pairs whose guarantee is violated',
  refused: 'pairs that a scheme refuses',
  leastShare: 'the least that a victim has of its rate alone, 0 to 1',
  columns: "columns of Husky's Table 3 that hold",
} as const satisfies FigureNames;

/** The figures of all matrices together, and of each under the name of its scheme. */
export function isolateFigures(matrices: readonly MatrixResult[]): JobFigures {
  const single = matrices.flatMap((matrix) =>
    Object.entries(figuresOf([matrix])).map(([name, value]) => [`${matrix.scheme}.${name}`, value] as const),
  );
  return { ...Object.fromEntries(single), ...figuresOf(matrices) };
}

function figuresOf(matrices: readonly MatrixResult[]): JobFigures {
  const pairs = matrices.flatMap((matrix) => matrix.pairs);
  const shares = pairs.flatMap(({ share }) => (share === null ? [] : [share]));
  return {
    pairs: pairs.length,
    violated: pairs.filter(({ outcome }) => outcome === 'violated').length,
    refused: pairs.filter(({ outcome }) => outcome === 'refused').length,
    leastShare: shares.length === 0 ? null : Math.min(...shares),
    columns: matrices.reduce(
      (sum, { summary }) => sum + COLUMNS.filter((column) => summary[column].holds).length,
      0,
    ),
  } satisfies Record<keyof typeof isolateFigureNames, number | null>;
}
