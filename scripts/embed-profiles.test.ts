import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedModule, generatedPath } from './embed-profiles.js';

it('the embedded profiles are current (else run node scripts/embed-profiles.js)', () => {
  expect(readFileSync(generatedPath, 'utf8')).toBe(generatedModule());
});
