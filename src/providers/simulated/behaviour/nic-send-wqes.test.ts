import { describe, expect, it, vi } from 'vitest';
import type { NicQueuePair, Rnic } from '../../../models/index.js';
import { findProfile, resolveSubsystem, type Subsystem } from '../../../profiles/index.js';
import { Access, connectRcPair, type RcEnd } from '../../../verbs/index.js';
import { connectxSendPath } from '../testing/connectx.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

function drained(bench: StreamBench): void {
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
}

function variant(constants: Record<string, number>): Subsystem {
  const subsystem = resolveSubsystem(findProfile('subsystem', 'collie-f'));
  const device = { ...subsystem.device, constants: { ...subsystem.device.constants, ...constants } };
  return { ...subsystem, device };
}

/** Lines that the send WQEs of a device take on chip. */
const linesOf = (nic: Rnic): number => connectxSendPath(nic).requests.lines;

/** Lines that responders keep of the cache of a device. */
const keptLines = (nic: Rnic): number => connectxSendPath(nic).requests.responderLines;

/** WQEs of a queue pair that are on chip or on their way, and not begun. */
function atHand(nic: Rnic, pair: NicQueuePair): number {
  const { unissued, fetching } = connectxSendPath(nic).fetch.of(pair);
  return unissued + fetching;
}

/** Both ends of a connection, with memory: `post(count)` posts READs or WRITEs of some length. */
async function connection(bench: StreamBench, opcode: 'RDMA_READ' | 'RDMA_WRITE', lengthBytes: number) {
  const contexts = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
  const [left, right] = connectRcPair(contexts[0], contexts[1]);
  const access = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
  const local = left.pd.regMr({ lengthBytes }, access);
  const remote = right.pd.regMr({ lengthBytes }, access);
  const request = {
    opcode,
    sgList: [{ addr: local.addr, length: lengthBytes, lkey: local.lkey }],
    remoteAddr: remote.iova,
    rkey: remote.rkey,
    signaled: true,
  };
  return {
    left,
    right,
    post: (count: number) => left.qp.postSend(Array.from({ length: count }, () => request)),
  };
}

function completed({ sendCq }: RcEnd): number {
  const done = sendCq.poll(128);
  for (const { status } of done) expect(status).toBe('SUCCESS');
  return done.length;
}

