import { describe, expect, it } from 'vitest';
import type { RegionAccess } from '../../memory/region-access.js';
import { constantsOf, TestParts } from '../../testing/test-parts.js';
import { Doorbells } from './doorbells.js';

const MISS_PS = 800_000;

/** Doorbells of which every other context lookup misses, or all or none. */
function makeBench(misses: (lookup: number) => boolean, ablated: readonly string[] = []) {
  const parts = new TestParts(constantsOf('connectx-6-200g', { contextElements: 4 }), ablated);
  const log: string[] = [];
  let lookups = 0;
  const doorbells = new Doorbells({
    name: parts.name,
    simulation: parts.simulation,
    constants: parts.constants,
    ablated: parts.ablated,
    counters: parts.counters,
    shares: parts.shares,
    pcie: parts.pcie,
    pairs: parts.pairs,
    contexts: {
      lookUp: (nowPs) => (misses(lookups++) ? nowPs + MISS_PS : nowPs),
      warm: (key) => log.push(`warm ${key}`),
    },
    regions: { warmList: (wqe: number) => log.push(`warm list ${wqe}`) } as unknown as RegionAccess,
    queues: { firstUntaken: () => 77 },
    listener: {
      doorbell: ({ index }, count, pushed) =>
        log.push(`${parts.simulation.now}: ${index} rings ${count}${pushed ? ' pushed' : ''}`),
    },
    doorbellsWaitingMax: 2,
  });
  return { parts, doorbells, log };
}

describe('a doorbell', () => {
  it('is known when the context of its queue pair is on chip', () => {
    const { parts, doorbells, log } = makeBench((lookup) => lookup === 0);
    const [one, other] = [parts.pair().pair, parts.pair().pair];
    doorbells.ring(one, 4, false, 1000);
    doorbells.ring(other, 1, true, 2000);
    parts.run(MISS_PS * 2);
    expect(log).toEqual(['2000: 1 rings 1 pushed', `${1000 + MISS_PS}: 0 rings 4`]);
    expect(parts.counters.doorbells).toBe(2);
    // A word, and a WQE of 48 B in one store of 64 B; each with a header.
    expect(parts.pcie.downBytes).toBe(8 + 20 + 64 + 20);
  });

  it('of an era that is over is forgotten, wherever it is', () => {
    const { parts, doorbells, log } = makeBench(() => true);
    const { pair } = parts.pair();
    doorbells.ring(pair, 1, false, 1000);
    doorbells.ring(pair, 1, false, 2 * MISS_PS);
    parts.run(1.5 * MISS_PS);
    expect(log).toHaveLength(1);
    pair.send.abandon();
    parts.run(10 * MISS_PS);
    expect(log).toHaveLength(1);
  });

  it('waits outside once too many wait for their contexts', () => {
    const { parts, doorbells } = makeBench(() => true);
    const { pair } = parts.pair();
    for (const atPs of [0, 1000]) doorbells.ring(pair, 1, false, atPs);
    parts.run(2000);
    expect(doorbells.acceptPs(pair, 3000)).toBe(MISS_PS);
    expect(parts.counters.doorbell_stalled_ps).toBe(MISS_PS - 3000);
    const free = makeBench(() => true, ['doorbell-back-pressure']);
    const { pair: other } = free.parts.pair();
    for (const atPs of [0, 1000]) free.doorbells.ring(other, 1, false, atPs);
    free.parts.run(2000);
    expect(free.doorbells.acceptPs(other, 3000)).toBe(3000);
  });

  it('that nobody rang costs nothing and leaves on chip what traffic would have', () => {
    const { parts, doorbells, log } = makeBench(() => true);
    const { pair } = parts.pair();
    doorbells.ringFree(pair, 8, false, 1);
    parts.run(1000);
    expect(log).toEqual(['warm 0', 'warm list 77', '0: 0 rings 8']);
    expect([parts.counters.doorbells, parts.pcie.downBytes]).toEqual([0, 0]);
    // A list that is longer than the context holds has an entry of its own; a queue with requests is warm already.
    pair.account.announce(8, parts.simulation.now);
    doorbells.ringFree(pair, 8, false, 5);
    expect(log.slice(3)).toEqual(['warm 0', `warm ${pair.context.elementsKey}`]);
  });
});
