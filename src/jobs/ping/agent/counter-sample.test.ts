import { expect, it } from 'vitest';
import { openTestbed } from '../../../testbeds/index.js';
import { resolveWorkload, runWorkload } from '../../../workload/index.js';
import { countersAt, sampleBetween } from './counter-sample.js';
import { Monitor } from './monitor.js';

// Goal: the counters of a simulated server raise the alarm that a real one would: its link is slower than what arrives.

const hosts = [{ host: 'two-socket', device: 'connectx-6-200g', devices: [{ rnic: 'rnic0' }], count: 2 }];
const measure = { minNs: 300_000, maxNs: 300_000, sliceNs: 100_000 };

/** What the receiving RNIC did during a workload, and what a monitor does about it. */
async function received(faults: readonly { at: string; rate: number }[]) {
  const testbed = await openTestbed({ world: { hosts, faults }, seed: 1 });
  const context = testbed.hosts[1].devices[0].context;
  const before = countersAt(context.clock.nowNs, context.counters());
  await runWorkload(resolveWorkload({ qps: 4, sizes: [65536], measure }), testbed);
  const now = countersAt(context.clock.nowNs, context.counters());
  await testbed.close();
  const sample = sampleBetween('rnic0', before, now, 200);
  const monitor = new Monitor();
  monitor.decide(0, { rnics: [{ rnic: 'rnic0', loadShare: 0, pauseShare: 0, drops: 0 }], gpusIdle: null });
  return { sample, decision: monitor.decide(1000, { rnics: [sample], gpusIdle: null }) };
}

it('a link that is slower than what arrives pauses its peer, which is an alarm', async () => {
  const { sample, decision } = await received([{ at: 'h1/rnic0-up', rate: 0.25 }]);
  expect(sample.loadShare).toBeGreaterThan(0.1);
  expect(sample.pauseShare).toBeGreaterThan(0.03);
  expect(decision).toMatchObject({ act: 'run', trigger: 'alarm', mesh: 'affinitive', busyRnics: ['rnic0'] });
});

it('a busy server without a fault raises none', async () => {
  const { sample, decision } = await received([]);
  expect(sample.loadShare).toBeGreaterThan(0.5);
  expect(sample.pauseShare).toBeLessThan(0.03);
  expect(sample.drops).toBe(0);
  expect(decision).toEqual({ act: 'wait' });
});
