import { describe, expect, it } from 'vitest';
import type { Point } from './point.js';
import { workloadOf } from './point-workload.js';
import { referencePoint } from './reference.js';
import { collieSpace } from './space.js';

const space = collieSpace(['memory0', 'memory1']);
const short = { ...referencePoint(space), opcode: 'READ', batch: 1, sizes: [128] } as Point;
const leastNs = (change: Partial<Point>, timeScale = 1) =>
  workloadOf({ ...short, ...change }, { length: 'short', timeScale }).measure.minNs;

describe('how long a look at a point lasts', () => {
  it('is as long as the first posts of all queue pairs take, where that is more than usual', () => {
    expect(leastNs({})).toBe(leastNs({ qps: 512, queueDepth: 64 }));
    const long = leastNs({ qps: 160, batch: 32 });
    expect(long).toBeGreaterThan(leastNs({}));
    expect(leastNs({ qps: 160, batch: 32 }, 0.5)).toBe(long / 2);
    expect(leastNs({ qps: 80, batch: 64 })).toBe(long);
    // Longer messages take longer.
    expect(leastNs({ qps: 16, batch: 4, sizes: [65536] })).toBeGreaterThan(leastNs({ qps: 16, batch: 4 }));
  });

  it('is never longer than the longest of its kind', () => {
    const { minNs, maxNs } = workloadOf(
      { ...short, qps: 1024, batch: 128, queueDepth: 128, sizes: [65536] },
      { length: 'short' },
    ).measure;
    expect(minNs).toBe(maxNs);
  });
});
