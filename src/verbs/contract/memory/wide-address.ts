import { ACCESS_REMOTE, Access } from '../../access.js';
import { addressPlus } from '../../remote-address.js';
import { expectBytes, expectEqual, expectRefused } from '../kit/assert.js';
import type { ContractBench, Pair } from '../kit/bench.js';
import { type ContractCase, casesOf, type Need } from '../kit/case.js';
import { readWord, writeWord } from '../kit/pattern.js';
import { nextKey } from './window.js';

const test = casesOf('wide addresses');
const NEEDS: readonly Need[] = ['RC:RDMA_WRITE', 'RC:RDMA_READ'];
const FULL = Access.LOCAL_WRITE | ACCESS_REMOTE;
const REGION_BYTES = 16384;

/** Where a region can begin, and what that tries out. All are multiples of 8. */
const PLACES: readonly (readonly [string, bigint])[] = [
  ['across 2^32', 2n ** 33n - 8192n],
  ['across 2^53', 2n ** 53n - 8192n],
  ['across 2^63', 2n ** 63n - 8192n],
  ['where a kernel has its memory', 0xffff_8881_2345_6780n],
  ['up to the last address', 2n ** 64n - BigInt(REGION_BYTES)],
];

/** A pair whose right end has a region at this address. */
function pairAt(bench: ContractBench, iova: bigint) {
  const pair = bench.pair({ both: { memory: REGION_BYTES } });
  const mr = bench.mr<bigint>(pair.b.pd, pair.b.memory, FULL | Access.MW_BIND, iova);
  expectEqual(mr.iova, iova, 'iova');
  return { ...pair, mr };
}

/** A WRITE of several packets through the middle, and a READ of it back. */
async function writeAndRead(bench: ContractBench, { a, b }: Pair, remoteAddr: bigint, rkey: number) {
  const bytes = 12000;
  const common = { remoteAddr, rkey, signaled: true };
  a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, bytes), ...common });
  await bench.succeed(a.sendCq, 1);
  expectBytes(b.bytes(2000, bytes), a.bytes(0, bytes), 'the WRITE');
  a.memory.fill(0);
  a.qp.postSend({ opcode: 'RDMA_READ', wrId: 2, sgList: a.at(0, bytes), ...common });
  await bench.succeed(a.sendCq, 2);
  expectBytes(a.bytes(0, bytes), b.bytes(2000, bytes), 'the READ');
  // Regions begin half of their length before a border: this begins behind it.
  const behind = { ...common, remoteAddr: remoteAddr + 7000n };
  a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 3, sgList: a.at(100, 64), ...behind });
  await bench.succeed(a.sendCq, 3);
  expectBytes(b.bytes(9000, 64), a.bytes(100, 64), 'the second WRITE');
}

