import { collieTargets } from '../../src/jobs/reproduce/targets/collie.js';
import type { CollieTarget } from '../../src/jobs/reproduce/targets/target.js';

/** A workload and what a paper says of it. */
export interface Point {
  id: string;
  /** Kept for testing: no constant was chosen by looking at it. */
  test: boolean;
  target: CollieTarget;
  /** What is expected; null: no anomaly. */
  symptom: 'pause' | 'throughput' | null;
}

/** A concrete trigger of Collie's appendix A. */
export function findCollie(id: string): CollieTarget {
  const found = collieTargets.find((target) => target.id === id);
  if (found === undefined) throw new Error(`no trigger ${id}`);
  return found;
}
