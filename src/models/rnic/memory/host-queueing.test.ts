import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { HostQueueing } from './host-queueing.js';

const MEAN_PS = 823_000;
const DRAWS = 20_000;

/** This many reads of a host where half of the time is waiting, shortest first. */
function drawn(share: number): number[] {
  const queueing = new HostQueueing(share, new Random(3));
  return Array.from({ length: DRAWS }, () => queueing.drawPs(MEAN_PS)).sort((one, other) => one - other);
}

describe('reads of a busy host', () => {
  it('take as long as they should on average, never less than an idle host takes, and at times far longer', () => {
    const times = drawn(0.51);
    const mean = times.reduce((sum, each) => sum + each, 0) / DRAWS;
    expect(mean / MEAN_PS).toBeCloseTo(1, 1);
    expect(times[0]).toBeGreaterThanOrEqual(0.49 * MEAN_PS - 1);
    // Exponential: half of the waits are below ln 2 of their mean, one in a hundred above 4.6 times it.
    expect(times[DRAWS / 2] / MEAN_PS).toBeCloseTo(0.49 + 0.51 * Math.LN2, 1);
    expect(times[0.99 * DRAWS] / MEAN_PS).toBeCloseTo(0.49 + 0.51 * Math.log(100), 0);
  });

  it('take the same time each where nobody waits, and the same times again with the same seed', () => {
    expect(new Set(drawn(0))).toEqual(new Set([MEAN_PS]));
    expect(drawn(0.3)).toEqual(drawn(0.3));
  });
});
