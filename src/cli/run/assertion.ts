import { KelpieError } from '../../error.js';
import { METRICS_IN_WORDS, type Measurement, metricReader, type Workload } from '../../workload/index.js';

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
  '==': (left, right) => left === right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
};
const PATTERN = /^\s*([A-Za-z][^<>=]*?)\s*(>=|<=|==|>|<)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;
const ALLOWED = `METRIC OP NUMBER with OP one of >= <= == > < and METRIC one of ${METRICS_IN_WORDS}`;

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
  const parts = PATTERN.exec(text);
  if (parts === null)
    throw new KelpieError('BAD_FLAG', 'this is no threshold', {
      field: '--assert',
      given: text,
      allowed: ALLOWED,
    });
  const [, metric, operator, bound] = parts;
  const read = metricReader(metric, workload);
  if (read === null)
    throw new KelpieError('BAD_FLAG', 'there is no such metric', {
      field: '--assert',
      given: text,
      allowed: ALLOWED,
    });
  const holds = (measurement: Measurement) => {
    const value = read(measurement);
    return typeof value === 'number' && COMPARISONS[operator](value, Number(bound));
  };
  return { text, holds, found: (measurement) => String(read(measurement) ?? 'the provider does not say') };
}
