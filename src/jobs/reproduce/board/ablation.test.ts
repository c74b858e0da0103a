import { describe, expect, it } from 'vitest';
import { mechanisms } from '../../../models/rnic/ablation.js';
import { openSimulated, simulatedBench } from '../open.js';
import { runTask } from '../task.js';
import { type AblationFinding, collieCauses } from './causes.js';

// Goal: the mechanism that the board names as the cause of a Collie row is its cause: switched off alone the symptom is
// gone, switched on the named counter is higher than in a clean run.
// The quick ones always run; `npm run test:fidelity` runs all.

const quick = ['C1', 'C2', 'C5', 'C7', 'C8', 'C17'];
const all = process.env['KELPIE_FIDELITY'] === 'full';
const ids = all ? Object.keys(collieCauses) : quick;

describe('the cause of', () => {
  it.each(ids)(
    '%s clears the symptom when switched off and shows in its counter',
    async (id) => {
      const { result } = await runTask({ kind: 'ablation', id }, simulatedBench(1));
      const { clears, raised, on, off, counted } = result as AblationFinding;
      expect({ clears, on, off }).toEqual({ clears: true, on, off });
      expect({ raised, counted }).toEqual({ raised: true, counted });
    },
    300_000,
  );
});

describe('the causes', () => {
  it('name mechanisms and counters that exist', async () => {
    const testbed = await openSimulated('collie-f', { seed: 1, settings: {}, ablate: [], hosts: 2 });
    const counters = Object.keys(testbed.hosts[0].context.counters());
    await testbed.close();
    for (const [id, { mechanism, counter }] of Object.entries(collieCauses)) {
      expect(Object.keys(mechanisms), id).toContain(mechanism);
      expect(counters, id).toContain(counter);
    }
  });
});
