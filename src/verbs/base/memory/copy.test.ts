import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copyBytes } from './copy.js';

it('copies as Uint8Array.slice and set would, also onto itself', () => {
  const place = fc.record({
    from: fc.nat({ max: 300 }),
    to: fc.nat({ max: 300 }),
    length: fc.nat({ max: 200 }),
    same: fc.boolean(),
  });
  fc.assert(
    fc.property(place, ({ from, to, length, same }) => {
      const source = Uint8Array.from({ length: 512 }, (_, index) => index * 7);
      const target = same ? source : new Uint8Array(512);
      const expected = target.slice();
      expected.set(source.slice(from, from + length), to);
      copyBytes(target, to, source, from, length);
      expect(target).toEqual(expected);
    }),
  );
});

it('zeros come from nowhere, and nothing goes there', () => {
  const target = new Uint8Array(6).fill(5);
  copyBytes(target, 1, null, 0, 3);
  copyBytes(null, 0, target, 0, 6);
  expect([...target]).toEqual([5, 0, 0, 0, 5, 5]);
});
