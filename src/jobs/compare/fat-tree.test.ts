import { expect, it } from 'vitest';
import { runFatTree } from './fat-tree.js';

// Goal: the three NICs meet the same flows in the same tree, every flow ends, and the same seed gives the same times.

const SHORT = { servers: 16, durationNs: 300_000 };

it('has the same flows for every NIC, and all of them end', async () => {
  const runs = await Promise.all(
    ['connectx', 'irn', 'srnic'].map((nic) => runFatTree({ ...SHORT, nic, seed: 1 })),
  );
  const [connectx, irn, srnic] = runs.map((run) => run!);
  expect(connectx['flows']).toBeGreaterThan(20);
  for (const run of [connectx, irn, srnic])
    expect(run).toMatchObject({ flows: connectx['flows'], unfinished: 0 });
  // Buffers are such that switches have to pause where they may.
  expect([connectx['drops'], irn['pauseFrames']]).toEqual([0, 0]);
  expect(connectx['pauseFrames']).toBeGreaterThan(0);
  // A window of one round trip keeps queues short: short flows wait less than behind bursts at line rate.
  expect(srnic['meanSlowdown']).toBeLessThan(connectx['meanSlowdown']!);
  expect(await runFatTree({ ...SHORT, nic: 'srnic', seed: 1 })).toEqual(srnic);
});

it('ends when it is told to', async () => {
  expect(await runFatTree({ ...SHORT, nic: 'irn', seed: 1 }, AbortSignal.abort())).toBeNull();
});

it.each([
  [{ nic: 'mellanox' }, 'nic', /connectx, irn, srnic/],
  [{ servers: 17 }, 'servers', /16, 64, 256/],
])('%j is refused', async (change, field, allowed) => {
  const tree = runFatTree({ nic: 'irn', servers: 16, seed: 1, ...change });
  await expect(tree).rejects.toMatchObject({ field, allowed: expect.stringMatching(allowed) });
});
