import { describe, expect, it } from 'vitest';
import type { ConnectxConstants } from '../../../../profiles/index.js';
import { NO_SLOT, Op, WqeFlag } from '../../../../verbs/base/index.js';
import { Member } from '../../parts/send-path.js';
import type { TestEndpoint } from '../../testing/test-endpoint.js';
import { constantsOf, READ_LATENCY_PS, TestParts } from '../../testing/test-parts.js';
import { BurstGrant } from './burst-grant.js';
import { SendWqeCache } from './send-wqe-cache.js';
import { SendWqeFetch } from './send-wqe-fetch.js';

const US = 1e6;

/** A fetch whose send queues, scheduler and receive path are the test's. */
function makeBench(constants: Partial<Record<keyof ConnectxConstants, number>> = {}) {
  const all = constantsOf('connectx-6-200g', constants);
  const parts = new TestParts(all);
  const log: string[] = [];
  /** By queue pair: the requests that the transport has not taken. */
  const untaken: number[][] = [];
  const jobs: { handler: number; argument: number; readPs: number }[] = [];
  const cache = new SendWqeCache(all, parts.ablated, parts.wqes, parts.random);
  const fetch = new SendWqeFetch({
    name: parts.name,
    simulation: parts.simulation,
    constants: all,
    counters: parts.counters,
    pcie: parts.pcie,
    pairs: parts.pairs,
    wqes: parts.wqes,
    queues: {
      firstUntaken: ({ index }) => untaken[index][0] ?? NO_SLOT,
      wqesVisible: ({ index, send }) => log.push(`visible ${index}: ${send.untaken}`),
    },
    receiver: { addJob: (handler, argument, readPs) => void jobs.push({ handler, argument, readPs }) },
    cache,
    burst: new BurstGrant(0),
  });
  fetch.join({
    ready: (pair, member) => log.push(`ready ${pair.index} ${member}`),
    resume: (entry) => log.push(`resume ${entry}`),
  });
  const add = (requests: number) => {
    const { pair } = parts.pair();
    untaken.push(parts.chain(requests));
    fetch.add();
    return pair;
  };
  /** The transport takes the first request of a queue pair and sends its first packet. */
  const issue = (index: number, isRead = false) => {
    const pair = parts.pairs[index];
    pair.send.untaken--;
    fetch.issued(pair, untaken[index].shift()!, isRead);
  };
  return { parts, log, untaken, jobs, cache, fetch, add, issue };
}

describe('a doorbell', () => {
  it('is fetched in one read, after which the transport may take its WQEs', () => {
    const { parts, log, fetch, add } = makeBench();
    const pair = add(4);
    fetch.doorbell(pair, 4, false);
    expect(fetch.of(pair).fetching).toBe(4);
    parts.run(READ_LATENCY_PS - 1);
    expect(log).toEqual([]);
    parts.run(US);
    expect(log).toEqual(['visible 0: 4']);
    expect(fetch.of(pair)).toMatchObject({ fetching: 0, unissued: 4 });
    expect(pair.account).toMatchObject({ hasPosted: true, pending: 4 });
  });

  it('that brings its WQE needs no read, unless others are before it', () => {
    const { parts, log, fetch, add } = makeBench();
    const pair = add(3);
    fetch.doorbell(pair, 1, true);
    expect(log).toEqual(['visible 0: 1']);
    expect(parts.pcie.downBytes).toBe(0);
    fetch.doorbell(pair, 1, false);
    fetch.doorbell(pair, 1, true);
    expect(log).toEqual(['visible 0: 1']);
    parts.run(US);
    expect(log).toEqual(['visible 0: 1', 'visible 0: 2', 'visible 0: 3']);
  });

  it('is fetched along the way to the send queue', () => {
    const { parts, log, fetch, add } = makeBench();
    const pair = add(1);
    pair.send.queuePath = parts.pair().pair.path;
    const far = Object.assign(Object.create(pair.path), { readLatencyPs: 3 * READ_LATENCY_PS });
    pair.send.queuePath = far;
    fetch.doorbell(pair, 1, false);
    parts.run(3 * READ_LATENCY_PS - 1);
    expect(log).toEqual([]);
    parts.run(US);
    expect(log).toEqual(['visible 0: 1']);
  });
});

