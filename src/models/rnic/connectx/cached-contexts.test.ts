import { describe, expect, it } from 'vitest';
import { MissUnit } from '../memory/miss-unit.js';
import { Side } from '../parts/context-store.js';
import { constantsOf, TestParts } from '../testing/test-parts.js';
import { CachedContexts } from './cached-contexts.js';
import { CachedTranslations } from './cached-translations.js';

const constants = constantsOf('connectx-5-100g', { registrationEntries: 4 });
const missPs = constants.contextMissNs * 1000;

function make(ablated: string[] = []) {
  const shared = new TestParts(constants, ablated);
  const { random, counters, pcie, shares, path } = shared;
  const misses = new MissUnit(constants, pcie, path, shares);
  const parts = { constants, counters, random, ablated: shared.ablated, shares, misses: () => misses };
  return { contexts: new CachedContexts(parts), translations: new CachedTranslations(parts), counters, pcie };
}

describe('contexts and translations', () => {
  it('are there at once after the first miss, which costs time and PCIe', () => {
    const { contexts, translations, counters, pcie } = make();
    expect(contexts.lookUp(0, 3, Side.REQUESTER, 0)).toBe(missPs);
    expect(contexts.lookUp(missPs, 3, Side.REQUESTER, 0)).toBe(missPs);
    expect(translations.lookUp(0, 3, Side.REQUESTER, 0)).toBeGreaterThan(0);
    expect(counters).toMatchObject({
      icm_cache_miss: 1,
      icm_cache_hit: 1,
      mtt_cache_miss: 1,
      mtt_cache_hit: 0,
    });
    expect(pcie.downBytes).toBe(2 * (constants.contextBytes + 20));
  });

  it('miss a few at a time, on each side by itself', () => {
    const { contexts } = make();
    const slots = constants.contextMissSlots;
    const done = Array.from({ length: slots + 1 }, (_, key) => contexts.lookUp(0, key, Side.REQUESTER, 0));
    expect(done.slice(0, slots)).toEqual(Array(slots).fill(missPs));
    expect(done[slots]).toBe(2 * missPs);
    expect(contexts.lookUp(0, 100, Side.RESPONDER, 0)).toBe(missPs);
  });

  it('do not miss when warm, or when their cache is switched off', () => {
    const { contexts, counters } = make();
    contexts.warm(5, 0);
    expect(contexts.lookUp(7, 5, Side.RESPONDER, 0)).toBe(7);
    const ideal = make(['context-cache', 'translation-cache']);
    expect(ideal.contexts.lookUp(9, 1, Side.REQUESTER, 0)).toBe(9);
    expect(ideal.translations.lookUp(9, 1, Side.REQUESTER, 0)).toBe(9);
    expect(counters.icm_cache_miss).toBe(0);
  });
});

describe('control verbs', () => {
  it('bring translations in, and with traffic push others out', () => {
    const { translations, counters } = make();
    translations.registered(7, 0, false);
    expect([translations.lookUp(0, 7, Side.REQUESTER, 0), counters.registrations]).toEqual([0, 0]);
    for (let region = 0; region < constants.translationCacheEntries; region++) translations.warm(region, 0);
    const there = () =>
      Array.from({ length: constants.translationCacheEntries }, (_, region) => region).filter((region) =>
        translations.cache!.has(region),
      ).length;
    const before = there();
    for (let round = 0; round < 50; round++) translations.registered(100_000 + round, 0, true);
    expect(counters.registrations).toBe(50);
    expect(there()).toBeLessThan(before - 50);
  });

  it('empty the cache when memory goes while there is traffic, and drop one entry otherwise', () => {
    const { translations, counters } = make();
    for (const region of [1, 2]) translations.warm(region, 0);
    translations.deregistered(1, 0, false);
    expect([1, 2].map((region) => translations.cache!.has(region))).toEqual([false, true]);
    translations.deregistered(1, 0, true);
    expect([translations.cache!.has(2), counters.deregistrations]).toEqual([false, 1]);
  });
});
