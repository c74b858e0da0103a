import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PSN_MASK, PSN_WINDOW, psnAdd, psnDiff, psnDistance } from './psn.js';

const psn = fc.integer({ min: 0, max: PSN_MASK });

it('counts across the wrap', () => {
  expect(psnAdd(0xffffff, 1)).toBe(0);
  expect(psnAdd(0, -1)).toBe(0xffffff);
  expect(psnDiff(0, 0xffffff)).toBe(1);
  expect(psnDiff(0xffffff, 0)).toBe(-1);
  expect(psnDistance(1, 0xffffff)).toBe(2);
});

it('takes back what it added, in both directions', () => {
  fc.assert(
    fc.property(psn, fc.integer({ min: -PSN_WINDOW, max: PSN_WINDOW - 1 }), (from, step) => {
      expect(psnDiff(psnAdd(from, step), from)).toBe(step);
      expect(psnDistance(psnAdd(from, step), from)).toBe(step & PSN_MASK);
    }),
  );
});
