import { describe, expect, it } from 'vitest';
import { findProfile, resolveHost } from '../../profiles/index.js';
import { SimulatedProvider } from '../../providers/simulated/index.js';
import type { Context } from '../../verbs/index.js';
import { type Plan, planOf } from './plan.js';
import { Prober } from './probe.js';
import { affinities, baselineOf } from './status.js';

/** A prober on a simulated server of its own. The small message is longer than what a doorbell carries. */
async function proberOn(host: string): Promise<{ plan: Plan; prober: Prober }> {
  const plan = planOf(resolveHost(findProfile('host', host)));
  const provider = new SimulatedProvider({ world: { hosts: [{ host, device: 'connectx-6-200g' }] } });
  const contexts = new Map<string, Context>();
  for (const rnic of plan.rnics) contexts.set(rnic, await provider.open(`h0/${rnic}`));
  return {
    plan,
    prober: new Prober(plan, (rnic) => contexts.get(rnic)!, { smallBytes: 64, repetitions: 3 }),
  };
}

describe('a sweep of the Hostping server', () => {
  it('finds 16 affinitive paths, and the rates of the paper through the root complex and across UPI', async () => {
    const { plan, prober } = await proberOn('hostping');
    const { readings } = await prober.sweep();
    const complete = readings.map((reading) => reading!);
    const affine = affinities(plan, baselineOf([complete], 'this sweep'));
    expect(affine.filter(Boolean)).toHaveLength(16);
    plan.paths.forEach(({ endpointKind, throughRoot, crossesSockets }, path) => {
      const { gbps, latencyNs } = complete[path];
      expect(latencyNs).toBeGreaterThan(1000);
      if (endpointKind === 'memory' || !throughRoot) return;
      // Hostping §3.2.2: 125.5 and 116.4 Gb/s, within the 10 % of rows G2 and G3.
      expect(gbps! / (crossesSockets ? 116.4 : 125.5)).toBeGreaterThan(0.9);
      expect(gbps! / (crossesSockets ? 116.4 : 125.5)).toBeLessThan(1.1);
    });
  });

  it('asks only for what is wanted, and says what it cost', async () => {
    const { plan, prober } = await proberOn('hostping');
    const { readings, cost } = await prober.sweep((path) => plan.paths[path].rnic === 'rnic2');
    expect(readings.filter((reading) => reading !== null)).toHaveLength(10);
    expect(cost.probes).toBe(10 * 2 * 4);
    expect(cost.bytes).toBe(10 * 4 * (64 + 131072));
    expect(cost.busyNs).toBeGreaterThan(0);
    expect(cost.elapsedNs).toBeGreaterThanOrEqual(cost.busyNs);
  });
});
