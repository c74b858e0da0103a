import { ACCESS_REMOTE, Access } from '../../access.js';
import type { MemoryRegion } from '../../memory.js';
import { addressPlus, type RemoteAddress } from '../../remote-address.js';
import type { RegMrOperation } from '../../work-request.js';
import { expectBytes, expectEqual, expectRefused } from '../kit/assert.js';
import type { ContractBench, Pair } from '../kit/bench.js';
import { type ContractCase, casesOf, type Need } from '../kit/case.js';
import { pattern } from '../kit/pattern.js';
import { nextKey } from './window.js';

const test = casesOf('fast registration');
const NEEDS: readonly Need[] = ['fastRegistration', 'RC:REG_MR', 'RC:RDMA_WRITE'];
const FULL = Access.LOCAL_WRITE | ACCESS_REMOTE;

interface Registered extends Pair {
  mr: MemoryRegion<RemoteAddress>;
  memory: Uint8Array;
}

function regRequest(
  mr: MemoryRegion<RemoteAddress>,
  memory: Uint8Array,
  changes: Partial<RegMrOperation> = {},
): RegMrOperation {
  return {
    opcode: 'REG_MR',
    wrId: 40,
    mr,
    key: nextKey(mr.rkey),
    access: FULL,
    memory,
    signaled: true,
    ...changes,
  };
}

async function registered(bench: ContractBench, changes: Partial<RegMrOperation> = {}): Promise<Registered> {
  const pair = bench.pair();
  const mr = bench.fastMr(pair.b.pd, 4096);
  const memory = pattern(2048, 31);
  pair.b.qp.postSend(regRequest(mr, memory, changes));
  await bench.completion(pair.b.sendCq, { wrId: 40, opcode: 'REG_MR' });
  return { ...pair, mr, memory };
}

async function refused(
  bench: ContractBench,
  { a }: Pair,
  remoteAddr: RemoteAddress,
  rkey: number,
): Promise<void> {
  a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 9, sgList: a.at(0, 8), remoteAddr, rkey });
  await bench.refusedByPeer(a.sendCq, 9, 'REM_ACCESS_ERR');
}

