import { afterAll, describe, expect, it } from 'vitest';
import { FaultPlan, faults } from '../../link/middleware/index.js';
import { contractSuite } from '../../verbs/contract/index.js';
import { loopbackAddress } from './loopback-address.js';
import { SoftwareProvider } from './provider.js';

const RATES = { loss: 0.01, duplication: 0.01, reordering: 0.01 };
const struck = { drop: 0, duplicate: 0, reorder: 0 };
let seed = 0;

const open = async () => {
  const plan = new FaultPlan({ rates: RATES, seed: ++seed });
  const bad = faults(plan, (delayNs, task) => setTimeout(task, delayNs / 1e6));
  const [left, right] = await Promise.all([
    new SoftwareProvider({ wrapLink: bad }).open(loopbackAddress(1)),
    new SoftwareProvider().open(loopbackAddress(2)),
  ]);
  const close = async () => {
    await Promise.all([left.close(), right.close()]);
    for (const name of Object.keys(struck) as (keyof typeof struck)[]) struck[name] += plan.struck[name];
  };
  return { left, right, lossless: false, close };
};
contractSuite({ name: 'software, with loss, duplication and reordering', open, describe, it });

afterAll(() => {
  for (const count of Object.values(struck)) expect(count).toBeGreaterThan(20);
});
