import { noSuch } from '../../schema/index.js';
import type { Check } from './check-files.js';
import { parseThreshold, type Threshold } from './threshold.js';

/** What a job came to, by name; null where it is not known. */
export type JobFigures = Readonly<Record<string, number | null>>;

/** Figures of a job that can be asserted, with what each is. */
export type FigureNames = Readonly<Record<string, string>>;

/**
 * Reads thresholds on the figures of a job; one on a figure that the job does not have is refused before anything runs.
 * `isFurther` knows names that depend on what is run, such as those of rows.
 */
export function parseFigureThresholds(
  texts: readonly string[] | undefined,
  names: FigureNames,
  isFurther: (name: string) => boolean = () => false,
): Threshold[] {
  const known = Object.keys(names);
  return (texts ?? []).map((text) => {
    const threshold = parseThreshold(text, known.join(', '));
    const { metric } = threshold;
    if (!Object.hasOwn(names, metric) && !isFurther(metric))
      throw noSuch('BAD_FLAG', 'figure', metric, known, { field: '--assert' });
    return threshold;
  });
}

/** What came of thresholds on the figures of a job. */
export function checkFigures(thresholds: readonly Threshold[], figures: JobFigures): Check[] {
  return thresholds.map(({ text, metric, holds }) => {
    const value = figures[metric] ?? null;
    return { name: text, passed: holds(value), found: value === null ? 'not known' : String(value) };
  });
}

/** Figures as the table of a summary, with their meaning. */
export function figureTable(names: FigureNames, figures: JobFigures): string[][] {
  const rows = Object.entries(names).map(([name, meaning]) => [meaning, String(figures[name] ?? '–')]);
  return [['figure', 'value'], ...rows];
}
