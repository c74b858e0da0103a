import { ACCESS_REMOTE, Access } from '../../access.js';
import type { MemoryWindow } from '../../memory.js';
import type { WcStatus } from '../../work-completion.js';
import type { BindMwOperation } from '../../work-request.js';
import { expectBytes, expectEqual, expectRefused, expectThat } from '../kit/assert.js';
import type { ContractBench, Pair } from '../kit/bench.js';
import { type ContractCase, casesOf, type Need } from '../kit/case.js';
import type { End } from '../kit/end.js';
import { type RemoteOpcode, remoteRequest } from '../operations.js';

const test = casesOf('memory windows');
const NEEDS: readonly Need[] = ['memoryWindows', 'RC:BIND_MW'];
const READ_WRITE = Access.REMOTE_READ | Access.REMOTE_WRITE;

/** The key with its low 8 bits counted on: the caller's part of a key. */
export function nextKey(key: number): number {
  return ((key & ~0xff) | ((key + 1) & 0xff)) >>> 0;
}

function bindRequest(end: End, mw: MemoryWindow, changes: Partial<BindMwOperation> = {}): BindMwOperation {
  return {
    opcode: 'BIND_MW',
    wrId: 50,
    mw,
    rkey: nextKey(mw.rkey),
    mr: end.mr,
    addr: end.mr.addr + 1000,
    length: 500,
    access: READ_WRITE,
    signaled: true,
    ...changes,
  };
}

async function bound(
  bench: ContractBench,
  changes: Partial<BindMwOperation> = {},
): Promise<Pair & { mw: MemoryWindow }> {
  const pair = bench.pair();
  const mw = bench.mw(pair.b.pd);
  pair.b.qp.postSend(bindRequest(pair.b, mw, changes));
  await bench.completion(pair.b.sendCq, { wrId: 50, opcode: 'BIND_MW' });
  return { ...pair, mw };
}

async function access(
  bench: ContractBench,
  { a, b, mw }: Pair & { mw: MemoryWindow },
  opcode: RemoteOpcode,
  offset: number,
  length: number,
  status: WcStatus,
): Promise<void> {
  a.qp.postSend(remoteRequest(opcode, 9, a.at(0, length), { remoteAddr: b.mr.iova + offset, rkey: mw.rkey }));
  if (status === 'SUCCESS') await bench.succeed(a.sendCq, 9);
  else await bench.refusedByPeer(a.sendCq, 9, status);
}

/** Accesses through the window at 1000 to 1500 that must be refused. */
const REFUSED: readonly (readonly [string, RemoteOpcode, number, number, number])[] = [
  ['one byte before the window', 'RDMA_WRITE', 999, 100, READ_WRITE],
  ['one byte past the window', 'RDMA_WRITE', 1401, 100, READ_WRITE],
  ['a WRITE through a window with REMOTE_READ only', 'RDMA_WRITE', 1000, 100, Access.REMOTE_READ],
  ['a READ through a window with REMOTE_WRITE only', 'RDMA_READ', 1000, 100, Access.REMOTE_WRITE],
  ['an atomic through a window without REMOTE_ATOMIC', 'ATOMIC_FETCH_AND_ADD', 1000, 8, READ_WRITE],
];

const BAD_BINDS: readonly (readonly [
  string,
  (bench: ContractBench, end: End) => Partial<BindMwOperation>,
])[] = [
  [
    'a region without MW_BIND',
    (bench, { pd }) => {
      const mr = bench.mr(pd, 8192, Access.LOCAL_WRITE | ACCESS_REMOTE);
      return { mr, addr: mr.addr };
    },
  ],
  ['memory one byte past the region', (_, { mr }) => ({ addr: mr.addr + mr.lengthBytes - 499 })],
  ['memory one byte before the region', (_, { mr }) => ({ addr: mr.addr - 1 })],
];