/** Remote memory anywhere in 64 bits. */
export const wideAddressCases: readonly ContractCase[] = [
  ...PLACES.map(([place, iova]) =>
    test(`WRITE and READ of a region ${place}`, NEEDS, async (bench) => {
      const both = pairAt(bench, iova);
      await writeAndRead(bench, both, iova + 2000n, both.mr.rkey);
    }),
  ),
  ...PLACES.map(([place, iova]) =>
    test(
      `an atomic on a region ${place}`,
      ['RC:ATOMIC_FETCH_AND_ADD', 'RC:ATOMIC_CMP_AND_SWP'],
      async (bench) => {
        const { a, b, mr } = pairAt(bench, iova);
        writeWord(b.memory, 8184, 40n);
        const common = { remoteAddr: iova + 8184n, rkey: mr.rkey, signaled: true };
        a.qp.postSend([
          { opcode: 'ATOMIC_FETCH_AND_ADD', wrId: 1, sgList: a.at(0, 8), compareAdd: 2n, ...common },
          { opcode: 'ATOMIC_CMP_AND_SWP', wrId: 2, sgList: a.at(8, 8), compareAdd: 42n, swap: 7n, ...common },
        ]);
        await bench.succeed(a.sendCq, 1, 2);
        expectEqual(readWord(a.memory, 0), 40n, 'value before the addition');
        expectEqual(readWord(a.memory, 8), 42n, 'value before the swap');
        expectEqual(readWord(b.memory, 8184), 7n, 'value in the end');
      },
    ),
  ),
  ...PLACES.map(([place, iova]) =>
    test(`one byte outside of a region ${place} is refused`, NEEDS, async (bench) => {
      for (const away of [-1, REGION_BYTES - 7]) {
        const { a, mr } = pairAt(bench, iova);
        const remoteAddr = addressPlus(iova, away);
        a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 9, sgList: a.at(0, 8), remoteAddr, rkey: mr.rkey });
        await bench.refusedByPeer(a.sendCq, 9, 'REM_ACCESS_ERR');
      }
    }),
  ),
  test('an address that differs in its upper half alone is refused', NEEDS, async (bench) => {
    for (const away of [2n ** 32n, 2n ** 53n, 2n ** 63n]) {
      const { a, mr } = pairAt(bench, 0xffff_8881_2345_6780n);
      const remoteAddr = BigInt.asUintN(64, mr.iova + away);
      a.qp.postSend({ opcode: 'RDMA_READ', wrId: 9, sgList: a.at(0, 8), remoteAddr, rkey: mr.rkey });
      await bench.refusedByPeer(a.sendCq, 9, 'REM_ACCESS_ERR');
    }
  }),
  test('UC writes there too', ['UC:RDMA_WRITE_WITH_IMM', 'lossless'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UC', both: { memory: REGION_BYTES } });
    const iova = 2n ** 63n - 8192n;
    const { rkey } = bench.mr<bigint>(b.pd, b.memory, FULL, iova);
    b.qp.postRecv(b.recv(7, 0, 0));
    const target = { remoteAddr: iova + 2000n, rkey, immData: 1 };
    a.qp.postSend({ opcode: 'RDMA_WRITE_WITH_IMM', sgList: a.at(0, 12000), ...target });
    await bench.completion(b.recvCq, { wrId: 7 });
    expectBytes(b.bytes(2000, 12000), a.bytes(0, 12000), 'content');
  }),
  test(
    'a window onto a region there',
    ['memoryWindows', 'RC:BIND_MW', 'RC:RDMA_WRITE', 'RC:RDMA_READ'],
    async (bench) => {
      const both = pairAt(bench, 2n ** 63n - 8192n);
      const mw = bench.mw(both.b.pd);
      const rkey = nextKey(mw.rkey);
      const [addr, length] = [both.mr.iova + 2000n, 12000];
      both.b.qp.postSend({
        opcode: 'BIND_MW',
        wrId: 5,
        mw,
        rkey,
        mr: both.mr,
        addr,
        length,
        access: Access.REMOTE_READ | Access.REMOTE_WRITE,
        signaled: true,
      });
      await bench.succeed(both.b.sendCq, 5);
      await writeAndRead(bench, both, addr, rkey);
      const outside = { remoteAddr: addr - 1n, rkey };
      both.a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 9, sgList: both.a.at(0, 8), ...outside });
      await bench.refusedByPeer(both.a.sendCq, 9, 'REM_ACCESS_ERR');
    },
  ),
  test(
    'a fast registration there',
    ['fastRegistration', 'RC:REG_MR', 'RC:RDMA_WRITE', 'RC:RDMA_READ'],
    async (bench) => {
      const pair = bench.pair({ both: { memory: REGION_BYTES } });
      const mr = bench.fastMr(pair.b.pd, REGION_BYTES);
      const key = nextKey(mr.rkey);
      const iova = 2n ** 64n - BigInt(REGION_BYTES);
      const request = { opcode: 'REG_MR', mr, key, access: FULL, memory: pair.b.memory } as const;
      for (const bad of [iova + 1n, 2n ** 64n, -1n])
        expectRefused('BAD_WORK_REQUEST', () => pair.b.qp.postSend({ ...request, iova: bad }), {
          field: 'iova',
        });
      pair.b.qp.postSend({ ...request, wrId: 5, iova, signaled: true });
      await bench.succeed(pair.b.sendCq, 5);
      expectEqual(mr.iova, iova, 'iova');
      await writeAndRead(bench, pair, iova + 2000n, key);
    },
  ),
  test('an iova that is none, or whose region would not end by 2^64, is refused', [], async (bench) => {
    const pd = bench.pd(bench.left);
    const memory = new Uint8Array(100);
    for (const iova of [-1, 0.5, 2 ** 53, Number.NaN, -1n, 2n ** 64n, 2n ** 64n - 99n])
      expectRefused('OUT_OF_RANGE', () => bench.mr(pd, memory, FULL, iova), { field: 'iova' });
    expectEqual(bench.mr(pd, memory, FULL, 2n ** 64n - 100n).iova, 2n ** 64n - 100n, 'iova');
  }),
];
