import { describe, it } from 'vitest';
import { SimulatedProvider } from '../providers/simulated/index.js';
import { contractSuite } from '../verbs/contract/index.js';
import { openThrough, through } from './testing/through.js';

for (const [name, between] of Object.entries(through)) {
  const open = async () => {
    const provider = new SimulatedProvider({ subsystem: 'collie-f' });
    return openThrough(between, await provider.open('sim0'), await provider.open('sim1'));
  };
  contractSuite({ name: `simulated through ${name}`, open, describe, it });
}
