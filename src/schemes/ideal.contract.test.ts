import { describe, it } from 'vitest';
import { IdealProvider } from '../providers/ideal/index.js';
import { contractSuite } from '../verbs/contract/index.js';
import { openThrough, through, throughQuickly } from './testing/through.js';

for (const [name, between] of Object.entries({ ...through, ...throughQuickly })) {
  const open = async () => {
    const provider = new IdealProvider();
    return openThrough(between, await provider.open('ideal0'), await provider.open('ideal1'));
  };
  contractSuite({ name: `ideal through ${name}`, open, describe, it });
}
