import { describe, expect, it } from 'vitest';
import { findProfile, resolveDevice } from '../../profiles/index.js';
import { Random } from '../../engine/index.js';
import { EntryCache } from '../cache/entry-cache.js';
import { DmaPath } from '../pcie/dma-path.js';
import { ReceiveFetch, ReceiveRing } from './receive-ring.js';

const constants = resolveDevice(findProfile('device', 'connectx-6-200g'));
const path = new DmaPath({ name: 'memory', readLatencyPs: 0 });
const { HIT, MISS, WINDOW_MISS } = ReceiveFetch;

function ring(depth: number, strideBytes: number, cache: EntryCache | null, firstEntry = 0, windowed = true) {
  return new ReceiveRing(constants, cache, depth, strideBytes, firstEntry, windowed, path);
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
    const found = [...takeAll(first), ...takeAll(other)];
    expect(found.filter((each) => each === MISS)).toHaveLength(32);
    expect(cache.bytes).toBe(0);
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

describe('receives that were posted in bulk', () => {
  const bulk = constants.receiveBulkWqes;
  const inWindow = constants.receiveBulkWindowBytes / 64;

  it('are on chip while they fit into the window', () => {
    const one = ring(inWindow, 64, null);
    for (let posted = 0; posted < inWindow; posted += bulk) one.post(bulk);
    expect(new Set(takeAll(one))).toEqual(new Set([HIT]));
  });

  it('miss once a chunk when a later post has overwritten the window', () => {
    const one = ring(4 * inWindow, 64, null);
    for (let posted = 0; posted < 4 * inWindow; posted += bulk) one.post(bulk);
    const found = takeAll(one);
    const chunk = constants.receiveBulkChunkBytes / 64;
    expect(found.filter((each) => each === WINDOW_MISS)).toHaveLength((4 * inWindow) / chunk);
    expect(found.filter((each) => each === MISS)).toEqual([]);
  });

  it('always hit with the window switched off', () => {
    const one = ring(4 * inWindow, 64, null, 0, false);
    for (let posted = 0; posted < 4 * inWindow; posted += bulk) one.post(bulk);
    expect(new Set(takeAll(one))).toEqual(new Set([HIT]));
  });
});
