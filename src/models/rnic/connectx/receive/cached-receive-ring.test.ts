import { describe, expect, it } from 'vitest';
import { Random, Simulation } from '../../../../engine/index.js';
import { EntryCache } from '../../../cache/entry-cache.js';
import { DmaPath } from '../../../pcie/dma-path.js';
import { ReceiveFetch, type ReceiveRing } from '../../receive/receive-ring.js';
import { WqeReads } from '../../receive/wqe-reads.js';
import { RnicCounters } from '../../rnic-counters.js';
import { TenantShares } from '../../tenants/tenant-shares.js';
import { constantsOf, widePcie } from '../../testing/test-parts.js';
import { CachedReceiveRing } from './cached-receive-ring.js';

const constants = constantsOf('connectx-6-200g', { missQueueShare: 0 });
const path = new DmaPath({ name: 'memory', readLatencyPs: 0 });
const { HIT, MISS, STALL } = ReceiveFetch;

function ring(
  depth: number,
  strideBytes: number,
  cache: EntryCache | null,
  firstEntry = 0,
  windowed = true,
  receiveAheadWqes = 0,
) {
  const random = windowed ? new Random(2) : null;
  const pcie = widePcie();
  const counters = new RnicCounters();
  const wqeReads = new WqeReads(constants, pcie, new TenantShares(new Simulation(), null), new Random(1));
  const ringConstants = { ...constants, receiveAheadWqes };
  const parts = { constants: ringConstants, counters, pcie, wqeReads, cache, random };
  return new CachedReceiveRing(parts, depth, strideBytes, firstEntry, path);
}

function takeAll(from: ReceiveRing): number[] {
  return Array.from({ length: from.available }, () => from.take());
}

describe('receives that were posted one by one', () => {
  it('are on chip while the cache has room', () => {
    const one = ring(64, 64, new EntryCache(64 * 64, new Random(1)));
    for (let index = 0; index < 64; index++) one.post(1);
    expect(new Set(takeAll(one))).toEqual(new Set([HIT]));
    expect(one.available).toBe(0);
  });

  it('miss in part when posts, of any queue, outgrow the cache', () => {
    const cache = new EntryCache(64 * 64, new Random(1));
    const first = ring(64, 64, cache);
    const other = ring(64, 64, cache, 64);
    for (let index = 0; index < 64; index++) first.post(1);
    for (let index = 0; index < 32; index++) other.post(1);
    expect(cache.evictions).toBe(32);
    const found = [...takeAll(first), ...takeAll(other)];
    const misses = found.filter((each) => each === MISS).length;
    // A few of them were read along with others that had been pushed out.
    expect(misses).toBeLessThanOrEqual(32);
    expect(misses).toBeGreaterThan(16);
    expect(cache.bytes).toBe(0);
  });

  it('are read as they come near where the device has a limit, so that a long queue takes no more than that', () => {
    const cache = new EntryCache(64 * 64, new Random(1));
    const one = ring(64, 64, cache, 0, true, 16);
    for (let index = 0; index < 64; index++) one.post(1);
    expect(cache.bytes).toBe(16 * 64);
    const other = ring(64, 64, cache, 64, true, 16);
    for (let index = 0; index < 64; index++) other.post(1);
    expect([...takeAll(one), ...takeAll(other)]).toEqual(Array(128).fill(HIT));
    expect([cache.evictions, cache.bytes]).toEqual([0, 0]);
  });

  it('take the room of their own size', () => {
    const cache = new EntryCache(256, new Random(1));
    const one = ring(16, 16, cache);
    one.post(16);
    expect(cache.bytes).toBe(256);
    expect(takeAll(one)).toEqual(Array(16).fill(HIT));
  });

  it('always hit without the cache', () => {
    const one = ring(1024, 64, null);
    for (let index = 0; index < 1024; index++) one.post(1);
    expect(new Set(takeAll(one))).toEqual(new Set([HIT]));
  });
});

/** The shares of takes that miss cache and window in a ring that is kept full by posts of this length. */
function missShares(batch: number, depth: number, strideBytes: number, cache: EntryCache | null) {
  const one = ring(depth, strideBytes, cache);
  const count = new Map<number, number>();
  for (let posted = 0; posted + batch <= depth; posted += batch) one.post(batch);
  const takes = 64 * batch;
  for (let taken = 1; taken <= takes; taken++) {
    const found = one.take();
    count.set(found, (count.get(found) ?? 0) + 1);
    if (taken % batch === 0) one.post(batch);
  }
  return { cache: (count.get(MISS) ?? 0) / takes, window: (count.get(STALL) ?? 0) / takes };
}