/** Regions that get their memory from work requests. */
export const fastRegistrationCases: readonly ContractCase[] = [
  test('a region without memory gives nothing', NEEDS, async (bench) => {
    const pair = bench.pair();
    await refused(bench, pair, 0, bench.fastMr(pair.b.pd, 4096).rkey);
  }),
  test('REG_MR gives it memory, rights and the new key byte', NEEDS, async (bench) => {
    const pair = bench.pair();
    const mr = bench.fastMr(pair.b.pd, 4096);
    const key = nextKey(mr.rkey);
    const memory = new Uint8Array(2048);
    pair.b.qp.postSend(regRequest(mr, memory));
    await bench.succeed(pair.b.sendCq, 40);
    expectEqual(mr.rkey, key, 'rkey');
    expectEqual(mr.lengthBytes, 2048, 'lengthBytes');
    expectEqual(mr.access, FULL, 'access');
  }),
  test('a peer writes to it', NEEDS, async (bench) => {
    const { a, mr, memory } = await registered(bench);
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 1,
      sgList: a.at(0, 2048),
      remoteAddr: mr.iova,
      rkey: mr.rkey,
      signaled: true,
    });
    await bench.succeed(a.sendCq, 1);
    expectBytes(memory, a.bytes(0, 2048), 'content');
  }),
  test('its lkey sends from it', [...NEEDS, 'RC:SEND'], async (bench) => {
    const { a, b, mr, memory } = await registered(bench);
    a.qp.postRecv(a.recv(1, 0, 500));
    b.qp.postSend({ opcode: 'SEND', sgList: [{ addr: mr.addr + 100, length: 500, lkey: mr.lkey }] });
    await bench.completion(a.recvCq, { byteLen: 500 });
    expectBytes(a.bytes(0, 500), memory.subarray(100, 600), 'content');
  }),
  test('peers use the iova that the request chose', NEEDS, async (bench) => {
    const { a, mr, memory } = await registered(bench, { iova: 0x10000 });
    expectEqual(mr.iova, 0x10000, 'iova');
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 1,
      sgList: a.at(0, 64),
      remoteAddr: 0x10000 + 32,
      rkey: mr.rkey,
      signaled: true,
    });
    await bench.succeed(a.sendCq, 1);
    expectBytes(memory.subarray(32, 96), a.bytes(0, 64), 'content');
  }),
  test('one byte past its memory is refused', NEEDS, async (bench) => {
    const all = await registered(bench);
    await refused(bench, all, addressPlus(all.mr.iova, 2048 - 7), all.mr.rkey);
  }),
  test('a right that the request did not give is refused', NEEDS, async (bench) => {
    const all = await registered(bench, { access: Access.LOCAL_WRITE | Access.REMOTE_READ });
    await refused(bench, all, all.mr.iova, all.mr.rkey);
  }),
  test('the old key byte is refused', NEEDS, async (bench) => {
    const pair = bench.pair();
    const mr = bench.fastMr(pair.b.pd, 4096);
    const old = mr.rkey;
    pair.b.qp.postSend(regRequest(mr, new Uint8Array(64)));
    await bench.succeed(pair.b.sendCq, 40);
    await refused(bench, pair, mr.iova, old);
  }),
  test('more memory than the region was made for is refused', NEEDS, async (bench) => {
    const { b } = bench.pair();
    const mr = bench.fastMr(b.pd, 4096);
    expectRefused('BAD_WORK_REQUEST', () => b.qp.postSend(regRequest(mr, new Uint8Array(4097))));
    b.qp.postSend(regRequest(mr, new Uint8Array(4096)));
    await bench.succeed(b.sendCq, 40);
  }),
  test('a second REG_MR without invalidation completes LOC_QP_OP_ERR', NEEDS, async (bench) => {
    const { b, mr, memory } = await registered(bench);
    b.qp.postSend(regRequest(mr, memory, { wrId: 41 }));
    await bench.completion(b.sendCq, { wrId: 41, status: 'LOC_QP_OP_ERR' });
    expectEqual(b.qp.state, 'ERR', 'state');
  }),
  test('LOCAL_INV takes it away, and REG_MR gives it back', [...NEEDS, 'RC:LOCAL_INV'], async (bench) => {
    const all = await registered(bench);
    const { a, b, mr } = all;
    const old = mr.rkey;
    const memory = new Uint8Array(1024);
    b.qp.postSend({ opcode: 'LOCAL_INV', wrId: 41, invalidateRkey: old, signaled: true });
    b.qp.postSend(regRequest(mr, memory, { wrId: 42 }));
    await bench.succeed(b.sendCq, 41, 42);
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 1,
      sgList: a.at(0, 1024),
      remoteAddr: mr.iova,
      rkey: mr.rkey,
      signaled: true,
    });
    await bench.succeed(a.sendCq, 1);
    expectBytes(memory, a.bytes(0, 1024), 'content');
    await refused(bench, all, mr.iova, old);
  }),
  test('after LOCAL_INV its key is refused', [...NEEDS, 'RC:LOCAL_INV'], async (bench) => {
    const all = await registered(bench);
    all.b.qp.postSend({ opcode: 'LOCAL_INV', wrId: 41, invalidateRkey: all.mr.rkey, signaled: true });
    await bench.completion(all.b.sendCq, { wrId: 41, opcode: 'LOCAL_INV' });
    await refused(bench, all, all.mr.iova, all.mr.rkey);
  }),
  test(
    'SEND_WITH_INV takes it away and the receive says so',
    [...NEEDS, 'RC:SEND_WITH_INV'],
    async (bench) => {
      const all = await registered(bench);
      const { a, b, mr } = all;
      const rkey = mr.rkey;
      b.qp.postRecv(b.recv(60, 0, 16));
      a.qp.postSend({ opcode: 'SEND_WITH_INV', sgList: a.at(0, 16), invalidateRkey: rkey });
      await bench.completion(b.recvCq, { wrId: 60, withInv: true, invalidatedRkey: rkey, withImm: false });
      await refused(bench, all, mr.iova, rkey);
    },
  ),
  test(
    'LOCAL_INV of a key that cannot be invalidated completes LOC_QP_OP_ERR',
    ['RC:LOCAL_INV'],
    async (bench) => {
      for (const unknown of [false, true]) {
        const { a } = bench.pair();
        const invalidateRkey = unknown ? (a.mr.rkey ^ 0x5a) >>> 0 : a.mr.rkey;
        a.qp.postSend({ opcode: 'LOCAL_INV', wrId: 41, invalidateRkey });
        await bench.completion(a.sendCq, { wrId: 41, status: 'LOC_QP_OP_ERR' });
        expectEqual(a.qp.state, 'ERR', 'state');
      }
    },
  ),
];
