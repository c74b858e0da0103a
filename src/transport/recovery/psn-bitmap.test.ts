import fc from 'fast-check';
import { expect, it } from 'vitest';
import { psnAdd } from '../packet/psn.js';
import { PsnBitmap } from './psn-bitmap.js';

it('is a set of PSNs over a window that moves, across the wrap of PSNs and of its words', () => {
  const step = fc.record({
    kind: fc.constantFrom('set', 'clear', 'move', 'clearAll'),
    ahead: fc.oneof({ weight: 9, arbitrary: fc.nat(499) }, { weight: 1, arbitrary: fc.nat(5000) }),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(0, 31, 0xffffe0, 0xffff00),
      fc.array(step, { maxLength: 400 }),
      (from, steps) => {
        const bitmap = new PsnBitmap();
        const oracle = new Set<number>();
        let base: number = from;
        for (const { kind, ahead } of steps) {
          const psn = psnAdd(base, ahead);
          if (kind === 'set') {
            bitmap.set(psn, base);
            oracle.add(psn);
          } else if (kind === 'clear') {
            bitmap.clear(psn);
            oracle.delete(psn);
          } else if (kind === 'clearAll' && ahead < 10) {
            bitmap.clearAll();
            oracle.clear();
          } else if (kind === 'move') {
            for (let count = 0; count < ahead; count++) {
              bitmap.clear(psnAdd(base, count));
              oracle.delete(psnAdd(base, count));
            }
            base = psn;
          }
          expect(bitmap.count).toBe(oracle.size);
        }
        for (let ahead = 0; ahead < 600; ahead++) {
          const psn = psnAdd(base, ahead);
          expect(bitmap.test(psn)).toBe(oracle.has(psn));
        }
      },
    ),
    { seed: 20260101, numRuns: 150 },
  );
});

it('takes no memory before the first bit, and 64 bytes more than the bits of a window of 500', () => {
  const bitmap = new PsnBitmap();
  expect([bitmap.test(5), bitmap.bytes]).toEqual([false, 0]);
  for (let psn = 0xfffff0; psn < 0xfffff0 + 500; psn++) bitmap.set(psnAdd(psn, 0), 0xfffff0);
  expect([bitmap.count, bitmap.bytes]).toEqual([500, 128]);
});
