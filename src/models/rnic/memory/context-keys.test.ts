import { describe, expect, it } from 'vitest';
import { ContextKeys } from './context-keys.js';

describe('the context entries of a queue pair', () => {
  it('are one, until it reads; then its accesses take them in turn', () => {
    const keys = new ContextKeys(100, 5);
    expect([keys.next(), keys.next()]).toEqual([100, 100]);
    keys.entries = 4;
    const touched = Array.from({ length: 8 }, () => keys.next());
    expect(new Set(touched)).toEqual(new Set([100, 101, 102, 103]));
    expect(touched.slice(0, 4)).toEqual(touched.slice(4));
  });

  it('end with that of a long list of elements', () => {
    expect(new ContextKeys(100, 5).elementsKey).toBe(104);
  });
});
