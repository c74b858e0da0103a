import { Access } from '../access.js';
import { expectBytes, expectEqual } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { type ContractCase, casesOf } from './kit/case.js';
import { type RemoteTarget, remoteRequest } from './operations.js';

/** A request that a responder of an unreliable connection drops. */
const DROPPED: readonly (readonly [string, (bench: ContractBench, pair: Pair) => RemoteTarget])[] = [
  ['a wrong rkey', (_, { b }) => ({ ...b.target(0), rkey: (b.mr.rkey ^ 0x5a) >>> 0 })],
  ['memory one byte past the region', (_, { b }) => b.target(b.memory.length - 15)],
  ['memory one byte before the region', (_, { b }) => b.target(-1)],
  [
    'a region without REMOTE_WRITE',
    (bench, { b }) => {
      const weak = bench.mr(b.pd, b.memory, Access.LOCAL_WRITE);
      return { remoteAddr: weak.iova, rkey: weak.rkey };
    },
  ],
  [
    'an rkey of another protection domain',
    (bench, { b }) => {
      const foreign = bench.mr(bench.pd(b.context), b.memory);
      return { remoteAddr: foreign.iova, rkey: foreign.rkey };
    },
  ],
];

const test = casesOf('UC');

async function stillWorks(bench: ContractBench, { a, b }: Pair): Promise<void> {
  a.qp.postSend(remoteRequest('RDMA_WRITE', 9, a.at(64, 16), b.target(64)));
  await bench.succeed(a.sendCq, 9);
  await bench.until(
    'the next WRITE arrives',
    () => b.memory[79] === a.memory[79] && b.memory[64] === a.memory[64],
  );
  expectBytes(b.bytes(64, 16), a.bytes(64, 16), 'the next WRITE');
  expectEqual(b.qp.state, 'RTS', 'state of the responder');
}

/** Unreliable connections: what goes wrong at the peer goes wrong in silence. */
export const unreliableCases: readonly ContractCase[] = [
  ...DROPPED.map(([what, target]) =>
    test(
      `a WRITE to ${what} is dropped silently`,
      ['UC:RDMA_WRITE', 'UC:SEND', 'lossless'],
      async (bench) => {
        const pair = bench.pair({ type: 'UC' });
        const { a, b } = pair;
        b.qp.postRecv(b.recv(90, 4000, 64));
        const bad = target(bench, pair);
        const before = b.copy(0, 8192);
        a.qp.postSend(remoteRequest('RDMA_WRITE', 1, a.at(0, 16), bad));
        await bench.succeed(a.sendCq, 1);
        await bench.quiet(b.recvCq, a.sendCq);
        expectBytes(b.memory, before, 'memory of the responder');
        expectEqual(bench.nextEvent(b.context), null, 'async event');
        await stillWorks(bench, pair);
      },
    ),
  ),
  test(
    'a WRITE that the queue pair has no right for is dropped silently',
    ['UC:RDMA_WRITE', 'lossless'],
    async (bench) => {
      const { a, b } = bench.pair({ type: 'UC', attrB: { qpAccessFlags: 0 } });
      const before = b.copy(0, 64);
      a.qp.postSend(remoteRequest('RDMA_WRITE', 1, a.at(0, 16), b.target(0)));
      await bench.succeed(a.sendCq, 1);
      await bench.quiet(a.sendCq);
      expectBytes(b.bytes(0, 64), before, 'memory of the responder');
    },
  ),
  test(
    'a SEND without a receive is dropped silently, and the next one arrives',
    ['UC:SEND', 'lossless'],
    async (bench) => {
      const { a, b } = bench.pair({ type: 'UC' });
      a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 64), signaled: true });
      await bench.succeed(a.sendCq, 1);
      await bench.quiet(b.recvCq);
      b.qp.postRecv(b.recv(2, 0, 64));
      a.qp.postSend({ opcode: 'SEND', wrId: 3, sgList: a.at(100, 64), signaled: true });
      await bench.completion(b.recvCq, { wrId: 2, byteLen: 64 });
      expectBytes(b.bytes(0, 64), a.bytes(100, 64), 'content');
    },
  ),
  test(
    'a WRITE_WITH_IMM without a receive is dropped silently',
    ['UC:RDMA_WRITE_WITH_IMM', 'lossless'],
    async (bench) => {
      const { a, b } = bench.pair({ type: 'UC' });
      a.qp.postSend(remoteRequest('RDMA_WRITE_WITH_IMM', 1, a.at(0, 64), b.target(0)));
      await bench.succeed(a.sendCq, 1);
      await bench.arrival();
      b.qp.postRecv({ wrId: 2 });
      await bench.quiet(b.recvCq);
    },
  ),
  test('a SEND to a peer that is gone succeeds', ['UC:SEND'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UC' });
    b.qp.destroy();
    a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 64), signaled: true });
    await bench.succeed(a.sendCq, 1);
    expectEqual(a.qp.state, 'RTS', 'state');
  }),
];
