import { describe, expect, it } from 'vitest';
import type { Isolation } from '../../../schemes/index.js';
import { type Application, allReduce, keyValue } from '../../../services/index.js';
import { openSimulatedTestbed, subsystemWith } from '../../../testbeds/index.js';
import { type ApplicationAttack, runApplication } from './index.js';

// Goal: the applications make progress undisturbed, as fast as Husky's, and the attack on processing units stalls them.

const subsystem = subsystemWith('husky', {});
const open = (options: { hosts: number; seed: number; isolation: Isolation }) =>
  openSimulatedTestbed({ subsystem, ...options });

function run(application: Application, attack: ApplicationAttack | null, durationNs: number) {
  return runApplication(
    application,
    { scheme: 'none', attack, guaranteeGbps: 50, seed: 1, durationNs },
    open,
  );
}

describe('applications', () => {
  it('an all-reduce uses about 23 Gb/s of a port, and stalls beside UC SENDs without receives', async () => {
    const alone = await run(allReduce, null, 1_300_000);
    // 14 chunks of 128 KB leave each host for one operation.
    const gbps = (alone.operationsPerSecond * 14 * 131072 * 8) / 1e9;
    expect(gbps).toBeGreaterThan(20);
    expect(gbps).toBeLessThan(26);
    const attacked = await run(allReduce, 'pu', 1_300_000);
    expect(attacked.operationsPerSecond).toBeLessThan(0.05 * alone.operationsPerSecond);
  });

  it('a key-value store serves all its clients alike, about 14 million times a second', async () => {
    const { operationsPerSecond, byHost } = await run(keyValue, null, 60_000);
    expect(operationsPerSecond / 1e6).toBeGreaterThan(11);
    expect(operationsPerSecond / 1e6).toBeLessThan(17);
    const rates = Object.values(byHost);
    expect(Object.keys(byHost)).toEqual(['a', 'c', 'd']);
    expect(Math.min(...rates) / Math.max(...rates)).toBeGreaterThan(0.9);
  });

  it('says by name that a scheme does not apply', async () => {
    const task = { scheme: 'justitia+sr-iov', attack: null, guaranteeGbps: 50, seed: 1, durationNs: 10_000 };
    await expect(runApplication(allReduce, task, open)).rejects.toMatchObject({
      code: 'SCHEME_DOES_NOT_APPLY',
    });
  });
});
