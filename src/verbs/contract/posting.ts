import type { QpType } from '../queue-pair.js';
import type { SendOpcode, SendWr } from '../work-request.js';
import { expectBytes, expectEqual, expectRefused } from './kit/assert.js';
import type { Pair } from './kit/bench.js';
import { type ContractCase, casesOf } from './kit/case.js';
import type { End } from './kit/end.js';

const test = casesOf('posting');

/** Operations that a transport does not have. */
const FOREIGN: readonly (readonly [QpType, readonly SendOpcode[]])[] = [
  ['UC', ['RDMA_READ', 'ATOMIC_CMP_AND_SWP', 'ATOMIC_FETCH_AND_ADD']],
  [
    'UD',
    [
      'SEND_WITH_INV',
      'RDMA_WRITE',
      'RDMA_WRITE_WITH_IMM',
      'RDMA_READ',
      'ATOMIC_CMP_AND_SWP',
      'ATOMIC_FETCH_AND_ADD',
    ],
  ],
];

/**
 * Send requests with a field that is missing, malformed or out of place. Types would forbid some; programs are not always
 * typed.
 */
const MALFORMED: readonly (readonly [string, (end: End, peer: End) => object])[] = [
  ['a negative length', (end) => ({ sgList: [{ ...end.sge(0, 8), length: -1 }] })],
  ['a fractional length', (end) => ({ sgList: [{ ...end.sge(0, 8), length: 1.5 }] })],
  ['a length that is no number', (end) => ({ sgList: [{ ...end.sge(0, 8), length: Number.NaN }] })],
  ['a fractional address', (end) => ({ sgList: [{ ...end.sge(0, 8), addr: end.mr.addr + 0.5 }] })],
  ['a request id that is not a safe integer', () => ({ wrId: 2 ** 53 })],
  ['a fractional request id', () => ({ wrId: 0.5 })],
  ['immediate data over 32 bits', () => ({ opcode: 'SEND_WITH_IMM', immData: 2 ** 32 })],
  ['negative immediate data', () => ({ opcode: 'SEND_WITH_IMM', immData: -1 })],
  ['no immediate data where the operation has some', () => ({ opcode: 'SEND_WITH_IMM' })],
  ['no remote address', (_, peer) => ({ opcode: 'RDMA_WRITE', rkey: peer.mr.rkey })],
  ['no rkey', (_, peer) => ({ opcode: 'RDMA_WRITE', remoteAddr: peer.mr.iova })],
  ['a negative remote address', (_, peer) => ({ opcode: 'RDMA_WRITE', remoteAddr: -1, rkey: peer.mr.rkey })],
  [
    'a remote address over 64 bits',
    (_, peer) => ({ opcode: 'RDMA_WRITE', remoteAddr: 2n ** 64n, rkey: peer.mr.rkey }),
  ],
  [
    'a number above 2^53 as remote address',
    (_, peer) => ({ opcode: 'RDMA_WRITE', remoteAddr: 2 ** 53, rkey: peer.mr.rkey }),
  ],
  ['no rkey to invalidate', () => ({ opcode: 'SEND_WITH_INV' })],
  [
    'no operands',
    (end, peer) => ({ opcode: 'ATOMIC_FETCH_AND_ADD', sgList: end.at(0, 8), ...peer.target(0) }),
  ],
  [
    'an operand over 64 bits',
    (end, peer) => ({
      opcode: 'ATOMIC_FETCH_AND_ADD',
      sgList: end.at(0, 8),
      ...peer.target(0),
      compareAdd: 2n ** 64n,
    }),
  ],
  ['a datagram target on a connection', () => ({ remoteQpn: 5, remoteQkey: 5 })],
];

function silent({ a, b }: Pair, signaled: boolean, wrId = 0): void {
  a.qp.postSend({ opcode: 'RDMA_WRITE', wrId, sgList: a.at(0, 1), ...b.target(0), signaled });
}

