import { describe, expect, it } from 'vitest';
import type { BaseQueuePair } from '../../verbs/base/index.js';
import { Access, connectRcPair, type RcPairOptions, waitForCompletions } from '../../verbs/index.js';
import { GRH_BYTES } from '../../wire/ib/grh.js';
import { type IdealOptions, IdealProvider } from './index.js';

async function makePair(options: IdealOptions = {}, pair: RcPairOptions = {}) {
  const provider = new IdealProvider(options);
  const [left, right] = [await provider.open('ideal0'), await provider.open('ideal1')];
  const [a, b] = connectRcPair(left, right, pair);
  const all = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
  const source = a.pd.regMr(
    Uint8Array.from({ length: 256 }, (_, index) => index),
    all,
  );
  const target = b.pd.regMr(new Uint8Array(256), all);
  const sgList = [{ addr: source.addr, length: 64, lkey: source.lkey }];
  const write = {
    opcode: 'RDMA_WRITE',
    sgList,
    remoteAddr: target.iova,
    rkey: target.rkey,
    signaled: true,
  } as const;
  const receive = { sgList: [{ addr: target.addr, length: 256, lkey: target.lkey }] };
  return { provider, clock: left.clock, a, b, source, target, sgList, write, receive };
}

describe('the ideal provider', () => {
  it('lists its devices and opens no others', async () => {
    const provider = new IdealProvider({ devices: 3 });
    expect((await provider.listDevices()).map(({ name }) => name)).toEqual(['ideal0', 'ideal1', 'ideal2']);
    expect((await provider.open('ideal2')).queryGid(1, 0)).toBe('::ffff:10.0.0.3');
    await expect(provider.open('ideal3')).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
      field: 'deviceName',
    });
    expect(() => new IdealProvider({ devices: 0 })).toThrow(expect.objectContaining({ field: 'devices' }));
    expect(() => new IdealProvider({ latencyNs: -1 })).toThrow(
      expect.objectContaining({ field: 'latencyNs' }),
    );
  });

  it('without latency everything has happened when the post returns', async () => {
    const { a, target, write, clock } = await makePair();
    a.qp.postSend(write);
    expect(a.sendCq.poll()).toMatchObject([{ status: 'SUCCESS', opcode: 'RDMA_WRITE', timestampNs: 0 }]);
    expect(target.memory!.subarray(0, 64)).toEqual(Uint8Array.from({ length: 64 }, (_, index) => index));
    expect(clock.nowNs).toBe(0);
  });

  it('with latency data is there after one, the completion after two', async () => {
    const { a, target, write, clock } = await makePair({ latencyNs: 1000 });
    a.qp.postSend([write, { ...write, wrId: 1 }]);
    await clock.sleep(999);
    expect(target.memory![1]).toBe(0);
    await clock.sleep(1);
    expect(target.memory![1]).toBe(1);
    await clock.sleep(999);
    expect(a.sendCq.poll()).toEqual([]);
    await clock.sleep(1);
    expect(a.sendCq.poll(9).map(({ timestampNs }) => timestampNs)).toEqual([2000, 2000]);
  });

  it('asks a receiver that is not ready again after its timer, in order', async () => {
    const { provider, a, b, sgList, receive, write, clock } = await makePair();
    a.qp.postSend([
      { opcode: 'SEND', wrId: 1, sgList, signaled: true },
      { ...write, wrId: 2 },
    ]);
    await clock.sleep(639_999);
    b.qp.postRecv(receive);
    expect(a.sendCq.poll(9)).toEqual([]);
    expect(provider.receiveWaitNs('ideal0')).toBe(639_999);
    await clock.sleep(1);
    const found = a.sendCq.poll(9);
    expect(found.map(({ wrId, timestampNs }) => [wrId, timestampNs])).toEqual([
      [1, 640_000],
      [2, 640_000],
    ]);
    expect(b.context.counters()['out_of_buffer']).toBe(1);
    await clock.sleep(1000);
    expect([provider.receiveWaitNs('ideal0'), provider.receiveWaitNs('ideal1')]).toEqual([640_000, 0]);
  });

  it('gives a peer that is gone eight times 67 ms', async () => {
    const { a, b, write, clock } = await makePair();
    b.qp.destroy();
    a.qp.postSend(write);
    const lastNs = 8 * 4096 * 2 ** 14;
    await clock.sleep(lastNs - 1);
    expect(a.sendCq.poll()).toEqual([]);
    await clock.sleep(1);
    expect(a.sendCq.poll()).toMatchObject([{ status: 'RETRY_EXC_ERR', timestampNs: lastNs }]);
    expect(a.context.counters()['local_ack_timeout_err']).toBe(8);
  });

  it('a peer that comes back in time is served, and one with other PSNs is not', async () => {
    const { a, b, write, target, clock } = await makePair();
    const { rqPsn, sqPsn, ahAttr } = b.qp.query();
    const bringUp = (expectedPsn: number) => {
      b.qp.modify({ state: 'RESET' });
      b.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: Access.REMOTE_WRITE });
      const far = {
        ahAttr,
        pathMtu: 4096,
        destQpNum: a.qp.qpNum,
        maxDestRdAtomic: 1,
        minRnrTimer: 1,
      } as const;
      b.qp.modify({ state: 'RTR', rqPsn: expectedPsn, ...far });
    };
    bringUp(rqPsn! + 1);
    a.qp.postSend(write);
    await clock.sleep(1e8);
    expect(a.sendCq.poll()).toEqual([]);
    bringUp(rqPsn!);
    await clock.sleep(1e8);
    expect(a.sendCq.poll()).toMatchObject([{ status: 'SUCCESS' }]);
    expect(target.memory![1]).toBe(1);
    expect(sqPsn).not.toBe(rqPsn);
    expect(b.context.tryGetAsyncEvent()).toMatchObject({ type: 'COMM_EST' });
  });

  it('lets time pass for a program that only waits for events', async () => {
    const { a, b, sgList, receive } = await makePair({ latencyNs: 5000 });
    const channel = b.context.createCompChannel();
    const recvCq = b.context.createCq({ cqe: 4, channel });
    const qp = b.pd.createQp({ qpType: 'UD', sendCq: recvCq, recvCq, cap: { maxRecvWr: 2 } });
    qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qkey: 5 });
    qp.modify({ state: 'RTR' });
    qp.postRecv(receive);
    recvCq.reqNotify();
    const event = channel.getCqEvent();
    const cq = a.context.createCq({ cqe: 4 });
    const sender = a.pd.createQp({ qpType: 'UD', sendCq: cq, recvCq: cq, cap: {} });
    sender.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qkey: 5 });
    sender.modify({ state: 'RTR' });
    sender.modify({ state: 'RTS', sqPsn: 0 });
    const ah = a.pd.createAh({ dgid: b.context.queryGid(1, 0), trafficClass: 0x22, hopLimit: 9 });
    sender.postSend({ opcode: 'SEND', sgList, ah, remoteQpn: qp.qpNum, remoteQkey: 5 });
    expect(await event).toBe(recvCq);
    expect(recvCq.poll()).toMatchObject([
      { byteLen: GRH_BYTES + 64, grh: true, srcQp: sender.qpNum, timestampNs: 5000 },
    ]);
  });

  it('writes a GRH with both GIDs and the fields of the address handle', async () => {
    const { a, b, receive, target } = await makePair();
    const cq = a.context.createCq({ cqe: 4 });
    const make = (end: typeof a) => {
      const own = end === a ? cq : end.recvCq;
      const qp = end.pd.createQp({
        qpType: 'UD',
        sendCq: own,
        recvCq: own,
        cap: { maxRecvWr: 1, maxInlineData: 8 },
      });
      qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qkey: 5 });
      qp.modify({ state: 'RTR' });
      qp.modify({ state: 'RTS', sqPsn: 0 });
      return qp;
    };
    const [from, to] = [make(a), make(b)];
    to.postRecv(receive);
    const ah = a.pd.createAh({ dgid: '::ffff:a00:2', trafficClass: 0x22, hopLimit: 9, flowLabel: 0x12345 });
    const inlineData = Uint8Array.of(7, 8);
    from.postSend({ opcode: 'SEND', inlineData, ah, remoteQpn: to.qpNum, remoteQkey: 0x8000_0000 });
    const grh = target.memory!.subarray(0, GRH_BYTES);
    expect([...grh.subarray(0, 8)]).toEqual([0x62, 0x21, 0x23, 0x45, 0, 2, 0x1b, 9]);
    expect([...grh.subarray(18, 24)]).toEqual([0xff, 0xff, 10, 0, 0, 1]);
    expect([...grh.subarray(34, 40)]).toEqual([0xff, 0xff, 10, 0, 0, 2]);
    expect([...target.memory!.subarray(40, 43)]).toEqual([7, 8, 0]);
  });

  it('a device opened twice has one space of queue pair numbers and reaches itself', async () => {
    const provider = new IdealProvider({ devices: 1 });
    const [a, b] = connectRcPair(await provider.open('ideal0'), await provider.open('ideal0'));
    expect(a.qp.qpNum).not.toBe(b.qp.qpNum);
    const cap = { sgList: [] as [], signaled: true };
    b.qp.postRecv({});
    a.qp.postSend({ opcode: 'SEND', ...cap });
    expect((await waitForCompletions(b.recvCq))[0].status).toBe('SUCCESS');
    await a.context.close();
    expect(b.qp.state).toBe('RTS');
  });

  it('a region that goes while a message is on its way fails that message', async () => {
    const { a, source, write, clock } = await makePair({ latencyNs: 1000 });
    a.qp.postSend(write);
    source.dereg();
    await clock.sleep(5000);
    expect(a.sendCq.poll()).toMatchObject([{ status: 'LOC_PROT_ERR' }]);
  });

  it('memory without bytes is read as zeros', async () => {
    const { a, b, target, write } = await makePair();
    target.memory!.fill(3);
    const huge = a.pd.regMr({ lengthBytes: 2 ** 35 }, Access.LOCAL_WRITE);
    a.qp.postSend({ ...write, sgList: [{ addr: huge.addr + 2 ** 34, length: 100, lkey: huge.lkey }] });
    expect(huge.memory).toBeNull();
    expect([target.memory![99], target.memory![100]]).toEqual([0, 3]);
    expect(b.context.counters()['rx_write_requests']).toBe(1);
  });

  it('a queue pair that is its own peer and refuses itself is flushed, once', async () => {
    const context = await new IdealProvider({ devices: 1 }).open('ideal0');
    const cq = context.createCq({ cqe: 8 });
    const pd = context.allocPd();
    const qp = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap: { maxSendWr: 4 } });
    const ahAttr = { dgid: context.queryGid(1, 0) };
    const responder = { rqPsn: 0, maxDestRdAtomic: 1, minRnrTimer: 1 };
    const bringUp = () => {
      qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: Access.REMOTE_WRITE });
      qp.modify({ state: 'RTR', ahAttr, pathMtu: 1024, destQpNum: qp.qpNum, ...responder });
      qp.modify({ state: 'RTS', sqPsn: 0, timeout: 1, retryCnt: 1, rnrRetry: 1, maxRdAtomic: 1 });
    };
    const mr = pd.regMr(new Uint8Array(8), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    const sgList = [{ addr: mr.addr, length: 8, lkey: mr.lkey }];
    const write = {
      opcode: 'RDMA_WRITE',
      sgList,
      remoteAddr: mr.iova,
      rkey: mr.rkey,
      signaled: true,
    } as const;
    bringUp();
    qp.postSend([
      { ...write, wrId: 1, rkey: (mr.rkey ^ 1) >>> 0 },
      { ...write, wrId: 2 },
    ]);
    await context.clock.sleep(1e9);
    expect(cq.poll(9).map(({ wrId, status }) => [wrId, status])).toEqual([
      [1, 'WR_FLUSH_ERR'],
      [2, 'WR_FLUSH_ERR'],
    ]);
    expect((qp as BaseQueuePair).sends.inProgress).toBe(0);
    qp.modify({ state: 'RESET' });
    bringUp();
    for (let wrId = 3; wrId < 10; wrId++) {
      qp.postSend({ ...write, wrId });
      expect(cq.poll(9)).toMatchObject([{ wrId, status: 'SUCCESS' }]);
    }
  });

  it('ENABLE of a queue pair that went away fails', async () => {
    const { a } = await makePair();
    const { pd, sendCq, recvCq, qp } = a;
    const idle = a.context.createCq({ cqe: 1 });
    const managed = pd.createQp({ qpType: 'RC', sendCq, recvCq, cap: {}, managedSend: true });
    qp.postSend([
      { opcode: 'WAIT', cq: idle, count: 1 },
      { opcode: 'ENABLE', wrId: 2, qp: managed, count: 1 },
    ]);
    managed.destroy();
    const other = pd.createQp({ qpType: 'RC', sendCq: idle, recvCq: idle, cap: {} });
    other.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: 0 });
    other.postRecv({});
    other.modify({ state: 'ERR' });
    expect(sendCq.poll(9)).toMatchObject([{ wrId: 2, status: 'LOC_QP_OP_ERR' }]);
  });

  it('keys depend on the seed alone', async () => {
    const keyOf = async (seed: number) => (await makePair({ seed })).source.rkey;
    expect(await keyOf(1)).toBe(await keyOf(1));
    expect(await keyOf(1)).not.toBe(await keyOf(2));
  });
});

describe('connectRcPair', () => {
  it('takes both ends to RTS, towards each other', async () => {
    const { a, b } = await makePair(
      {},
      { pathMtu: 512, qpAccessFlags: Access.REMOTE_READ, cap: { maxSendWr: 3 } },
    );
    const [left, right] = [a.qp.query(), b.qp.query()];
    expect([left.state, right.state]).toEqual(['RTS', 'RTS']);
    expect([left.destQpNum, right.destQpNum]).toEqual([b.qp.qpNum, a.qp.qpNum]);
    expect([left.rqPsn, right.rqPsn]).toEqual([right.sqPsn, left.sqPsn]);
    expect(left).toMatchObject({ pathMtu: 512, qpAccessFlags: Access.REMOTE_READ });
    expect(a.qp.cap.maxSendWr).toBe(3);
  });
});
