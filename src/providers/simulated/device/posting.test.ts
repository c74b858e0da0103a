import { describe, expect, it } from 'vitest';
import type { BaseContext, Poster } from '../../../verbs/base/index.js';
import { ContractBench } from '../../../verbs/contract/kit/bench.js';
import { bringUp } from '../../../verbs/contract/kit/bring-up.js';
import { Access, connectRcPair, waitForCompletion } from '../../../verbs/index.js';
import { SimulatedProvider } from '../provider.js';
import { checkDrained } from '../testing/conservation.js';

async function makePair() {
  const provider = new SimulatedProvider({ subsystem: 'husky' });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const [a, b] = connectRcPair(left, right);
  const local = a.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
  const remote = b.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const write = {
    opcode: 'RDMA_WRITE' as const,
    sgList: [{ addr: local.addr, length: 64, lkey: local.lkey }],
    remoteAddr: remote.iova,
    rkey: remote.rkey,
    signaled: true,
  };
  const counters = (host: number) => provider.world.devices[host].counters();
  return { world: provider.world, left, a, write, counters };
}

function once(step: () => void): () => void {
  let done = false;
  return () => {
    if (!done) step();
    done = true;
  };
}

describe('the doorbell of a post', () => {
  it('is one per call, however many requests it brings', async () => {
    const { world, left, a, write, counters } = await makePair();
    const thread = left.createThread!();
    thread.run(
      once(() => {
        a.qp.postSend(write);
        a.qp.postSend([write, write, write]);
      }),
    );
    await left.clock.sleep(100_000);
    expect(a.sendCq.poll(8)).toHaveLength(4);
    expect(counters(0)['doorbells']).toBe(2);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });

  it('leaves in SQD too: the device has the requests and holds them until RTS', async () => {
    const { world, left, a, write, counters } = await makePair();
    const thread = left.createThread!();
    a.qp.modify({ state: 'SQD' });
    thread.run(once(() => a.qp.postSend([write, write])));
    await left.clock.sleep(100_000);
    expect(counters(0)['doorbells']).toBe(1);
    expect(counters(0)['tx_packets_phy']).toBe(0);
    a.qp.modify({ state: 'RTS' });
    await left.clock.sleep(100_000);
    expect(a.sendCq.poll(8)).toHaveLength(2);
    expect(counters(0)['doorbells']).toBe(1);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });

  it('is rung by nobody for requests that are flushed at once', async () => {
    const { world, left, a, write, counters } = await makePair();
    const thread = left.createThread!();
    a.qp.modify({ state: 'ERR' });
    thread.run(once(() => a.qp.postSend(write)));
    await left.clock.sleep(100_000);
    expect(a.sendCq.poll(8)).toMatchObject([{ status: 'WR_FLUSH_ERR' }]);
    expect(counters(0)['doorbells']).toBe(0);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });
});

describe('a poster', () => {
  /** Nothing that a core or a GPU is: what a call costs it, and how far it is from the device. */
  class TestPoster implements Poster {
    readonly costs = { postNs: 30, wqeNs: 7, elementNs: 0, receiveWqeNs: 5, doorbellNs: 2, pollNs: 0 };
    readonly doorbell: Poster['doorbell'];
    chargedPs = 0;
    private readonly beganPs: number;

    constructor(nowPs: number, latencyNs: number, writeCombining: boolean) {
      this.beganPs = nowPs;
      this.doorbell = { latencyNs, writeCombining };
    }

    get timePs(): number {
      return this.beganPs + this.chargedPs;
    }

    charge(costPs: number): void {
      this.chargedPs += costPs;
    }
  }

  /** Posts a WRITE as somebody with such a way to the device; what it cost, and how long the WRITE took. */
  async function post(latencyNs: number, writeCombining: boolean) {
    const { world, left, a, write } = await makePair();
    const context = left as BaseContext;
    const beganPs = world.simulation.now;
    const poster = new TestPoster(beganPs, latencyNs, writeCombining);
    context.poster = poster;
    a.qp.postSend(write);
    context.poster = null;
    await waitForCompletion(a.sendCq);
    return { costNs: poster.chargedPs / 1000, tookNs: (world.simulation.now - beganPs) / 1000 };
  }

  it('pays its own costs, and its doorbell takes its own path', async () => {
    const [near, far] = [await post(100, true), await post(5100, true)];
    expect([near.costNs, far.costNs]).toEqual([39, 39]);
    expect(far.tookNs - near.tookNs).toBeCloseTo(5000, 6);
  });

  it('whose stores are not combined has the device read its request', async () => {
    const [pushed, read] = [await post(100, true), await post(100, false)];
    // A read over PCIe takes about 400 ns on an idle host (V4).
    expect(read.tookNs - pushed.tookNs).toBeGreaterThan(300);
  });
});

/** Two devices with the kit of the contract: ends with shared receive queues, and ends that are connected anew. */
async function makeBench() {
  const provider = new SimulatedProvider({ subsystem: 'husky' });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const bench = new ContractBench({ left, right, lossless: true, close: async () => undefined }, 1e9);
  return { bench, world: provider.world };
}

const receives = (count: number) => Array.from({ length: count }, (_, wrId) => ({ wrId }));

describe('receives', () => {
  it('that were flushed are no longer there for messages', async () => {
    const { bench, world } = await makeBench();
    const { a, b } = bench.pair();
    const ring = world.devices[1].nic.pairs[0].receive.ring!;
    b.qp.postRecv(receives(8));
    expect(ring.available).toBe(8);
    b.qp.modify({ state: 'ERR' });
    await bench.left.clock.sleep(100_000);
    expect([ring.available, b.recvCq.poll(16).length]).toEqual([0, 8]);
    for (const { qp } of [a, b]) qp.modify({ state: 'RESET' });
    bringUp(a, bench.address(b));
    bringUp(b, bench.address(a));
    b.qp.postRecv(receives(2));
    expect(ring.available).toBe(2);
    a.qp.postSend([{ opcode: 'SEND' }, { opcode: 'SEND' }]);
    await bench.left.clock.sleep(100_000);
    expect(b.recvCq.poll(16)).toHaveLength(2);
    expect(bench.right.counters()['rnr_holds']).toBe(0);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });

  it('that a shared queue had before its first queue pair are there for it', async () => {
    const { bench, world } = await makeBench();
    const pd = bench.pd(bench.right);
    const srq = bench.srq(pd);
    srq.postRecv(receives(2));
    const { a, b } = bench.pair({ b: { pd, srq } });
    a.qp.postSend([{ opcode: 'SEND' }, { opcode: 'SEND' }]);
    await bench.left.clock.sleep(100_000);
    expect(b.recvCq.poll(16)).toHaveLength(2);
    expect(bench.right.counters()['rnr_holds']).toBe(0);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });
});