describe('reading ahead', () => {
  it('goes as far as it is to, a doorbell at a time, and on as messages begin', () => {
    const { parts, fetch, add, issue } = makeBench({ wqeReadAheadMax: 6, wqeFetchMax: 64 });
    const pair = add(40);
    for (let doorbell = 0; doorbell < 10; doorbell++) fetch.doorbell(pair, 4, false);
    let most = 0;
    for (let sent = 0; sent < 40; sent++) {
      parts.run(US);
      const { unissued, fetching } = fetch.of(pair);
      most = Math.max(most, unissued + fetching);
      issue(0);
    }
    // A doorbell that is begun when one WQE less than the limit is at hand comes whole.
    expect(most).toBe(6 - 1 + 4);
    expect(fetch.of(pair)).toMatchObject({ unissued: 0, fetching: 0 });
    expect([pair.send.untaken, pair.account.pending]).toEqual([0, 0]);
  });

  it('splits a long doorbell into reads of a bounded length', () => {
    const { parts, log, fetch, add } = makeBench({ wqeReadAheadMax: 64, wqeFetchMax: 8 });
    fetch.doorbell(add(20), 20, false);
    parts.run(US);
    // Of 8, 8 and 4 WQEs; the shortest may be done first.
    expect(log).toHaveLength(3);
    expect(log.at(-1)).toBe('visible 0: 20');
  });

  it('of many queues that begin in one instant fills the cache and pushes nothing out', () => {
    const { parts, log, cache, fetch, add } = makeBench({
      ...{ sendWqeCacheLines: 64, wqeFetchMax: 64, wqeReadAheadMax: 1 },
    });
    const pairs = Array.from({ length: 16 }, () => add(40));
    for (const pair of pairs) fetch.doorbell(pair, 40, false);
    // The first takes all that is free; each of the others takes the one WQE that it needs to begin.
    expect(pairs.map((pair) => fetch.of(pair).fetching)).toEqual([40, 24, ...Array(14).fill(1)]);
    parts.run(US);
    expect(log).toHaveLength(16);
    expect(cache.lines).toBe(64);
    for (const pair of pairs.slice(2)) expect(fetch.of(pair).fetching + fetch.of(pair).unissued).toBe(1);
  });

  it('ends with too many active queues: a unit then fetches a few WQEs of the queue that it serves', () => {
    const { parts, log, fetch, add, issue } = makeBench({ wqeReadAheadQps: 1, wqeOnDemandMax: 3 });
    const [one, other] = [add(8), add(8)];
    fetch.doorbell(one, 1, false);
    fetch.doorbell(other, 8, false);
    expect(log).toEqual([`ready 1 ${Member.REQUESTS}`]);
    expect([fetch.wantsFetch(other), fetch.fetchOnDemand(other)]).toEqual([true, true]);
    // One fetch at a time.
    expect([fetch.wantsFetch(other), fetch.fetchOnDemand(other)]).toEqual([false, false]);
    parts.run(US);
    expect(log.slice(1)).toEqual(['visible 0: 1', 'visible 1: 3', 'resume 2']);
    // None while WQEs wait on chip: a window of READs may be closed.
    expect(fetch.wantsFetch(other)).toBe(false);
    for (let sent = 0; sent < 3; sent++) issue(1);
    expect(fetch.wantsFetch(other)).toBe(true);
  });
});

describe('a WQE that is gone', () => {
  it('is read again with those that the visit can need, in a turn of the receive path', () => {
    const { parts, log, jobs, fetch, add } = makeBench();
    const pair = add(5);
    fetch.doorbell(pair, 5, false);
    parts.run(US);
    expect([fetch.reread(pair, 3), fetch.reread(pair, 100)]).toEqual([2, 4]);
    expect(parts.counters.send_wqe_cache_miss).toBe(2);
    expect(jobs.map(({ argument }) => argument)).toEqual([0, 0]);
    expect(jobs[0].readPs).toBeGreaterThan(parts.simulation.now + READ_LATENCY_PS - 1);
    parts.simulation.at(jobs[0].readPs, jobs[0].handler, jobs[0].argument);
    parts.run(US);
    expect(log.at(-1)).toBe('resume 0');
  });
});

describe('a queue pair that goes back', () => {
  it('reads what it sends again as far as it reads ahead, without the receive path, and drops each as it leaves', () => {
    const { parts, log, jobs, cache, fetch, add } = makeBench({ wqeReadAheadMax: 4 });
    const pair = add(8);
    const endpoint = pair.endpoint as TestEndpoint;
    const chain = parts.chain(6);
    for (const wqe of chain) endpoint.send(64, wqe, { repeats: true });
    fetch.refetch(pair);
    parts.run(US);
    expect([log.at(-1), jobs.length, parts.counters.send_wqe_cache_miss]).toEqual(['resume 0', 0, 1]);
    expect(chain.map((wqe) => cache.isOnChip(wqe))).toEqual([true, true, true, true, false, false]);
    for (const wqe of chain.slice(0, 4)) fetch.repeated(pair, wqe, false);
    expect(cache.lines).toBe(0);
  });
});

