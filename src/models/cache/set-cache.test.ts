import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import { SetCache } from './set-cache.js';

function missRate(entries: number, workingSet: number): number {
  const random = new Random(1);
  const cache = new SetCache({ entries, random: random.split('cache') });
  const draw = random.split('keys');
  for (let step = 0; step < 40_000; step++) {
    if (step === 20_000) {
      cache.hits = 0;
      cache.misses = 0;
    }
    const key = draw.nextInt(workingSet);
    if (!cache.lookup(key)) cache.fill(key);
  }
  return cache.misses / (cache.hits + cache.misses);
}

describe('a set-associative cache', () => {
  it('finds what was filled, until it is taken out or the cache is emptied', () => {
    const cache = new SetCache({ entries: 16, random: new Random(1) });
    expect(cache.lookup(7)).toBe(false);
    cache.fill(7);
    cache.fill(9);
    expect([cache.lookup(7), cache.lookup(9), cache.lookup(1000)]).toEqual([true, true, false]);
    cache.evict(7);
    expect([cache.has(7), cache.has(9)]).toEqual([false, true]);
    cache.clear();
    expect(cache.has(9)).toBe(false);
    expect([cache.hits, cache.misses]).toEqual([2, 2]);
  });

  it('does the same with any keys where they are sparse, and says when one pushes another out', () => {
    const [dense, sparse] = [false, true].map(
      (each) => new SetCache({ entries: 64, sparse: each, random: new Random(1) }),
    );
    for (let step = 0; step < 3000; step++) {
      const key = Math.imul(step, step + 7) & 0x1ff;
      expect(sparse.lookup(key)).toBe(dense.lookup(key));
      expect(sparse.fill(key)).toBe(dense.fill(key));
      if (step % 7 !== 0) continue;
      dense.evict(key);
      sparse.evict(key);
    }
    expect([sparse.hits, sparse.misses]).toEqual([dense.hits, dense.misses]);
    expect(sparse.fill(2 ** 31 - 2)).toBe(true);
    expect(sparse.has(2 ** 31 - 2)).toBe(true);
  });

  it('never holds more than its entries', () => {
    const cache = new SetCache({ entries: 64, random: new Random(1) });
    for (let key = 0; key < 1000; key++) cache.fill(key);
    const held = Array.from({ length: 1000 }, (_, key) => cache.has(key)).filter(Boolean).length;
    expect(held).toBeLessThanOrEqual(cache.entries);
    expect(held).toBeGreaterThan(56);
  });

  it('misses gradually more as the working set grows, with no cliff', () => {
    const rates = [256, 512, 600, 800, 1024, 2048, 4096].map((size) => missRate(512, size));
    expect(rates[0]).toBeLessThan(0.01);
    expect(rates[1]).toBeLessThan(0.1);
    for (let index = 2; index < rates.length; index++) expect(rates[index]).toBeGreaterThan(rates[index - 1]);
    // At twice its size about half of the accesses miss; a little over its size only a few do.
    expect(rates[2]).toBeLessThan(0.3);
    expect(rates[4]).toBeGreaterThan(0.4);
    expect(rates[4]).toBeLessThan(0.6);
    expect(rates[6]).toBeGreaterThan(0.8);
  });

  it('gives room to strangers, which nobody finds', () => {
    const cache = new SetCache({ entries: 512, random: new Random(1) });
    for (let key = 0; key < 400; key++) cache.fill(key);
    const held = () => Array.from({ length: 400 }, (_, key) => cache.has(key)).filter(Boolean).length;
    const before = held();
    cache.fillStrangers(256);
    expect(held()).toBeLessThan(before);
    expect(held()).toBeGreaterThan(before - 257);
    cache.clear();
    cache.fill(3);
    expect(cache.has(3)).toBe(true);
  });
});

describe('a set-associative cache with quotas', () => {
  const make = (quota: (tenant: number) => number) =>
    new SetCache({ entries: 256, random: new Random(3), quota });

  it('lets one tenant sweep another out no further than its quota', () => {
    const cache = make(() => 128);
    for (let key = 0; key < 100; key++) cache.fill(key, 0);
    for (let key = 1000; key < 20000; key++) cache.fill(key, 1);
    const left = Array.from({ length: 100 }, (_, key) => cache.has(key)).filter(Boolean).length;
    expect(left).toBeGreaterThan(90);
  });

  it('keeps most of what a tenant with more keys than places has, so that it goes on hitting', () => {
    // Two tenants go round and round their 256 keys; each has 128 places. All would be lost before they come again.
    const cache = make(() => 128);
    const rounds = (count: number) => {
      for (let round = 0; round < count; round++)
        for (let key = 0; key < 256; key++)
          for (const tenant of [0, 1]) {
            const own = 1000 * tenant + key;
            if (!cache.lookup(own)) cache.fill(own, tenant);
          }
    };
    rounds(20);
    [cache.hits, cache.misses] = [0, 0];
    rounds(20);
    expect(cache.hits / (cache.hits + cache.misses)).toBeGreaterThan(0.3);
  });

  it('leaves all of it to a tenant that is alone', () => {
    const cache = make(() => 256);
    for (let key = 0; key < 256; key++) cache.fill(key, 0);
    const held = Array.from({ length: 256 }, (_, key) => cache.has(key)).filter(Boolean).length;
    expect(held).toBeGreaterThan(180);
  });

  it('is emptied of one tenant alone', () => {
    const cache = make(() => 128);
    cache.fill(1, 0);
    cache.fill(2, 1);
    cache.clear(1);
    expect([cache.has(1), cache.has(2)]).toEqual([true, false]);
  });
});
