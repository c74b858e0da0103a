import { describe, expect, it } from 'vitest';
import { LinkDirection } from '../host/host-link.js';
import { DmaPath, SharedLink } from './dma-path.js';

describe('a way to memory', () => {
  it('is by itself a latency and nothing else, behind the ordering point', () => {
    const path = new DmaPath({ name: 'memory0', readLatencyPs: 650_000 });
    expect(path).toMatchObject({
      name: 'memory0',
      readLatencyPs: 650_000,
      outward: [],
      inward: [],
      shared: null,
      posted: null,
      memory: null,
      ordered: true,
      creditReturnPs: 0,
    });
  });

  it('has posted credits only where a shared link gives them back', () => {
    const shared = new SharedLink(80);
    expect(shared.psPerByte).toBe(100);
    const limited = new DmaPath({ name: 'far', readLatencyPs: 0, shared, postedBytes: 256 });
    limited.posted!.take(256, 5000);
    expect(limited.posted!.admitPs(0, 1)).toBe(5000);
    const free = new DmaPath({ name: 'far', readLatencyPs: 0, shared });
    free.posted!.take(1e9, 5000);
    expect(free.posted!.admitPs(0, 1e9)).toBe(0);
    const unshared = new DmaPath({ name: 'near', readLatencyPs: 0, postedBytes: 256 });
    expect(unshared.posted).toBeNull();
  });

  it('takes new costs when the host changes, and keeps the credits that are out', () => {
    const shared = new SharedLink(80);
    const path = new DmaPath({ name: 'far', readLatencyPs: 100, shared, postedBytes: 256 });
    path.posted!.take(256, 5000);
    const link = new LinkDirection(10, 1);
    path.become({
      name: 'far',
      readLatencyPs: 300,
      shared,
      postedBytes: 256,
      inward: [link],
      outward: [link],
    });
    expect([path.readLatencyPs, path.inward[0], path.posted!.admitPs(0, 1)]).toEqual([300, link, 5000]);
    path.become({ name: 'far', readLatencyPs: 300 });
    expect([path.shared, path.posted, path.inward]).toEqual([null, null, []]);
  });
});