/** What `postSend` and `postRecv` refuse at the call, and how full a queue is. */
export const postingCases: readonly ContractCase[] = [
  ...FOREIGN.flatMap(([type, opcodes]) =>
    opcodes.map((opcode) =>
      test(`${opcode} on ${type} is refused with BAD_OPCODE`, [type], async (bench) => {
        const { a, b } = bench.pair({ type });
        const wr = {
          opcode,
          sgList: a.at(0, 8),
          ...b.target(0),
          immData: 0,
          compareAdd: 0n,
          swap: 0n,
          invalidateRkey: 0,
        };
        expectRefused('BAD_OPCODE', () => a.qp.postSend(wr as unknown as SendWr));
        expectEqual(a.qp.state, 'RTS', 'state');
      }),
    ),
  ),
  test('an operation that nobody has is refused with BAD_OPCODE', ['RC'], async (bench) => {
    const { a } = bench.pair();
    expectRefused('BAD_OPCODE', () => a.qp.postSend({ opcode: 'TELEPORT' } as unknown as SendWr));
  }),
  ...MALFORMED.map(([what, fields]) =>
    test(`${what} is refused with BAD_WORK_REQUEST`, ['RC:SEND'], async (bench) => {
      const { a, b } = bench.pair();
      b.qp.postRecv(b.recv(1, 0, 64));
      const wr = { opcode: 'SEND', sgList: a.at(0, 8), ...fields(a, b) } as SendWr;
      expectRefused('BAD_WORK_REQUEST', () => a.qp.postSend(wr));
      await bench.quiet(a.sendCq, b.recvCq);
    }),
  ),
  test('a receive with a negative or fractional length is refused', ['RC'], async (bench) => {
    const { b } = bench.pair();
    for (const length of [-1, 0.5, Number.NaN]) {
      expectRefused('BAD_WORK_REQUEST', () => b.qp.postRecv({ sgList: [{ ...b.sge(0, 8), length }] }));
    }
  }),
  test('more elements than the queue has are refused with TOO_MANY_SGE', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair();
    const many = (end: End, count: number) => Array.from({ length: count + 1 }, () => end.sge(0, 1));
    expectRefused('TOO_MANY_SGE', () =>
      a.qp.postSend({ opcode: 'SEND', sgList: many(a, a.qp.cap.maxSendSge) }),
    );
    expectRefused('TOO_MANY_SGE', () => b.qp.postRecv({ sgList: many(b, b.qp.cap.maxRecvSge) }));
    await bench.quiet(a.sendCq, b.recvCq);
  }),
  test('a message over 2^31 bytes is refused with MESSAGE_TOO_LONG', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    const half = { addr: a.mr.addr, length: 2 ** 30, lkey: a.mr.lkey };
    const wr = {
      opcode: 'RDMA_WRITE' as const,
      ...b.target(0),
      sgList: [half, half, { ...half, length: 1 }],
    };
    expectRefused('MESSAGE_TOO_LONG', () => a.qp.postSend(wr));
    expectEqual(a.qp.state, 'RTS', 'state');
  }),
  test(
    'a list is posted up to the bad request, whose position is given',
    ['RC:RDMA_WRITE'],
    async (bench) => {
      const { a, b } = bench.pair();
      const good = (at: number): SendWr => ({
        opcode: 'RDMA_WRITE',
        wrId: at,
        sgList: a.at(at, 1),
        ...b.target(at),
        signaled: true,
      });
      const bad: SendWr = { opcode: 'RDMA_WRITE', sgList: [{ ...a.sge(0, 1), length: -1 }], ...b.target(0) };
      const before = b.copy(3, 1);
      expectRefused('BAD_WORK_REQUEST', () => a.qp.postSend([good(1), good(2), bad, good(3)]), {
        badWrIndex: 2,
      });
      await bench.succeed(a.sendCq, 1, 2);
      await bench.quiet(a.sendCq);
      expectBytes(b.copy(3, 1), before, 'what the last request would have written');
    },
  ),
  test('a list of receives is posted up to the bad one', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair();
    const bad = { sgList: [{ ...b.sge(0, 8), length: -1 }] };
    expectRefused('BAD_WORK_REQUEST', () => b.qp.postRecv([b.recv(1, 0, 8), bad, b.recv(2, 0, 8)]), {
      badWrIndex: 1,
    });
    b.qp.postRecv(b.recv(3, 0, 8));
    for (let at = 0; at < 2; at++) a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 8) });
    await bench.succeed(b.recvCq, 1, 3);
  }),
  test('an empty list is no request', ['RC'], async (bench) => {
    const { a, b } = bench.pair();
    a.qp.postSend([]);
    b.qp.postRecv([]);
    await bench.quiet(a.sendCq, b.recvCq);
  }),
  test('a send queue is full until completions are polled', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair({ a: { cap: { maxSendWr: 4 } } });
    const { qp, sendCq } = pair.a;
    for (let at = 0; at < qp.cap.maxSendWr; at++) silent(pair, true, at);
    await bench.left.clock.sleep(2e6);
    expectRefused('QUEUE_FULL', () => silent(pair, true));
    await bench.succeed(sendCq, 0);
    silent(pair, true, 77);
    expectRefused('QUEUE_FULL', () => silent(pair, true));
    await bench.completions(sendCq, qp.cap.maxSendWr);
  }),
  test(
    'a signalled completion frees the unsignalled requests before it',
    ['RC:RDMA_WRITE'],
    async (bench) => {
      const pair = bench.pair({ a: { cap: { maxSendWr: 4 } } });
      const { qp, sendCq } = pair.a;
      for (let round = 0; round < 3; round++) {
        for (let at = 1; at < qp.cap.maxSendWr; at++) silent(pair, false);
        silent(pair, true, 9);
        expectRefused('QUEUE_FULL', () => silent(pair, false));
        await bench.succeed(sendCq, 9);
      }
    },
  ),
  test('unsignalled requests alone fill the queue for good', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair({ a: { cap: { maxSendWr: 4 } } });
    for (let at = 0; at < pair.a.qp.cap.maxSendWr; at++) silent(pair, false);
    await bench.quiet(pair.a.sendCq);
    expectRefused('QUEUE_FULL', () => silent(pair, true));
  }),
  test(
    'a list longer than the room in the send queue stops where it is full',
    ['RC:RDMA_WRITE'],
    async (bench) => {
      const pair = bench.pair({ a: { cap: { maxSendWr: 4 } } });
      const { a, b } = pair;
      const depth = a.qp.cap.maxSendWr;
      silent(pair, true, 100);
      const list = Array.from(
        { length: depth + 2 },
        (_, at): SendWr => ({
          opcode: 'RDMA_WRITE',
          wrId: at,
          sgList: a.at(0, 1),
          ...b.target(0),
          signaled: true,
        }),
      );
      expectRefused('QUEUE_FULL', () => a.qp.postSend(list), { badWrIndex: depth - 1 });
      await bench.succeed(a.sendCq, 100, ...Array(depth - 1).keys());
    },
  ),
  test('a receive queue is full until completions are polled', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair({ b: { cap: { maxRecvWr: 3 } } });
    const depth = b.qp.cap.maxRecvWr;
    expectRefused(
      'QUEUE_FULL',
      () => b.qp.postRecv(Array.from({ length: depth + 1 }, (_, at) => b.recv(at, 0, 8))),
      { badWrIndex: depth },
    );
    a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 8), signaled: true });
    await bench.succeed(a.sendCq, 1);
    expectRefused('QUEUE_FULL', () => b.qp.postRecv(b.recv(50, 0, 8)));
    await bench.completion(b.recvCq, { wrId: 0 });
    b.qp.postRecv(b.recv(50, 0, 8));
  }),
];
