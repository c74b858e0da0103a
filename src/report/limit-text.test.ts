import { expect, it } from 'vitest';
import { limitText } from './limit-text.js';

it.each([
  ["host a's port: 200.0 of 200 Gb/s", "Limited by host a's port: 200.0 of 200 Gb/s"],
  ['no part is saturated; the busiest is a', 'No part is saturated; the busiest is a'],
])('%s reads as a sentence', (by, text) => {
  expect(limitText(by)).toBe(text);
});