describe('fetching send WQEs', () => {
  it('reads no more ahead than it is to, and a doorbell at a time', async () => {
    const bench = new StreamBench({ subsystem: 'collie-f' });
    await bench.stream({ from: 0, to: 1, messageBytes: 65536, outstanding: 120, batch: 4 });
    const { nic } = bench.provider.world.devices[0];
    const [pair] = nic.pairs;
    const fetch = connectxSendPath(nic).fetch.of(pair);
    let most = 0;
    for (let step = 0; step < 200; step++) {
      await bench.run(0.2);
      most = Math.max(most, fetch.unissued + fetch.fetching);
    }
    drained(bench);
    // A doorbell that is begun when one WQE less than the limit is at hand comes whole.
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(nic.constants.wqeReadAheadMax - 1 + 4);
    expect([fetch.unissued, fetch.fetching, fetch.doorbells.length]).toEqual([0, 0, 0]);
    expect([pair.send.untaken, pair.account.pending]).toEqual([0, 0]);
  });

  it('with too many queues is left to the units, a few WQEs at a time', async () => {
    const few = variant({ wqeReadAheadQps: 3 });
    const bench = new StreamBench({ subsystem: few });
    for (let index = 0; index < 6; index++)
      await bench.stream({ from: 0, to: 1, messageBytes: 2048, outstanding: 64, batch: 16 });
    await bench.run(10);
    const { nic } = bench.provider.world.devices[0];
    let most = 0;
    for (let step = 0; step < 100; step++) {
      await bench.run(0.2);
      most = Math.max(most, ...nic.pairs.map((pair) => atHand(nic, pair)));
    }
    expect(most).toBeLessThanOrEqual(nic.constants.wqeOnDemandMax);
    const rates = await bench.measure(50);
    expect(rates.reduce((sum, rate) => sum + rate)).toBeGreaterThan(150);
    drained(bench);
  });

  it('waits with too many queues until those on chip are sent: a window of READs may be closed', async () => {
    const bench = new StreamBench({ subsystem: variant({ wqeReadAheadQps: 0 }) });
    const { left, post } = await connection(bench, 'RDMA_READ', 65536);
    post(64);
    const { nic } = bench.provider.world.devices[0];
    let most = 0;
    for (let step = 0; step < 200; step++) {
      await bench.run(1);
      most = Math.max(most, atHand(nic, nic.pairs[0]));
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(nic.constants.wqeOnDemandMax);
    expect(completed(left)).toBe(64);
    drained(bench);
  });

  it('is spared where the WQE comes with its doorbell, as a single one does', async () => {
    const fetches = async (batch: number) => {
      const bench = new StreamBench({ subsystem: 'collie-f' });
      const read = vi.spyOn(bench.provider.world.devices[0].nic.pcie, 'read');
      await bench.stream({ from: 0, to: 1, messageBytes: 64, outstanding: batch, batch });
      await bench.run(50);
      drained(bench);
      const { pcie, counters } = bench.provider.world.devices[0].nic;
      expect(counters.tx_packets_phy).toBeGreaterThan(10);
      expect(pcie.payloadReads).toBe(counters.tx_packets_phy);
      return read.mock.calls.length;
    };
    // The context of the queue pair is read once.
    expect(await fetches(1)).toBeLessThanOrEqual(1);
    expect(await fetches(2)).toBeGreaterThan(5);
  });
});

describe('the cache of send WQEs', () => {
  it('holds a WRITE until its first packet, a READ until its last response', async () => {
    for (const opcode of ['RDMA_WRITE', 'RDMA_READ'] as const) {
      const bench = new StreamBench({ subsystem: 'collie-f' });
      const { left, post } = await connection(bench, opcode, 1 << 20);
      post(1);
      // In the middle of a message of 42 us.
      await bench.run(20);
      const { nic } = bench.provider.world.devices[0];
      expect(linesOf(nic)).toBe(opcode === 'RDMA_READ' ? 1 : 0);
      await bench.run(60);
      expect(completed(left)).toBe(1);
      expect(linesOf(nic)).toBe(0);
      drained(bench);
    }
  });

  it('of which responders leave too little costs re-reads, and no message', async () => {
    const constants = { sendWqeCacheLines: 96, ackReserveLines: 16, responderMaxShare: 0.9 };
    const bench = new StreamBench({ subsystem: variant(constants) });
    for (let index = 0; index < 6; index++)
      for (const from of [0, 1])
        await bench.stream({ from, to: 1 - from, messageBytes: 256, outstanding: 64, batch: 32 });
    await bench.run(200);
    for (const host of [0, 1])
      expect((await bench.counters(host))['send_wqe_cache_miss']).toBeGreaterThan(100);
    for (const { placedBytes } of bench.streams) expect(placedBytes()).toBeGreaterThan(256 * 100);
    drained(bench);
    const placed = bench.streams.reduce((sum, stream) => sum + stream.placedBytes(), 0);
    const received = await Promise.all(
      [0, 1].map(async (host) => (await bench.counters(host))['rx_goodput_bytes']),
    );
    expect(received[0] + received[1]).toBe(placed);
    for (const { nic } of bench.provider.world.devices) expect(linesOf(nic)).toBe(0);
  });

  it('of a device that sends one way is not read ahead into when it is full, so that nothing is read again', async () => {
    const bench = new StreamBench({ subsystem: variant({ sendWqeCacheLines: 24, readReserveLines: 0 }) });
    for (let index = 0; index < 6; index++)
      await bench.stream({ from: 0, to: 1, messageBytes: 256, outstanding: 64, batch: 32 });
    await bench.run(200);
    expect((await bench.counters(0))['send_wqe_cache_miss']).toBe(0);
    for (const { placedBytes } of bench.streams) expect(placedBytes()).toBeGreaterThan(256 * 100);
    drained(bench);
  });

  it('gives way to responders: what is enough one way is not both ways', async () => {
    const misses = async (bothWays: boolean) => {
      const constants = { sendWqeCacheLines: 400, ackReserveLines: 64, responderMaxShare: 0.75 };
      const bench = new StreamBench({ subsystem: variant(constants) });
      for (let index = 0; index < 6; index++) {
        await bench.stream({ from: 0, to: 1, messageBytes: 256, outstanding: 64, batch: 32 });
        if (bothWays) await bench.stream({ from: 1, to: 0, messageBytes: 256, outstanding: 64, batch: 32 });
      }
      await bench.run(200);
      drained(bench);
      return (await bench.counters(0))['send_wqe_cache_miss'];
    };
    expect(await misses(false)).toBe(0);
    expect(await misses(true)).toBeGreaterThan(100);
  });

  it('keeps lines for a responder until its queue pair fails', async () => {
    for (const opcode of ['RDMA_WRITE', 'RDMA_READ'] as const) {
      const bench = new StreamBench({ subsystem: 'collie-f' });
      const { left, right, post } = await connection(bench, opcode, 4096);
      post(4);
      await bench.run(20);
      expect(completed(left)).toBe(4);
      const [{ nic: requester }, { nic: responder }] = bench.provider.world.devices;
      const { readReserveLines, ackReserveLines } = responder.constants;
      expect(keptLines(requester)).toBe(0);
      expect(keptLines(responder)).toBe(opcode === 'RDMA_READ' ? readReserveLines : ackReserveLines);
      right.qp.modify({ state: 'ERR' });
      expect(keptLines(responder)).toBe(0);
      drained(bench);
    }
  });

  it('forgets the WQEs of a queue pair that fails', async () => {
    const bench = new StreamBench({ subsystem: 'collie-f' });
    const { left, post } = await connection(bench, 'RDMA_READ', 1 << 20);
    post(32);
    await bench.run(20);
    const { nic } = bench.provider.world.devices[0];
    expect(linesOf(nic)).toBeGreaterThan(1);
    left.qp.modify({ state: 'ERR' });
    drained(bench);
    expect([nic.pairs[0].send.reads.length, linesOf(nic)]).toEqual([0, 0]);
    expect(left.sendCq.poll(64).map(({ status }) => status)).toEqual(Array(32).fill('WR_FLUSH_ERR'));
  });

  it('takes nothing that was on its way when the queue pair was reset', async () => {
    const bench = new StreamBench({ subsystem: 'collie-f' });
    const [left, right] = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
    const thread = left.createThread!();
    const { nic } = bench.provider.world.devices[0];
    // Doorbells or fetches are on their way at each of these times.
    for (const waitUs of [0.1, 0.3, 0.5, 0.7, 0.9, 1.2]) {
      const [source] = connectRcPair(left, right);
      const local = source.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
      const sgList = [{ addr: local.addr, length: 4096, lkey: local.lkey }];
      const request = { opcode: 'SEND' as const, sgList };
      let posted = false;
      thread.run(() => {
        if (!posted) for (let index = 0; index < 8; index++) source.qp.postSend(Array(8).fill(request));
        posted = true;
      });
      await bench.run(waitUs);
      const pair = nic.pairs[nic.pairs.length - 1];
      source.qp.modify({ state: 'ERR' });
      source.qp.modify({ state: 'RESET' });
      await bench.run(20);
      const { unissued, fetching, doorbells } = connectxSendPath(nic).fetch.of(pair);
      expect([pair.account.pending, pair.send.untaken]).toEqual([0, 0]);
      expect([unissued, fetching, doorbells.length]).toEqual([0, 0, 0]);
    }
    drained(bench);
  });
});
