import { describe, expect, it } from 'vitest';
import { MissUnit } from '../memory/miss-unit.js';
import { Side } from '../parts/context-store.js';
import { constantsOf, TestParts } from '../testing/test-parts.js';
import { PagedTranslations } from './paged-translations.js';

const PAGE = 4096;

/** Translations of regions of these lengths, by their numbers. */
function make(lengths: number[], more: { entries?: number; pageBytes?: number; ablated?: string[] } = {}) {
  const shared = new TestParts(constantsOf('connectx-6-200g'), more.ablated ?? []);
  const constants = {
    ...shared.constants,
    translationCacheEntries: more.entries ?? 64,
    translationPageBytes: more.pageBytes ?? PAGE,
  };
  const { random, counters, pcie, shares, path, ablated } = shared;
  const misses = new MissUnit(constants, pcie, path, shares);
  const memory = { length: Float64Array.from(lengths) };
  const parts = { constants, counters, random, ablated, shares, memory, misses: () => misses };
  return { store: new PagedTranslations(parts), counters, missPs: constants.translationMissNs * 1000 };
}

describe('translations by page', () => {
  it('have an entry for each page: a miss brings one, and its neighbour misses by itself', () => {
    const { store, counters, missPs } = make([4 * PAGE]);
    store.registered(0, 0, true);
    expect(store.lookUp(0, 0, Side.REQUESTER, 0, 100, 64)).toBe(missPs);
    expect(store.lookUp(7, 0, Side.REQUESTER, 0, 4000, 96)).toBe(7);
    expect(store.lookUp(0, 0, Side.RESPONDER, 0, PAGE, 1)).toBe(missPs);
    expect(counters).toMatchObject({ mtt_cache_hit: 1, mtt_cache_miss: 2, registrations: 1 });
  });

  it('are looked up for every page that a message touches, also where it has no bytes', () => {
    const { store, counters } = make([8 * PAGE]);
    store.registered(0, 0, true);
    store.lookUp(0, 0, Side.REQUESTER, 0, PAGE - 1, PAGE + 2);
    expect(counters.mtt_cache_miss).toBe(3);
    store.lookUp(0, 0, Side.REQUESTER, 0, 5 * PAGE, 0);
    expect(counters.mtt_cache_miss).toBe(4);
  });

  it('differ from region to region, and from one registration of a number to the next', () => {
    const { store, missPs } = make([PAGE, PAGE]);
    for (const region of [0, 1]) store.registered(region, 0, false);
    expect([0, 1].map((region) => store.lookUp(0, region, Side.REQUESTER, 0, 0, 8))).toEqual([0, 0]);
    store.deregistered(0, 0, true);
    store.registered(0, 0, true);
    expect([0, 1].map((region) => store.lookUp(0, region, Side.REQUESTER, 0, 0, 8))).toEqual([missPs, 0]);
  });

  it.each([
    ['as many as fit, of 4 KB', PAGE, 0.125],
    ['all, of 2 MB', 2 ** 21, 0],
  ])('of memory that was registered before any traffic are on chip: %s', (_, pageBytes, missing) => {
    const bytes = 2 ** 31;
    const entries = bytes / PAGE - bytes / PAGE / 8;
    const { store, counters } = make([bytes], { entries, pageBytes });
    store.registered(0, 0, false);
    for (let step = 0; step < 8000; step++)
      store.lookUp(0, 0, Side.REQUESTER, 0, (step * 0x9e37_79b1) % bytes, 1);
    // Sets fill unevenly, and a miss pushes another out.
    expect(counters.mtt_cache_miss / 8000).toBeGreaterThanOrEqual(missing);
    expect(counters.mtt_cache_miss / 8000).toBeLessThanOrEqual(missing * 1.8);
  });

  it('are there without an announcement: windows have none', () => {
    const { store } = make([PAGE, PAGE, PAGE]);
    store.lookUp(0, 2, Side.RESPONDER, 0, 0, 8);
    expect(store.lookUp(5, 2, Side.RESPONDER, 0, 0, 8)).toBe(5);
  });

  it('cost nothing where the cache is switched off', () => {
    const { store, counters } = make([PAGE], { ablated: ['translation-cache'] });
    expect(store.lookUp(3, 0, Side.REQUESTER, 0, 0, PAGE)).toBe(3);
    expect(counters.mtt_cache_miss).toBe(0);
  });
});
