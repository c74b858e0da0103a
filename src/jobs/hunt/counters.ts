import { Statistics } from '../../engine/index.js';
import type { Baseline, Observation } from './observation.js';

/** Which counters guide the search. */
export type CounterKind = 'performance' | 'diagnostic';

/** A counter that a search drives to an extreme: performance low, diagnostic high (Collie §5.1). */
export interface GuidingCounter {
  kind: CounterKind;
  name: string;
}

/** What every RNIC reports. */
const PERFORMANCE = ['wireGbps', 'packetsPerSecond'] as const;

/**
 * Diagnostic counters by what their names say, whatever the device: events that should not happen (misses, stalls,
 * pressure, waits, errors) and how busy a part is. What counts good work, bytes or packets is none.
 */
const DIAGNOSTIC = /(_miss|stall\w*|back_pressure|_holds?|_err|busy|high_water|wait)(_\w+)?$/;
const NOT_DIAGNOSTIC = /_hit$|cqe_error|^rnr_nak_retry/;

/** Whether a counter, by its name, counts what should not happen. */
export function isDiagnostic(name: string): boolean {
  return DIAGNOSTIC.test(name) && !NOT_DIAGNOSTIC.test(name);
}

/** The value of a counter in an experiment. */
export function valueOfCounter({ kind, name }: GuidingCounter, observation: Observation): number {
  if (kind === 'performance') return observation[name as (typeof PERFORMANCE)[number]];
  return observation.counters[name] ?? 0;
}

/**
 * The counters that observations have, those with the greatest deviation over mean first (Collie §7.2); a counter that
 * never moved comes last.
 */
export function rankCounters(
  observations: readonly Observation[],
  kinds: readonly CounterKind[],
): GuidingCounter[] {
  const names = new Set(observations.flatMap(({ counters }) => Object.keys(counters)));
  const diagnostic = [...names].filter(isDiagnostic).sort();
  const all: GuidingCounter[] = [
    ...(kinds.includes('diagnostic')
      ? diagnostic.map((name): GuidingCounter => ({ kind: 'diagnostic', name }))
      : []),
    ...(kinds.includes('performance')
      ? PERFORMANCE.map((name): GuidingCounter => ({ kind: 'performance', name }))
      : []),
  ];
  const spread = (counter: GuidingCounter): number => {
    const statistics = new Statistics();
    for (const observation of observations) statistics.add(valueOfCounter(counter, observation));
    return statistics.mean > 0 && statistics.count > 1 ? statistics.deviation / statistics.mean : -1;
  };
  return all
    .map((counter, index) => ({ counter, index, spread: spread(counter) }))
    .sort((one, other) => other.spread - one.spread || one.index - other.index)
    .map(({ counter }) => counter);
}

/** A counter that an anomaly moved. */
export interface MovedCounter {
  name: string;
  /** A second, the greater of both hosts. */
  rate: number;
  /** The most that a clean workload moved it. */
  baseline: number;
}

const MOVED_FACTOR = 2;
const MOST = 8;

/** The counters that moved most against clean workloads, most telling first. */
export function movedCounters(observation: Observation, baseline: Baseline): MovedCounter[] {
  return Object.entries(observation.counters)
    .filter(([name]) => isDiagnostic(name) || /pause|drop|out_of|discard|loopback/.test(name))
    .map(([name, rate]) => ({ name, rate, baseline: baseline.counters[name] ?? 0 }))
    .filter(({ rate, baseline: clean }) => rate > MOVED_FACTOR * clean)
    .sort((one, other) => ratio(other) - ratio(one) || one.name.localeCompare(other.name))
    .slice(0, MOST);
}

/** How many counters tell what an anomaly is about; none that only says that something queues is among them. */
const TELLING = 2;
const SYMPTOMATIC = /high_water|busy/;

/** The names of the counters that tell what an anomaly is about, and not only that there is one. */
export function tellingCounters(observation: Observation, baseline: Baseline): string[] {
  return movedCounters(observation, baseline)
    .map(({ name }) => name)
    .filter((name) => isDiagnostic(name) && !SYMPTOMATIC.test(name))
    .slice(0, TELLING);
}

/** Whether one of the counters that tell of an anomaly tells of another too: else they are about different things. */
export function isKin(one: Observation, other: Observation, baseline: Baseline): boolean {
  const telling = tellingCounters(one, baseline);
  return telling.length === 0 || tellingCounters(other, baseline).some((name) => telling.includes(name));
}

function ratio({ rate, baseline }: MovedCounter): number {
  return rate / Math.max(1, baseline);
}
