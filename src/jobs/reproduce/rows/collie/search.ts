import type { SearchSummary } from '../../../hunt/index.js';
import { conclude, figures, must, outside } from '../../check.js';
import type { RowOutcome } from '../../row.js';
import { collieSearchTargets } from '../../targets/collie.js';

/** Seeds that a search is run with: the figures have error bars. */
export const SEARCH_SEEDS = 5;
/** Anomalies of subsystem F. */
const ALL = 13;
/** Time with sets over time without them; the paper says about half. */
const HALVED = { least: 0.3, most: 0.7 };

/** A row about the search itself: it takes whole hunts, several of them, and is run by its name alone. */
export interface SearchRow {
  id: string;
  setting: string;
  metric: string;
  expected: string;
  /** The searches that it compares, by their names in Figures 4 and 5. */
  searches: readonly string[];
  judge: (summaries: ReadonlyMap<string, SearchSummary>) => RowOutcome;
}

const RANDOM = 'Random';
const BAYESIAN = 'BO';
const PERFORMANCE = 'Collie (Perf)';
const DIAGNOSTIC = 'Collie (Diag)';
const WITHOUT_SETS = 'SA (Diag)';

/** What each search finds, and what 'about' is taken as. */
const FOUND: Readonly<Record<string, number>> = { [RANDOM]: 7, [BAYESIAN]: 8, [PERFORMANCE]: 11 };
const ABOUT = 0.15;

/** Figures 4 and 5. */
export const searchRows: readonly SearchRow[] = [
  row('CS1', [DIAGNOSTIC], (of) => {
    const { found } = of(DIAGNOSTIC);
    return conclude(foundBy(of, [DIAGNOSTIC]), [
      must(found.mean >= ALL, `${figures(found.mean)} of ${ALL} in the mean of the seeds`),
    ]);
  }),
  row('CS2', [RANDOM, BAYESIAN, PERFORMANCE, DIAGNOSTIC], (of) => {
    const order = [RANDOM, BAYESIAN, PERFORMANCE, DIAGNOSTIC];
    const complaints = order.slice(1).map((better, index) => {
      const worse = order[index];
      return must(
        of(better).found.mean > of(worse).found.mean,
        `${better} finds no more than ${worse}: ${figures(of(better).found.mean)} and ${figures(of(worse).found.mean)}`,
      );
    });
    // Figure 4's own numbers, beside their order.
    const near = Object.entries(FOUND).map(([name, about]) =>
      outside(name, of(name).found.mean, about, ABOUT),
    );
    const trend = conclude('', complaints).ok;
    const magnitude = conclude('', near).ok;
    return { ...conclude(foundBy(of, order), [...complaints, ...near]), marks: { trend, magnitude } };
  }),
  row('CS3', [WITHOUT_SETS, DIAGNOSTIC], (of) => {
    const count = Math.floor(of(WITHOUT_SETS).found.mean);
    const hours = (name: string) => of(name).hoursToNth[count - 1]?.mean ?? Number.NaN;
    const share = hours(DIAGNOSTIC) / hours(WITHOUT_SETS);
    const simulated = {
      anomalies: count,
      [`hours, ${WITHOUT_SETS}`]: figures(hours(WITHOUT_SETS)),
      [`hours, ${DIAGNOSTIC}`]: figures(hours(DIAGNOSTIC)),
      ...foundBy(of, [WITHOUT_SETS, DIAGNOSTIC]),
    };
    return conclude(simulated, [
      must(
        share >= HALVED.least && share <= HALVED.most,
        `with sets ${figures(share)} of the time without them, not about half`,
      ),
    ]);
  }),
];

function row(
  id: string,
  searches: readonly string[],
  judge: (of: (name: string) => SearchSummary) => RowOutcome,
): SearchRow {
  const { setting, metric, trend } = collieSearchTargets.find((target) => target.id === id)!;
  return {
    id,
    setting,
    metric: [metric].flat().join(', '),
    expected: trend!,
    searches,
    judge: (summaries) => judge((name) => summaries.get(name)!),
  };
}

/** Mean and deviation of what searches found. */
function foundBy(of: (name: string) => SearchSummary, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const { mean, deviation } = of(name).found;
      return [name, `${figures(mean)} ± ${figures(deviation)}`];
    }),
  );
}
