import { expect, it } from 'vitest';
import { ackTimeoutNs, rnrTimerNs } from './timers.js';

it('knows the coded delays of the specification', () => {
  expect([0, 1, 12, 31].map(rnrTimerNs)).toEqual([655_360_000, 10_000, 640_000, 491_520_000]);
  expect(ackTimeoutNs(0)).toBe(Number.POSITIVE_INFINITY);
  expect([1, 14, 31].map(ackTimeoutNs)).toEqual([8192, 67_108_864, 8_796_093_022_208]);
});

it('every code asks for longer than the one before, but for code 0', () => {
  for (let code = 2; code < 32; code++) expect(rnrTimerNs(code)).toBeGreaterThan(rnrTimerNs(code - 1));
});
