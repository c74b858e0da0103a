import { KelpieError } from '../../error.js';
import { METRICS_IN_WORDS, type Measurement, metricReader, type Workload } from '../../workload/index.js';
import { parseThreshold } from '../checks/threshold.js';

/** A threshold that a run must meet. */
export interface Assertion {
  text: string;
  holds(measurement: Measurement): boolean;
  /** What was found, or why nothing was. */
  found(measurement: Measurement): string;
}

/**
 * Reads a threshold such as `goodputGbps>=90` or `tenant.victim.latencyNs.p99<5000`; a metric that the workload cannot
 * have is refused before anything runs.
 */
export function parseAssertion(text: string, workload: Workload): Assertion {
  const threshold = parseThreshold(text, METRICS_IN_WORDS);
  const read = metricReader(threshold.metric, workload);
  if (read === null)
    throw new KelpieError('BAD_FLAG', 'there is no such metric', {
      field: '--assert',
      given: text,
      allowed: METRICS_IN_WORDS,
    });
  return {
    text,
    holds: (measurement) => threshold.holds(read(measurement)),
    found: (measurement) => String(read(measurement) ?? 'the provider does not say'),
  };
}
