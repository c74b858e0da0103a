import type { JSX } from 'preact';
import type { ExperimentRecord } from '../../jobs/hunt/index.js';
import { counterRate, counterText } from '../../report/counter-text.js';
import { Spark } from '../parts.js';

const MOST_COUNTERS = 6;
/** More are no wider than a line. */
const MOST_EXPERIMENTS = 200;

/** The counters that the search drives up, as they move from experiment to experiment; the last one driven comes first. */
export function HuntCounters({ records }: { records: readonly ExperimentRecord[] }): JSX.Element | null {
  const driven = [
    ...new Set(records.flatMap(({ counter }) => (counter === null ? [] : [counter])).reverse()),
  ];
  if (driven.length === 0) return null;
  const shown = records.slice(-MOST_EXPERIMENTS);
  return (
    <>
      <h3 class="apart">Counters that the search drives up</h3>
      <ul class="ctrs">
        {driven.slice(0, MOST_COUNTERS).map((name) => {
          const rates = shown.map(({ observation }) => observation.counters[name] ?? 0);
          return (
            <li key={name}>
              <Spark values={rates} />
              <span class="xs num">
                {counterText(name, rates[rates.length - 1])}
                <span class="dim">, at most {counterRate(name, Math.max(...rates))}</span>
              </span>
            </li>
          );
        })}
      </ul>
      <p class="xs dim">
        Each over the last {shown.length} experiments, from 0 to its maximum.
        {driven.length > MOST_COUNTERS ? ` ${driven.length - MOST_COUNTERS} more were driven earlier.` : ''}
      </p>
    </>
  );
}
