import { describe, it } from 'vitest';
import { contractSuite } from '../verbs/contract/index.js';
import { goBackN, goBackZero, irn, type LossRecovery, melo, srnic } from './index.js';
import type { Faults } from './testing/channel.js';
import { Loopback } from './testing/loopback.js';

const ROUGH: Partial<Faults> = { loss: 0.02, duplication: 0.02, reordering: 0.02, reorderPs: 5_000_000 };
// Go-back-0 gets no message of a thousand packets through where one of fifty is lost.
const MILD: Partial<Faults> = { loss: 0.0002, duplication: 0.02, reordering: 0.0002, reorderPs: 5_000_000 };

const CASES: readonly [name: string, faults: Partial<Faults>, recovery: () => LossRecovery][] = [
  ['over a perfect channel', {}, () => goBackN],
  ['over a rough channel', ROUGH, () => goBackN],
  ['over a rough channel, by go-back-0', MILD, () => goBackZero],
  ['over a perfect channel, by selective repeat', {}, () => irn()],
  ['over a rough channel, by selective repeat', ROUGH, () => irn()],
  ['over a rough channel, by selective repeat through software', ROUGH, () => srnic()],
  ['over a rough channel, by selective repeat with few bits', ROUGH, () => melo({ poolBits: 50 })],
];

for (const [name, faults, recovery] of CASES) {
  let seed = 0;
  const open = async () => {
    const loopback = new Loopback({ faults, seed: ++seed, transport: { lossRecovery: recovery() } });
    const [left, right] = loopback.contexts;
    const close = async () => {
      await Promise.all([left.close(), right.close()]);
      // What is still in the air arrives at nobody; then no packet may be left.
      loopback.time.advance(loopback.simulation.now + 1e9);
      loopback.checkers.finish();
    };
    return { left, right, lossless: Object.keys(faults).length === 0, close };
  };
  contractSuite({ name: `the transport ${name}`, open, describe, it });
}
