import { describe, expect, it } from 'vitest';
import { Access, connectRcPair } from '../../../verbs/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

const ACCESS = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

async function pair() {
  const bench = new StreamBench({ subsystem: 'husky' });
  const [left, right] = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
  const [a, b] = connectRcPair(left, right, { cap: { maxInlineData: 64 } });
  return { bench, a, b };
}

function drained(bench: StreamBench): void {
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
}

describe('payloads', () => {
  it('carry bytes only where there are some, and leave none behind', async () => {
    const { bench, a, b } = await pair();
    const { payloads } = bench.provider.world;
    const local = a.pd.regMr({ lengthBytes: 65536 }, ACCESS);
    const remote = b.pd.regMr({ lengthBytes: 65536 }, ACCESS);
    const target = { remoteAddr: remote.iova, rkey: remote.rkey };
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: local.addr, length: 65536, lkey: local.lkey }],
      ...target,
    });
    await bench.run(3);
    expect(bench.provider.world.packets.inUse).toBeGreaterThan(0);
    expect(payloads.inUse).toBe(0);
    const backed = a.pd.regMr(new Uint8Array(65536).fill(3), ACCESS);
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: backed.addr, length: 65536, lkey: backed.lkey }],
      ...target,
    });
    await bench.run(8);
    expect(payloads.inUse).toBeGreaterThan(0);
    drained(bench);
  });

  it('without bytes fill memory that has some with zeros', async () => {
    const { bench, a, b } = await pair();
    const bytes = new Uint8Array(256).fill(9);
    const local = a.pd.regMr({ lengthBytes: 128 }, ACCESS);
    const remote = b.pd.regMr(bytes, ACCESS);
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: local.addr, length: 128, lkey: local.lkey }],
      remoteAddr: remote.iova + 64,
      rkey: remote.rkey,
    });
    drained(bench);
    expect([...bytes.subarray(0, 64), ...bytes.subarray(192)]).toEqual(Array(128).fill(9));
    expect([...bytes.subarray(64, 192)]).toEqual(Array(128).fill(0));
  });

  it('come back by READ and atomics as they are there', async () => {
    const { bench, a, b } = await pair();
    const there = new Uint8Array(64).map((_, at) => at + 1);
    const here = new Uint8Array(72);
    const local = a.pd.regMr(here, ACCESS);
    const remote = b.pd.regMr(there, ACCESS);
    const target = { remoteAddr: remote.iova, rkey: remote.rkey };
    const old = there.slice();
    const sge = (at: number, length: number) => [{ addr: local.addr + at, length, lkey: local.lkey }];
    a.qp.postSend({ opcode: 'RDMA_READ', sgList: sge(0, 64), ...target });
    a.qp.postSend({ opcode: 'ATOMIC_FETCH_AND_ADD', sgList: sge(64, 8), compareAdd: 256n, ...target });
    drained(bench);
    expect([...here.subarray(0, 64)]).toEqual([...old]);
    expect([...here.subarray(64)]).toEqual([...old.subarray(0, 8)]);
    expect(there[1]).toBe(old[1] + 1);
  });
});

describe('a datagram', () => {
  it('has the addresses of both hosts in the place of its GRH', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    const contexts = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
    const [from, to] = contexts.map((context) => {
      const pd = context.allocPd();
      const cq = context.createCq({ cqe: 8 });
      const cap = { maxSendWr: 4, maxRecvWr: 4, maxSendSge: 1, maxRecvSge: 1, maxInlineData: 0 };
      const qp = pd.createQp({ qpType: 'UD', sendCq: cq, recvCq: cq, cap });
      qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qkey: 7 });
      qp.modify({ state: 'RTR' });
      qp.modify({ state: 'RTS', sqPsn: 0 });
      return { context, pd, cq, qp };
    });
    const buffer = new Uint8Array(64);
    const region = to.pd.regMr(buffer, Access.LOCAL_WRITE);
    to.qp.postRecv({ wrId: 1, sgList: [{ addr: region.addr, length: 64, lkey: region.lkey }] });
    const ah = from.pd.createAh({ dgid: to.context.queryGid(1, 0), sgidIndex: 0, portNum: 1 });
    const text = from.pd.regMr(new Uint8Array([1, 2, 3]), 0);
    from.qp.postSend({
      opcode: 'SEND',
      sgList: [{ addr: text.addr, length: 3, lkey: text.lkey }],
      ah,
      remoteQpn: to.qp.qpNum,
      remoteQkey: 7,
    });
    drained(bench);
    expect(to.cq.poll(2)).toMatchObject([{ wrId: 1, status: 'SUCCESS', byteLen: 43 }]);
    expect([...buffer.subarray(32, 43)]).toEqual([10, 0, 0, 1, 10, 0, 0, 2, 1, 2, 3]);
    expect(buffer[20]).toBe(0x45);
  });
});

describe('the counters of goodput', () => {
  it('count payload that was placed, on the side that placed it', async () => {
    const { bench, a, b } = await pair();
    const local = a.pd.regMr({ lengthBytes: 10_000 }, ACCESS);
    const remote = b.pd.regMr({ lengthBytes: 10_000 }, ACCESS);
    const request = {
      sgList: [{ addr: local.addr, length: 10_000, lkey: local.lkey }],
      remoteAddr: remote.iova,
      rkey: remote.rkey,
    };
    a.qp.postSend({ opcode: 'RDMA_WRITE', ...request });
    a.qp.postSend({ opcode: 'RDMA_READ', ...request });
    drained(bench);
    expect(await bench.counters(0)).toMatchObject({ rx_goodput_bytes: 10_000, rx_goodput_packets: 3 });
    expect(await bench.counters(1)).toMatchObject({ rx_goodput_bytes: 10_000, rx_goodput_packets: 3 });
  });
});