/** Windows onto regions, bound by work requests. */
export const windowCases: readonly ContractCase[] = [
  test('a bound window gives the peer its part of the region', NEEDS, async (bench) => {
    const all = await bound(bench);
    const { a, b } = all;
    await access(bench, all, 'RDMA_WRITE', 1000, 500, 'SUCCESS');
    expectBytes(b.bytes(1000, 500), a.bytes(0, 500), 'the WRITE');
    await access(bench, all, 'RDMA_READ', 1250, 250, 'SUCCESS');
    expectBytes(a.bytes(0, 250), b.bytes(1250, 250), 'the READ');
  }),
  test('a bind takes the new low byte of the key', NEEDS, async (bench) => {
    const { b } = bench.pair();
    const mw = bench.mw(b.pd);
    const key = nextKey(mw.rkey);
    b.qp.postSend(bindRequest(b, mw));
    await bench.succeed(b.sendCq, 50);
    expectEqual(mw.rkey, key, 'rkey after the bind');
  }),
  ...REFUSED.map(([what, opcode, offset, length, rights]) =>
    test(`${what} is refused`, [...NEEDS, `RC:${opcode}`], async (bench) => {
      const all = await bound(bench, { access: rights });
      const before = all.b.copy(0, 8192);
      await access(bench, all, opcode, offset, length, 'REM_ACCESS_ERR');
      expectBytes(all.b.memory, before, 'memory');
    }),
  ),
  test('a window that was never bound gives nothing', NEEDS, async (bench) => {
    const { a, b } = bench.pair();
    await access(bench, { a, b, mw: bench.mw(b.pd) }, 'RDMA_READ', 1000, 8, 'REM_ACCESS_ERR');
  }),
  ...BAD_BINDS.map(([what, changes]) =>
    test(`a bind to ${what} completes MW_BIND_ERR`, NEEDS, async (bench) => {
      const { b } = bench.pair();
      b.qp.postSend(bindRequest(b, bench.mw(b.pd), changes(bench, b)));
      await bench.completion(b.sendCq, { wrId: 50, status: 'MW_BIND_ERR' });
      expectEqual(b.qp.state, 'ERR', 'state');
    }),
  ),
  test('LOCAL_INV takes the window away', [...NEEDS, 'RC:LOCAL_INV'], async (bench) => {
    const all = await bound(bench);
    all.b.qp.postSend({ opcode: 'LOCAL_INV', wrId: 51, invalidateRkey: all.mw.rkey, signaled: true });
    await bench.completion(all.b.sendCq, { wrId: 51, opcode: 'LOCAL_INV' });
    await access(bench, all, 'RDMA_READ', 1000, 8, 'REM_ACCESS_ERR');
  }),
  test(
    'SEND_WITH_INV takes the window away and the receive says so',
    [...NEEDS, 'RC:SEND_WITH_INV'],
    async (bench) => {
      const all = await bound(bench);
      const { a, b, mw } = all;
      b.qp.postRecv(b.recv(60, 0, 64));
      a.qp.postSend({
        opcode: 'SEND_WITH_INV',
        wrId: 8,
        sgList: a.at(0, 64),
        invalidateRkey: mw.rkey,
        signaled: true,
      });
      await bench.completion(a.sendCq, { wrId: 8, opcode: 'SEND' });
      await bench.completion(b.recvCq, {
        wrId: 60,
        opcode: 'RECV',
        byteLen: 64,
        withInv: true,
        invalidatedRkey: mw.rkey,
      });
      expectBytes(b.bytes(0, 64), a.bytes(0, 64), 'content');
      await access(bench, all, 'RDMA_READ', 1000, 8, 'REM_ACCESS_ERR');
    },
  ),
  test(
    'after an invalidation the window binds again, elsewhere',
    [...NEEDS, 'RC:LOCAL_INV'],
    async (bench) => {
      const all = await bound(bench);
      const { a, b, mw } = all;
      const old = mw.rkey;
      b.qp.postSend({ opcode: 'LOCAL_INV', wrId: 51, invalidateRkey: old });
      b.qp.postSend(bindRequest(b, mw, { addr: b.mr.addr + 4000 }));
      await bench.succeed(b.sendCq, 50);
      expectThat(mw.rkey !== old, 'a new bind has a new key');
      await access(bench, all, 'RDMA_WRITE', 4000, 500, 'SUCCESS');
      expectBytes(b.bytes(4000, 500), a.bytes(0, 500), 'content');
      await access(bench, all, 'RDMA_WRITE', 1000, 8, 'REM_ACCESS_ERR');
    },
  ),
  test('a region with a bound window cannot be deregistered', NEEDS, async (bench) => {
    const { b, mw } = await bound(bench);
    expectRefused('OBJECT_BUSY', () => b.mr.dereg());
    mw.dealloc();
    b.mr.dereg();
  }),
  test('a deallocated window gives nothing', NEEDS, async (bench) => {
    const { a, b, mw } = await bound(bench);
    const target = { remoteAddr: b.mr.iova + 1000, rkey: mw.rkey };
    mw.dealloc();
    a.qp.postSend(remoteRequest('RDMA_READ', 9, a.at(0, 8), target));
    await bench.refusedByPeer(a.sendCq, 9, 'REM_ACCESS_ERR');
  }),
];