describe('a queue pair that fails', () => {
  it('leaves no WQE, and what was on its way for it is of no use', () => {
    const { parts, log, cache, fetch, add, issue } = makeBench({ wqeReadAheadMax: 8, wqeFetchMax: 4 });
    const pair = add(12);
    fetch.doorbell(pair, 4, false);
    parts.run(US);
    issue(0);
    fetch.doorbell(pair, 8, false);
    expect(fetch.of(pair).fetching).toBeGreaterThan(0);
    fetch.forget(pair);
    const seen = log.length;
    expect(cache.lines).toBe(0);
    expect(fetch.of(pair)).toMatchObject({ unissued: 0, fetching: 0, fetchedOfDoorbell: 0 });
    parts.run(US);
    expect(log).toHaveLength(seen);
    expect([fetch.of(pair).unissued, pair.send.untaken, pair.account.pending]).toEqual([0, 0, 0]);
  });

  it('lets a unit that waits for its fetch go on', () => {
    const { parts, log, fetch, add } = makeBench({ wqeReadAheadQps: 0 });
    const pair = add(4);
    fetch.doorbell(pair, 4, false);
    fetch.fetchOnDemand(pair);
    fetch.forget(pair);
    parts.run(US);
    expect(log.slice(1)).toEqual(['resume 0']);
  });
});

describe('the cache of send WQEs', () => {
  it('holds a WRITE until its first packet, a READ until its last response', () => {
    const { parts, cache, fetch, add, issue } = makeBench();
    const pair = add(2);
    fetch.doorbell(pair, 2, false);
    parts.run(US);
    expect(cache.lines).toBe(2);
    issue(0);
    expect(cache.lines).toBe(1);
    issue(0, true);
    expect([cache.lines, pair.send.reads.length]).toEqual([1, 1]);
    // A queue pair that reads has more context entries.
    expect(pair.context.entries).toBe(parts.constants.readContextEntries);
    expect([cache.readAnswered(pair), cache.lines]).toEqual([true, 0]);
    // Nothing is known of a response that nobody asked for.
    expect(cache.readAnswered(pair)).toBe(true);
  });

  it('loses WQEs when it is too small, also those of READs', () => {
    const { parts, cache, add, fetch, issue, untaken } = makeBench({
      sendWqeCacheLines: 8,
      wqeReadAheadMax: 64,
    });
    const pair = add(40);
    const chain = [...untaken[0]];
    fetch.doorbell(pair, 40, false);
    parts.run(US);
    const there = chain.filter((wqe) => cache.isOnChip(wqe));
    expect(there).toHaveLength(8);
    const lost = chain.findIndex((wqe) => !cache.isOnChip(wqe));
    for (let sent = 0; sent <= lost; sent++) issue(0, sent === lost);
    expect(cache.readAnswered(pair)).toBe(false);
  });

  it('gives way to responders, up to a share of it', () => {
    const { parts, cache } = makeBench({
      sendWqeCacheLines: 100,
      ackReserveLines: 30,
      readReserveLines: 20,
      responderMaxShare: 0.5,
    });
    const put = (count: number) => {
      const chain = parts.chain(count, Op.RDMA_WRITE);
      for (const wqe of chain) cache.put(wqe);
      const there = chain.filter((wqe) => cache.isOnChip(wqe)).length;
      for (const wqe of chain) cache.free(wqe);
      return there;
    };
    const [one, other] = [parts.pair().pair, parts.pair().pair];
    expect(put(100)).toBe(100);
    cache.oweAcks(one);
    cache.oweAcks(one);
    expect([cache.responderLines, put(100)]).toEqual([30, 70]);
    cache.serveReads(one);
    cache.oweAcks(other);
    expect([cache.responderLines, put(100)]).toEqual([80, 50]);
    cache.forget(one);
    expect([cache.responderLines, put(100)]).toEqual([30, 70]);
    // Datagrams are not acknowledged.
    cache.oweAcks(parts.pair({ type: 'UD' }).pair);
    expect(cache.responderLines).toBe(30);
  });

  it('has the payload that was posted inline, and no other', () => {
    const { parts, cache } = makeBench();
    const plain = parts.wqe(Op.RDMA_WRITE, 8);
    const inline = parts.wqe(Op.RDMA_WRITE, 8);
    parts.wqes.flags[inline] |= WqeFlag.INLINE;
    expect([plain, inline].map((wqe) => cache.hasPayload(wqe))).toEqual([false, true]);
  });
});
