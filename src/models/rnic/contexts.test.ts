import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import { findProfile, resolveDevice } from '../../profiles/index.js';
import { DmaPath } from '../pcie/dma-path.js';
import { PciePort } from '../pcie/pcie-port.js';
import { Contexts, Side } from './contexts.js';
import { RnicCounters } from './rnic-counters.js';

const constants = resolveDevice(findProfile('device', 'connectx-5-100g'));
const missPs = constants.contextMissNs * 1000;

function make(ablated: string[] = []) {
  const counters = new RnicCounters();
  const pcie = new PciePort({
    gbps: 128,
    maxPayloadBytes: 128,
    maxReadRequestBytes: 512,
    tlpOverheadBytes: 20,
    readOutstandingBytes: 34_700,
    orderingWindowPs: 0,
    orderingStallPs: 0,
    orderingShortBytes: 0,
  });
  const path = new DmaPath({ name: 'memory', readLatencyPs: 650_000 });
  const contexts = new Contexts(constants, counters, pcie, path, new Random(1), new Set(ablated));
  return { contexts, counters, pcie };
}

describe('contexts and translations', () => {
  it('are there at once after the first miss, which costs time and PCIe', () => {
    const { contexts, counters, pcie } = make();
    expect(contexts.context(0, 3, Side.REQUESTER)).toBe(missPs);
    expect(contexts.context(missPs, 3, Side.REQUESTER)).toBe(missPs);
    expect(contexts.translation(0, 3, Side.REQUESTER)).toBeGreaterThan(0);
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
    const done = Array.from({ length: slots + 1 }, (_, key) => contexts.context(0, key, Side.REQUESTER));
    expect(done.slice(0, slots)).toEqual(Array(slots).fill(missPs));
    expect(done[slots]).toBe(2 * missPs);
    expect(contexts.context(0, 100, Side.RESPONDER)).toBe(missPs);
  });

  it('do not miss when warm, or when their cache is switched off', () => {
    const { contexts, counters } = make();
    contexts.warm(5);
    expect(contexts.context(7, 5, Side.RESPONDER)).toBe(7);
    const ideal = make(['context-cache', 'translation-cache']).contexts;
    expect(ideal.context(9, 1, Side.REQUESTER)).toBe(9);
    expect(ideal.translation(9, 1, Side.REQUESTER)).toBe(9);
    expect(counters.icm_cache_miss).toBe(0);
  });
});
