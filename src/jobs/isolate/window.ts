import type { MeasureOptions, WorkloadInput } from '../../workload/index.js';
import { type Attacker, CONTROL_CYCLE_NS } from './suite/index.js';

type Measure = Pick<MeasureOptions, 'sliceNs' | 'minNs' | 'maxNs' | 'relativeError'>;

/** How a pair is watched. */
export interface Window {
  measure: NonNullable<WorkloadInput['measure']>;
  /** Rates are taken over the last this long; over what the workload finds steady where null. */
  lastNs: number | null;
}

/** How long a pair is watched: until its rates are steady, at most this long. Short, since there are a thousand pairs. */
const DATA: Measure = { sliceNs: 10_000, minNs: 160_000, maxNs: 300_000, relativeError: 0.05 };

/** A message without a receive holds a device for half a millisecond: several must be seen. */
const ERRORS: Measure = { sliceNs: 50_000, minNs: 600_000, maxNs: 3_000_000, relativeError: 0.05 };

/** All threads are at work after one cycle and a little; the next cycle counts. */
const CONTROL: Measure = {
  sliceNs: CONTROL_CYCLE_NS / 20,
  minNs: 2.2 * CONTROL_CYCLE_NS,
  maxNs: 2.2 * CONTROL_CYCLE_NS,
  relativeError: 0.05,
};

/** The window for a victim beside this attacker, or alone; `times` as long as usual. */
export function windowFor(attacker: Attacker | null, times = 1): Window {
  const { measure, lastNs } = usualWindow(attacker);
  if (times === 1) return { measure, lastNs };
  const { minNs = 0, maxNs = 0 } = measure;
  return { measure: { ...measure, minNs: times * minNs, maxNs: times * maxNs }, lastNs };
}

function usualWindow(attacker: Attacker | null): Window {
  switch (attacker?.column) {
    case 'RC error handling':
    case 'UD and UC error handling':
      return { measure: ERRORS, lastNs: null };
    case 'control verbs on the cache':
      return { measure: CONTROL, lastNs: CONTROL_CYCLE_NS };
    default:
      return { measure: DATA, lastNs: null };
  }
}
