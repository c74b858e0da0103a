import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCache } from './line-cache.js';

describe('a line cache', () => {
  it('pushes out the least recently inserted line', () => {
    const cache = new LineCache(2);
    cache.insert(1);
    cache.insert(2);
    cache.insert(1);
    cache.insert(3);
    expect([1, 2, 3].map((line) => cache.has(line))).toEqual([true, false, true]);
    expect(cache.evictions).toBe(1);
  });

  it('has room again when a line is freed', () => {
    const cache = new LineCache(2);
    cache.insert(500);
    cache.insert(2);
    cache.free(500);
    cache.insert(3);
    expect([cache.lines, cache.evictions]).toEqual([2, 0]);
    cache.free(500);
    expect(cache.lines).toBe(2);
  });

  it('gives lines up for a reservation, and takes none with nothing left', () => {
    const cache = new LineCache(4);
    for (const line of [1, 2, 3, 4]) cache.insert(line);
    cache.reserve(3);
    expect([cache.lines, cache.has(4)]).toEqual([1, true]);
    cache.reserve(4);
    cache.insert(9);
    expect([cache.lines, cache.has(9)]).toEqual([0, false]);
  });

  it('is a least-recently-used list of its capacity', () => {
    const step = fc.tuple(fc.boolean(), fc.nat(20));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const cache = new LineCache(5);
        let model: number[] = [];
        for (const [insert, line] of steps) {
          model = model.filter((each) => each !== line);
          if (insert) {
            cache.insert(line);
            model = [...model, line].slice(-5);
          } else cache.free(line);
          for (let each = 0; each <= 20; each++) expect(cache.has(each)).toBe(model.includes(each));
          expect(cache.lines).toBe(model.length);
        }
      }),
    );
  });
});
