import { expect, it } from 'vitest';
import { MissUnit } from '../memory/miss-unit.js';
import { Side } from '../parts/context-store.js';
import { constantsOf, TestParts } from '../testing/test-parts.js';
import { SpilledContexts } from './spilled-contexts.js';

const CONTEXT_BYTES = 210;

function make(contextCacheEntries: number) {
  const shared = new TestParts(constantsOf('connectx-6-200g'));
  const constants = { ...shared.constants, contextCacheEntries, residentContextBytes: CONTEXT_BYTES };
  const { random, counters, pcie, shares, path, ablated } = shared;
  const misses = new MissUnit(constants, pcie, path, shares);
  const parts = { constants, counters, random, ablated, shares, misses: () => misses };
  return { contexts: new SpilledContexts(parts), counters, pcie, missPs: constants.contextMissNs * 1000 };
}

it('contexts that fit are on chip', () => {
  const { contexts, counters, pcie } = make(8);
  for (let key = 0; key < 8; key++) contexts.warm(key, 0);
  for (let key = 0; key < 8; key++) expect(contexts.lookUp(key, key, Side.REQUESTER, 0)).toBe(key);
  expect([counters.icm_cache_hit, counters.icm_cache_miss, pcie.upBytes, pcie.downBytes]).toEqual([
    8, 0, 0, 0,
  ]);
});

it('one that is not is read whole, and the one that gives way is written', () => {
  const { contexts, counters, pcie, missPs } = make(8);
  expect(contexts.lookUp(0, 100, Side.RESPONDER, 0)).toBe(missPs);
  const [readUp, readDown] = [pcie.upBytes, pcie.downBytes];
  expect(readDown).toBe(CONTEXT_BYTES + 20);
  for (let key = 0; key < 7; key++) contexts.warm(key, 0);
  expect(contexts.lookUp(0, 200, Side.RESPONDER, 0)).toBe(missPs);
  expect(pcie.downBytes).toBe(2 * readDown);
  expect(pcie.upBytes).toBe(2 * readUp + CONTEXT_BYTES + 20);
  expect(counters.icm_cache_miss).toBe(2);
});
