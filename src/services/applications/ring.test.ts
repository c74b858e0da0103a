import { describe, expect, it } from 'vitest';
import { openTestbed } from '../../testbeds/index.js';
import { ring } from './ring.js';

const OPTIONS = { rounds: 2, bufferBytes: 2 ** 21, timeoutNs: 20e6 };

async function rates(faults: { at: string; lanes: number }[]): Promise<readonly number[]> {
  const world = { hosts: [{ host: 'hostping', device: 'connectx-6-200g', count: 4 }], faults };
  const testbed = await openTestbed({ world, seed: 1 });
  try {
    return await ring(
      testbed.hosts.map(({ context }) => context),
      OPTIONS,
    );
  } finally {
    await testbed.close();
  }
}

describe('an all-reduce round a ring', () => {
  it('is as fast on all hosts as the slowest link lets it be on one', async () => {
    const healthy = await rates([]);
    expect(Math.min(...healthy)).toBeGreaterThan(100);
    const slow = await rates([{ at: 'h2/rnic0-up', lanes: 4 }]);
    expect(Math.max(...slow)).toBeLessThan(65);
    expect(Math.min(...slow)).toBeGreaterThan(0.9 * Math.max(...slow));
  });
});
