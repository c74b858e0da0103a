import { describe, it } from 'vitest';
import { contractSuite } from '../verbs/contract/index.js';
import type { Faults } from './testing/channel.js';
import { Loopback } from './testing/loopback.js';

const ROUGH: Partial<Faults> = { loss: 0.02, duplication: 0.02, reordering: 0.02, reorderPs: 5_000_000 };

for (const [name, faults] of [
  ['a perfect channel', {}],
  ['a rough channel', ROUGH],
] as const) {
  let seed = 0;
  const open = async () => {
    const loopback = new Loopback({ faults, seed: ++seed });
    const [left, right] = loopback.contexts;
    const close = async () => {
      await Promise.all([left.close(), right.close()]);
      // What is still in the air arrives at nobody; then no packet may be left.
      loopback.time.advance(loopback.simulation.now + 1e9);
      loopback.checkers.finish();
    };
    return { left, right, lossless: Object.keys(faults).length === 0, close };
  };
  contractSuite({ name: `the transport over ${name}`, open, describe, it });
}
