import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { NO_SLOT } from '../codes.js';
import { KeyIndex } from './key-index.js';

it('finds what was added and not removed, however places collide', () => {
  const step = fc.record({ add: fc.boolean(), which: fc.nat(1000) });
  fc.assert(
    fc.property(
      fc.nat(1e6),
      fc.array(step, { maxLength: 400 }),
      fc.constantFrom(4, 24),
      (seed, steps, wide) => {
        const random = new Random(seed);
        // With few different low bits almost every place collides.
        const index = new KeyIndex(() =>
          wide === 24 ? random.nextUint32() : (random.nextInt(2 ** 20) << 12) | (random.nextInt(16) << 8),
        );
        const live = new Map<number, number>();
        const gone = new Set<number>();
        for (const [slot, { add, which }] of steps.entries()) {
          if (add || live.size === 0) {
            const bits = index.add(slot);
            expect(live.has(bits)).toBe(false);
            live.set(bits, slot);
            gone.delete(bits);
          } else {
            const bits = [...live.keys()][which % live.size];
            index.remove(bits);
            live.delete(bits);
            gone.add(bits);
          }
        }
        for (const [bits, slot] of live) expect(index.find(bits)).toBe(slot);
        for (const bits of gone) expect(index.find(bits)).toBe(NO_SLOT);
      },
    ),
  );
});

it('draws bits that are new each time, all over the range', () => {
  const random = new Random(3);
  const index = new KeyIndex(() => random.nextUint32());
  const drawn = Array.from({ length: 20_000 }, (_, slot) => {
    const bits = index.add(slot);
    index.remove(bits);
    return bits;
  });
  // Of 20,000 draws of 24 bits, 12 pairs are equal by chance.
  expect(new Set(drawn).size).toBeGreaterThan(19_950);
  expect(new Set(drawn.map((bits) => bits >>> 16)).size).toBe(256);
  expect(Math.min(...drawn)).toBeGreaterThan(0);
});

it('forgets bits once: a second time changes nothing', () => {
  const random = new Random(3);
  const index = new KeyIndex(() => random.nextUint32());
  const first = index.add(0);
  const second = index.add(1);
  index.remove(first);
  index.remove(first);
  expect(index.find(first)).toBe(NO_SLOT);
  expect(index.find(second)).toBe(1);
});
