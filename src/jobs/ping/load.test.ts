import { describe, expect, it } from 'vitest';
import { findProfile, resolveHost } from '../../profiles/index.js';
import { sweepLoad } from './load.js';
import { planOf } from './plan.js';

describe('the load of sweeps', () => {
  const plan = planOf(resolveHost(findProfile('host', 'hostping')));
  const reading = { gbps: 200, latencyNs: 2000, gbpsDeviation: 4, latencyDeviationNs: 100, samples: 11 };
  const cost = { probes: 80, bytes: 40e6, busyNs: 3e6, elapsedNs: 4e6 };

  it('is that of the busiest link: here each RNIC has 10 paths of 1 MB each over its own', () => {
    const readings = plan.paths.map(() => reading);
    const load = sweepLoad(plan, { readings, cost }, 1e9);
    const busiest = plan.links.find(({ name }) => name === load.busiestLink)!;
    const index = plan.links.indexOf(busiest);
    const crossing = plan.paths.filter(({ links }) => links.includes(index)).length;
    expect(load.busShare).toBeCloseTo((crossing * 8e6) / (busiest.gbps * 1e9), 12);
    const own = plan.links.find(({ name }) => name === 'rnic0-up')!;
    expect(load.busShare).toBeGreaterThanOrEqual((10 * 8e6) / (own.gbps * 1e9));
    expect(load).toMatchObject({ timeShare: 0.003, latencyDeviation: 0.05, bandwidthDeviation: 0.02 });
    expect(load.meanMbps).toBeCloseTo(320, 9);
  });

  it('is nothing where nothing was probed', () => {
    const readings = plan.paths.map(() => null);
    expect(sweepLoad(plan, { readings, cost: { ...cost, bytes: 0, busyNs: 0 } })).toMatchObject({
      busShare: 0,
      timeShare: 0,
      meanMbps: 0,
    });
  });
});