describe('what a long post leaves over', () => {
  const limit = constants.receivePrefetchWqes;
  const chunk = constants.pcieMaxReadRequestBytes / 64;
  const inWindow = constants.receiveWindowBytes / 64;

  it('is nothing up to the limit', () => {
    expect(missShares(limit, 8 * limit, 64, null)).toEqual({ cache: 0, window: 0 });
  });

  it('is on chip while it fits into the window', () => {
    const one = ring(limit + inWindow, 64, null);
    one.post(limit + inWindow);
    expect(new Set(takeAll(one))).toEqual(new Set([HIT]));
  });

  it('misses once a chunk at most, in part, when posts have outgrown the window', () => {
    const one = ring(4 * (limit + inWindow), 64, null);
    for (let post = 0; post < 4; post++) one.post(limit + inWindow);
    const found = takeAll(one);
    const misses = found.filter((each) => each === STALL).length;
    expect(misses).toBe((3 * inWindow) / chunk);
    expect(found.filter((each) => each === MISS)).toEqual([]);
  });

  it('grows with the length of the posts, and its misses with the depth of the ring', () => {
    const byBatch = [32, 40, 48, 64, 128].map((batch) => missShares(batch, 8 * batch, 64, null).window);
    expect(byBatch).toEqual([...byBatch].sort((one, other) => one - other));
    const byDepth = [64, 128, 192, 256, 512].map((depth) => missShares(64, depth, 64, null).window);
    expect(byDepth).toEqual([...byDepth].sort((one, other) => one - other));
    // Not a step: neither sweep goes from none to all at once.
    for (const shares of [byBatch, byDepth]) {
      expect(shares[0]).toBe(0);
      const most = shares[shares.length - 1];
      expect(shares.filter((share) => share > 0.1 * most && share < 0.9 * most).length).toBeGreaterThan(1);
    }
  });

  it('is gathered from several posts into one chunk', () => {
    const one = ring(64 * limit, 64, null);
    const windowMisses = (posts: number) => {
      for (let post = 0; post < posts; post++) one.post(limit + 1);
      return takeAll(one).filter((each) => each === STALL).length;
    };
    // One entry a post: a chunk is missed at most once for all that it holds.
    expect(windowMisses(60)).toBeLessThanOrEqual(Math.ceil(60 / chunk));
  });

  it('always hits with the window switched off', () => {
    const one = ring(4 * limit, 64, null, 0, false);
    one.post(4 * limit);
    expect(new Set(takeAll(one))).toEqual(new Set([HIT]));
  });
});

describe('reading on at misses', () => {
  it('pays off gradually as posts grow longer', () => {
    const shares = [1, 4, 8, 16, 32].map(
      (batch) => missShares(batch, 256, 64, new EntryCache(32 * 64, new Random(1))).cache,
    );
    expect(shares[0]).toBeCloseTo(shares[1], 1);
    expect(shares[4]).toBeLessThan(0.75 * shares[0]);
    for (const [index, share] of shares.entries())
      if (index > 1) expect(share).toBeLessThanOrEqual(shares[index - 1] + 0.02);
  });

  it('never reads beyond what is posted', () => {
    const cache = new EntryCache(64, new Random(1));
    const one = ring(64, 16, cache);
    one.post(20);
    takeAll(one);
    expect(cache.bytes).toBe(0);
    expect(one.available).toBe(0);
  });
});

describe('reading what is not on chip', () => {
  it('takes a slot for one WQE, and two reads for a chunk of the window', () => {
    const far = new DmaPath({ name: 'far', readLatencyPs: 700_000 });
    const pcie = widePcie();
    const counters = new RnicCounters();
    const wqeReads = new WqeReads(constants, pcie, new TenantShares(new Simulation(), null), new Random(1));
    const parts = { constants, counters, pcie, wqeReads, cache: null, random: new Random(1) };
    const one = new CachedReceiveRing(parts, 64, 64, 0, far);
    expect(one.read(MISS, 1000, 0)).toBe(1000 + Math.round(constants.receiveWqeMissNs * 1000));
    expect(counters.receive_wqe_window_miss).toBe(0);
    const stalledPs = one.read(STALL, 0, 0);
    const leastPs = 2 * far.readLatencyPs + constants.receiveWindowMissNs * 1000;
    expect(stalledPs).toBeGreaterThan(leastPs);
    expect(stalledPs).toBeLessThan(leastPs + 10_000);
    expect(counters.receive_wqe_window_miss).toBe(1);
  });
});

describe('receives that were flushed', () => {
  it('are no longer there; messages on their way give back what they took', () => {
    const one = ring(16, 64, null);
    one.post(8);
    one.take();
    one.take();
    one.used++;
    one.abandon();
    // One of the two messages had used its receive, the other is still on its way.
    expect(one.available).toBe(-1);
    one.taken--;
    expect(one.available).toBe(0);
    one.post(3);
    expect(one.available).toBe(3);
  });
});
