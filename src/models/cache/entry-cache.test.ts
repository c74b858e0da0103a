import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import { EntryCache } from './entry-cache.js';

/** Share of misses when `entries` of 16 B are always posted and used in the order of posting. */
function missShare(capacityBytes: number, entries: number): number {
  const cache = new EntryCache(capacityBytes, new Random(1));
  let misses = 0;
  for (let entry = 0; entry < entries; entry++) cache.insert(entry, 16);
  const laps = 20;
  for (let use = 0; use < laps * entries; use++) {
    const key = use % entries;
    if (use >= (laps / 2) * entries && !cache.has(key)) misses++;
    cache.free(key);
    cache.insert(key, 16);
  }
  return misses / ((laps / 2) * entries);
}

describe('EntryCache', () => {
  it('keeps what fits and counts its bytes', () => {
    const cache = new EntryCache(1024, new Random(1));
    for (let key = 0; key < 16; key++) cache.insert(key, 64);
    expect(cache.bytes).toBe(1024);
    expect(cache.evictions).toBe(0);
    cache.free(3);
    expect([cache.has(3), cache.has(4), cache.bytes]).toEqual([false, true, 960]);
  });

  it('makes room for a large entry by as many small ones as it takes', () => {
    const cache = new EntryCache(256, new Random(1));
    for (let key = 0; key < 16; key++) cache.insert(key, 16);
    cache.insert(99, 128);
    expect([cache.has(99), cache.bytes, cache.evictions]).toEqual([true, 256, 8]);
  });

  it('holds nothing that is larger than itself', () => {
    const cache = new EntryCache(64, new Random(1));
    cache.insert(0, 128);
    expect([cache.has(0), cache.bytes]).toEqual([false, 0]);
  });

  it('misses gradually more as the entries outgrow it', () => {
    const shares = [512, 1024, 1229, 1536, 2048, 4096].map((entries) => missShare(16 * 1024, entries));
    expect(shares[0]).toBe(0);
    expect(shares[1]).toBe(0);
    for (let step = 2; step < shares.length; step++) expect(shares[step]).toBeGreaterThan(shares[step - 1]);
    expect(shares[2]).toBeLessThan(0.5);
    expect(shares[5]).toBeGreaterThan(0.9);
  });
});
