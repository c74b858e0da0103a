import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { KeyCipher } from './key-cipher.js';

it('turns every index into 24 other bits and back', () => {
  const seed = fc.integer({ min: 0, max: 2 ** 32 });
  fc.assert(
    fc.property(seed, fc.integer({ min: 0, max: 0xffffff }), (from, index) => {
      const random = new Random(from);
      const cipher = new KeyCipher(() => random.nextUint32());
      const bits = cipher.encrypt(index);
      expect(bits >>> 24).toBe(0);
      expect(cipher.decrypt(bits)).toBe(index);
    }),
  );
});

it('spreads neighbours over the whole range', () => {
  const random = new Random(5);
  const cipher = new KeyCipher(() => random.nextUint32());
  const quarters = new Set(Array.from({ length: 64 }, (_, index) => cipher.encrypt(index) >>> 22));
  expect(quarters.size).toBe(4);
});
