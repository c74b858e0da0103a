import { describe, it } from 'vitest';
import { contractSuite } from '../../verbs/contract/index.js';
import { IdealProvider } from './provider.js';

for (const latencyNs of [0, 700]) {
  const open = async () => {
    const provider = new IdealProvider({ latencyNs });
    const [left, right] = await Promise.all([provider.open('ideal0'), provider.open('ideal1')]);
    return {
      left,
      right,
      lossless: true,
      close: async () => void (await Promise.all([left.close(), right.close()])),
    };
  };
  contractSuite({ name: `ideal, ${latencyNs} ns`, open, describe, it });
}
