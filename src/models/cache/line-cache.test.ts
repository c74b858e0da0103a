import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import { LineCache } from './line-cache.js';

describe('a line cache', () => {
  it('pushes out one line for one that has no room', () => {
    const cache = new LineCache(2, new Random(1));
    for (const line of [1, 2, 1, 3]) cache.insert(line);
    expect(cache.has(3)).toBe(true);
    expect([1, 2].filter((line) => cache.has(line))).toHaveLength(1);
    expect([cache.lines, cache.evictions]).toEqual([2, 1]);
  });

  it('has room again when a line is freed', () => {
    const cache = new LineCache(2, new Random(1));
    cache.insert(500);
    cache.insert(2);
    cache.free(500);
    cache.insert(3);
    expect([cache.lines, cache.evictions]).toEqual([2, 0]);
    cache.free(500);
    expect(cache.lines).toBe(2);
  });

  it('gives lines up for a reservation, and takes none with nothing left', () => {
    const cache = new LineCache(4, new Random(1));
    for (const line of [1, 2, 3, 4]) cache.insert(line);
    cache.reserve(3);
    expect([cache.lines, cache.evictions]).toEqual([1, 3]);
    cache.reserve(4);
    cache.insert(9);
    expect([cache.lines, cache.has(9)]).toEqual([0, false]);
  });

  it('misses the more the more lines are wanted at a time, and never all at once', () => {
    const missed = (wanted: number) => {
      const cache = new LineCache(1000, new Random(1));
      let misses = 0;
      for (let line = 0; line < 20_000; line++) {
        cache.insert(line);
        const used = line - wanted;
        if (used < 0) continue;
        if (!cache.has(used)) misses++;
        cache.free(used);
      }
      return misses / (20_000 - wanted);
    };
    expect(missed(900)).toBe(0);
    const [little, more, most] = [missed(1100), missed(1500), missed(2000)];
    expect(little).toBeGreaterThan(0);
    expect(little).toBeLessThan(0.2);
    expect(more).toBeGreaterThan(little);
    expect(most).toBeGreaterThan(more);
    expect(most).toBeLessThan(0.9);
  });

  it('holds no more than it has room for, all that was put in last, and nothing that was freed', () => {
    const step = fc.tuple(fc.boolean(), fc.nat(20));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat(1000), (steps, seed) => {
        const cache = new LineCache(5, new Random(seed));
        const put = new Set<number>();
        for (const [insert, line] of steps) {
          if (insert) cache.insert(line);
          else cache.free(line);
          if (insert) put.add(line);
          else put.delete(line);
          expect(cache.has(line)).toBe(insert);
          const here = Array.from({ length: 21 }, (_, each) => each).filter((each) => cache.has(each));
          expect(here).toHaveLength(cache.lines);
          expect(cache.lines).toBeLessThanOrEqual(5);
          for (const each of here) expect(put.has(each)).toBe(true);
          // Nothing is lost but by pushing out.
          if (put.size <= 5 && cache.evictions === 0) expect(cache.lines).toBe(put.size);
        }
      }),
    );
  });
});
