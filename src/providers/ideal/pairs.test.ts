import { expect, it } from 'vitest';
import {
  Access,
  completionsOf,
  connectRcPair,
  connectUcPair,
  makeUdPair,
  type PairEnd,
  type WorkCompletion,
} from '../../verbs/index.js';
import { IdealProvider } from './provider.js';

const GRH_BYTES = 40;

async function contexts() {
  const provider = new IdealProvider({ latencyNs: 500 });
  return [await provider.open('ideal0'), await provider.open('ideal1')] as const;
}

function memoryOf(end: PairEnd, bytes: number) {
  const memory = new Uint8Array(bytes);
  const mr = end.pd.regMr(memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  return { memory, mr, sgList: [{ addr: mr.addr, length: bytes, lkey: mr.lkey }] };
}

it('a pair of unreliable connections writes', async () => {
  const [a, b] = connectUcPair(...(await contexts()));
  const [from, to] = [memoryOf(a, 8), memoryOf(b, 8)];
  from.memory.fill(7);
  const { iova: remoteAddr, rkey } = to.mr;
  a.qp.postSend({ opcode: 'RDMA_WRITE', sgList: from.sgList, remoteAddr, rkey, signaled: true });
  for await (const { status } of completionsOf(a.sendCq, { count: 1 })) expect(status).toBe('SUCCESS');
  await b.context.clock.sleep(1000);
  expect(to.memory).toEqual(from.memory);
});

it('a pair for datagrams sends both ways', async () => {
  const [a, b] = makeUdPair(...(await contexts()));
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const [from, to] = [memoryOf(one, 8), memoryOf(other, 8 + GRH_BYTES)];
    from.memory.fill(9);
    other.qp.postRecv({ sgList: to.sgList });
    one.qp.postSend({ opcode: 'SEND', sgList: from.sgList, ...one.to });
    const seen: WorkCompletion[] = [];
    for await (const each of completionsOf(other.recvCq, { count: 1 })) seen.push(each);
    expect(seen).toMatchObject([{ status: 'SUCCESS', srcQp: one.qp.qpNum, byteLen: 8 + GRH_BYTES }]);
    expect(to.memory.subarray(GRH_BYTES)).toEqual(from.memory);
  }
});

it('completions come one by one, in order, until enough or none', async () => {
  const [a] = connectRcPair(...(await contexts()));
  const post = (wrId: number) =>
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId, remoteAddr: 0, rkey: 0, signaled: true });
  for (let wrId = 0; wrId < 5; wrId++) post(wrId);
  const seen: number[] = [];
  for await (const { wrId } of completionsOf(a.sendCq, { count: 3 })) seen.push(wrId);
  for await (const { wrId } of completionsOf(a.sendCq)) {
    seen.push(wrId);
    if (wrId === 4) break;
  }
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  const rest = completionsOf(a.sendCq, { timeoutNs: 1000 });
  await expect(rest.next()).rejects.toMatchObject({ code: 'TIMED_OUT' });
});
