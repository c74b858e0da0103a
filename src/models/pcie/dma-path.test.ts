import { describe, expect, it } from 'vitest';
import { DmaPath, LinkServers, SharedLink } from './dma-path.js';

describe('a way to memory', () => {
  it('is by itself a latency and nothing else, behind the ordering point', () => {
    const path = new DmaPath({ name: 'memory0', readLatencyPs: 650_000 });
    expect(path).toMatchObject({
      name: 'memory0',
      readLatencyPs: 650_000,
      psPerByte: 0,
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

  it('shares the queues of a link with the other ways over it, reads and writes apart', () => {
    const link = new LinkServers();
    const one = new DmaPath({ name: 'one', readLatencyPs: 0, psPerByte: 10, link });
    const other = new DmaPath({ name: 'other', readLatencyPs: 0, psPerByte: 10, link });
    const alone = new DmaPath({ name: 'alone', readLatencyPs: 0, psPerByte: 10 });
    one.link.reads.book(0, 0, 1000);
    expect(other.link.reads.book(0, 0, 10)).toBe(1010);
    expect(other.link.writes.book(0, 0, 10)).toBe(10);
    expect(alone.link.reads.book(0, 0, 10)).toBe(10);
  });
});
