import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem, type Subsystem } from '../../../profiles/index.js';
import { Access, connectRcPair, type MemoryRegion, type RcEnd } from '../../../verbs/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

function variant(constants: Record<string, number>): Subsystem {
  const subsystem = resolveSubsystem(findProfile('subsystem', 'collie-f'));
  const device = { ...subsystem.device, constants: { ...subsystem.device.constants, ...constants } };
  return { ...subsystem, device };
}

function drained(bench: StreamBench): void {
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
}

const MESSAGE_BYTES = 64;

/** A pair with memory that has bytes, so that what arrives can be told apart. */
async function pairWithBytes(bench: StreamBench) {
  const [left, right] = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
  const [source, target] = connectRcPair(left, right);
  const sent = new Uint8Array(128 * MESSAGE_BYTES).map((_, at) => at * 13 + (at >> 6));
  const received = new Uint8Array(sent.length);
  const from = source.pd.regMr(sent, Access.LOCAL_WRITE);
  const to = target.pd.regMr(received, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC);
  const at = ({ addr, lkey }: MemoryRegion, index: number) => [
    { addr: addr + index * MESSAGE_BYTES, length: MESSAGE_BYTES, lkey },
  ];
  const receive = (index: number) => target.qp.postRecv({ wrId: index, sgList: at(to, index) });
  const send = (index: number) =>
    source.qp.postSend({ opcode: 'SEND', wrId: index, sgList: at(from, index), signaled: true });
  return { source, target, sent, received, to, receive, send };
}

function statuses({ recvCq }: RcEnd): string[] {
  return recvCq.poll(128).map(({ wrId, status }) => `${wrId} ${status}`);
}

describe('messages that wait for their receive WQE', () => {
  it('beyond the descriptors are dropped, sent again, and arrive once and in order', async () => {
    // A cache without room: every receive is fetched; two messages may wait for that.
    const bench = new StreamBench({
      subsystem: variant({ receiveWqeCacheBytes: 64, receiveDescriptors: 2 }),
    });
    const pairs = [await pairWithBytes(bench), await pairWithBytes(bench), await pairWithBytes(bench)];
    for (const { receive } of pairs) for (let index = 0; index < 128; index++) receive(index);
    for (const { send } of pairs) for (let index = 0; index < 128; index++) send(index);
    await bench.run(2000);
    const counters = await bench.counters(1);
    expect(counters['rx_dropped_no_descriptor']).toBeGreaterThan(10);
    expect(counters['nak_sent']).toBeGreaterThan(10);
    for (const { source, target, sent, received } of pairs) {
      const wanted = Array.from({ length: 128 }, (_, index) => `${index} SUCCESS`);
      expect(statuses(target)).toEqual(wanted);
      expect(source.sendCq.poll(128).map(({ wrId, status }) => `${wrId} ${status}`)).toEqual(wanted);
      expect(received).toEqual(sent);
    }
    drained(bench);
  });

  it('are none where the receives are on chip', async () => {
    const bench = new StreamBench({ subsystem: variant({ receiveDescriptors: 1 }) });
    const { receive, send, target } = await pairWithBytes(bench);
    for (let index = 0; index < 64; index++) receive(index);
    for (let index = 0; index < 64; index++) send(index);
    await bench.run(100);
    expect(statuses(target)).toHaveLength(64);
    expect(await bench.counters(1)).toMatchObject({
      rx_dropped_no_descriptor: 0,
      receive_wqe_cache_miss: 0,
      receive_wqe_cache_hit: 64,
    });
    drained(bench);
  });
});

describe('what a long post of receives left over', () => {
  it('stops the engine when its chunk was pushed out, each time for two reads', async () => {
    const bench = new StreamBench({
      subsystem: variant({ receivePrefetchWqes: 8, receiveWindowBytes: 512 }),
    });
    const [left, right] = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
    const [source, target] = connectRcPair(left, right);
    target.qp.postRecv(Array.from({ length: 128 }, (_, wrId) => ({ wrId })));
    for (let index = 0; index < 128; index++) source.qp.postSend({ opcode: 'SEND', signaled: true });
    await bench.run(200);
    expect(statuses(target)).toHaveLength(128);
    const counters = await bench.counters(1);
    const misses = counters['receive_wqe_window_miss'];
    expect(misses).toBeGreaterThan(0);
    expect(counters['receive_wqe_cache_hit']).toBe(128 - misses);
    const stallNs = counters['engine_stalled_ps'] / misses / 1000;
    const { queuePath, constants } = bench.provider.world.devices[1].nic;
    const leastNs = (2 * queuePath.readLatencyPs) / 1000 + constants.receiveWindowMissNs;
    expect(stallNs).toBeGreaterThan(leastNs);
    expect(stallNs).toBeLessThan(leastNs + 200);
    drained(bench);
  });
});

describe('the engine', () => {
  it('refuses packets for a queue pair that is no more, and goes on', async () => {
    const bench = new StreamBench({ subsystem: 'collie-f' });
    const { source, target, send } = await pairWithBytes(bench);
    await bench.stream({ from: 0, to: 1, messageBytes: 4096 });
    await bench.run(10);
    target.qp.destroy();
    send(0);
    await bench.run(10);
    expect((await bench.counters(1))['rx_steer_missed_packets']).toBeGreaterThan(0);
    expect((await bench.measure(20))[0]).toBeGreaterThan(50);
    source.qp.modify({ state: 'ERR' });
    drained(bench);
  });

  it('pays more for an atomic that follows a READ', async () => {
    const busyPs = async (opcode: 'RDMA_READ' | 'RDMA_WRITE') => {
      const bench = new StreamBench({ subsystem: 'collie-f' });
      const { source, to } = await pairWithBytes(bench);
      const local = source.pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE);
      const request = (length: number) => ({
        sgList: [{ addr: local.addr, length, lkey: local.lkey }],
        remoteAddr: to.iova,
        rkey: to.rkey,
      });
      if (opcode === 'RDMA_READ') source.qp.postSend({ opcode, ...request(8) });
      source.qp.postSend({ opcode: 'ATOMIC_FETCH_AND_ADD', compareAdd: 1n, ...request(8) });
      await bench.run(50);
      drained(bench);
      return (await bench.counters(1))['engine_busy_ps'];
    };
    const constants = variant({}).device.constants;
    const more = (await busyPs('RDMA_READ')) - (await busyPs('RDMA_WRITE'));
    expect(more).toBeGreaterThanOrEqual(constants.atomicReadFenceNs * 1000);
  });

  it('serves packets of the wire and of its own host in turns', async () => {
    const bench = new StreamBench({ subsystem: 'collie-f' });
    await bench.stream({ from: 0, to: 1, messageBytes: 262144 });
    await bench.stream({ from: 1, to: 1, messageBytes: 262144 });
    await bench.run(50);
    const [wire, own] = await bench.measure(200);
    expect(wire).toBeGreaterThan(50);
    expect(own).toBeGreaterThan(50);
    drained(bench);
  });
});
