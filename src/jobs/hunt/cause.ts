import { isDiagnostic } from './counters.js';
import type { Baseline, Observation } from './observation.js';

/** Share of the leading counter that a workload must keep to be the same anomaly. */
const KEPT_SHARE = 0.25;
/** A counter that moved less than this against clean workloads leads nobody. */
const LEAST_FACTOR = 2;

/** The sign by which an anomaly is told from others: the diagnostic counter that it moved most. */
export interface Sign {
  counter: string | null;
  rate: number;
}

/**
 * The counter that an anomalous workload moved most against the clean ones, and how far. None where the device has no
 * diagnostic counters or none of them moved: then any anomaly is like another.
 */
export function signOf(observation: Observation, baseline: Baseline): Sign {
  let sign: Sign = { counter: null, rate: 0 };
  let most = LEAST_FACTOR;
  for (const [name, rate] of Object.entries(observation.counters)) {
    if (!isDiagnostic(name)) continue;
    const factor = rate / Math.max(scaleOf(name), baseline.counters[name] ?? 0);
    if (factor > most) {
      most = factor;
      sign = { counter: name, rate };
    }
  }
  return sign;
}

/** Whether a workload shows the anomaly of a sign: it is anomalous, and the counter still moves. */
export function bears(observation: Observation, { counter, rate }: Sign): boolean {
  if (observation.symptom === null) return false;
  return counter === null || (observation.counters[counter] ?? 0) >= KEPT_SHARE * rate;
}

/** What a counter moves by itself: events a second, or a share of the time for those that count picoseconds. */
function scaleOf(name: string): number {
  return name.endsWith('_ps') ? 2e10 : 1e5;
}
