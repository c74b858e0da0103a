import { afterAll, describe, expect, it } from 'vitest';
import { FaultPlan, faults } from '../../../link/middleware/index.js';
import { contractCases, contractSuite } from '../../../verbs/contract/index.js';
import { loopbackAddress } from '../loopback-address.js';
import { SoftwareProvider } from '../provider.js';

const RATES = { loss: 0.01, duplication: 0.01, reordering: 0.01 };
const struck = { drop: 0, duplicate: 0, reorder: 0 };
let seed = 0;

const open = async () => {
  const plan = new FaultPlan({ rates: RATES, seed: ++seed });
  const bad = faults(plan, (delayNs, task) => setTimeout(task, delayNs / 1e6));
  const [left, right] = await Promise.all([
    new SoftwareProvider({ wrapLink: bad, recovery: 'irn' }).open(loopbackAddress(1)),
    new SoftwareProvider({ recovery: 'srnic' }).open(loopbackAddress(2)),
  ]);
  const close = async () => {
    await Promise.all([left.close(), right.close()]);
    for (const name of Object.keys(struck) as (keyof typeof struck)[]) struck[name] += plan.struck[name];
  };
  return { left, right, lossless: false, close };
};
// What RC carries, and what may come between: the rest knows nothing of recovery.
const groups = /^(RC |ordering|atomics|inline|remote access|RNR|retries|PSN|SRQ|connections$|many)/;
const cases = contractCases.filter(({ group }) => groups.test(group));
const name = 'software, selective repeat, with loss, duplication and reordering';
contractSuite({ name, open, cases, describe, it });

afterAll(() => {
  for (const count of Object.values(struck)) expect(count).toBeGreaterThan(20);
});
