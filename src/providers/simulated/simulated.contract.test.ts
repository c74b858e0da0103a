import { describe, expect, it } from 'vitest';
import { contractSuite } from '../../verbs/contract/index.js';
import { SimulatedProvider } from './provider.js';
import { checkDrained } from './testing/conservation.js';

const networks = [
  { name: 'lossless' },
  {
    name: 'with loss, duplication and reordering',
    impairment: { loss: 0.01, duplication: 0.01, reordering: 0.01 },
  },
];

for (const { name, impairment } of networks) {
  const open = async () => {
    const provider = new SimulatedProvider({ subsystem: 'collie-f', impairment });
    const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
    return {
      left,
      right,
      lossless: impairment === undefined,
      close: async () => {
        await Promise.all([left.close(), right.close()]);
        expect(checkDrained(provider.world)).toBeGreaterThan(0);
      },
    };
  };
  contractSuite({ name: `simulated, ${name}`, open, describe, it });
}
