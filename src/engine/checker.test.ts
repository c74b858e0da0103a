import { describe, expect, it } from 'vitest';
import { Checker } from './checker.js';

describe('Checker', () => {
  it('counts what holds and throws what does not, by name', () => {
    const checker = new Checker();
    checker.check(true, 'psn order');
    expect(checker.passed).toBe(1);
    expect(() => checker.check(false, 'psn order', 'psn', 7, 8)).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN', field: 'psn', given: 7, allowed: '8' }),
    );
    expect(() => checker.check(false, 'psn order')).toThrow(/psn order/);
    expect(checker.passed).toBe(1);
  });
});
