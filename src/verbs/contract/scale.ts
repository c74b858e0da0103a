import { expectBytes, expectEqual, expectList } from './kit/assert.js';
import { bringUp } from './kit/bring-up.js';
import { type ContractCase, casesOf } from './kit/case.js';
import { exchange, type TransferOpcode } from './operations.js';

const test = casesOf('many and near');

/** Many connections at once, both directions at once, both ends on one device. */
export const scaleCases: readonly ContractCase[] = [
  test('64 queue pairs at once, each with its own bytes', ['RC:RDMA_WRITE', 'RC:SEND'], async (bench) => {
    const [left, right] = [bench.pd(bench.left), bench.pd(bench.right)];
    const [sendCq, recvCq] = [bench.cq(bench.left, { cqe: 128 }), bench.cq(bench.right, { cqe: 128 })];
    const pairs = Array.from({ length: 64 }, () =>
      bench.pair({ both: { memory: 3000 }, a: { pd: left, sendCq }, b: { pd: right, recvCq } }),
    );
    for (const { b } of pairs) b.qp.postRecv(b.recv(b.qp.qpNum, 2500, 500));
    for (const { a, b } of pairs) {
      a.qp.postSend([
        { opcode: 'RDMA_WRITE', sgList: a.at(0, 2500), ...b.target(0) },
        { opcode: 'SEND', wrId: a.qp.qpNum, sgList: a.at(2500, 500), signaled: true },
      ]);
    }
    const sent = await bench.completions(sendCq, pairs.length);
    const received = await bench.completions(recvCq, pairs.length);
    const sorted = (numbers: number[]) => numbers.sort((x, y) => x - y);
    expectList(sorted(sent.map(({ wrId }) => wrId)), sorted(pairs.map(({ a }) => a.qp.qpNum)), 'senders');
    expectList(
      sorted(received.map(({ wrId }) => wrId)),
      sorted(pairs.map(({ b }) => b.qp.qpNum)),
      'receivers',
    );
    for (const { status, wrId, qpNum } of [...sent, ...received])
      expectEqual(`${status} ${wrId}`, `SUCCESS ${qpNum}`, 'completion');
    for (const { a, b } of pairs) expectBytes(b.memory, a.memory, `bytes of queue pair ${a.qp.qpNum}`);
  }),
  test('both directions at once', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair();
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      for (let at = 0; at < 8; at++) to.qp.postRecv(to.recv(at, 4096 + at * 500, 500));
      for (let at = 0; at < 8; at++)
        from.qp.postSend({ opcode: 'SEND', wrId: at, sgList: from.at(at * 500, 500), signaled: true });
    }
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      await bench.succeed(from.sendCq, ...Array(8).keys());
      await bench.succeed(to.recvCq, ...Array(8).keys());
      expectBytes(to.bytes(4096, 4000), from.bytes(0, 4000), 'content');
    }
  }),
  ...(['SEND', 'RDMA_WRITE', 'RDMA_READ'] as const satisfies readonly TransferOpcode[]).map((opcode) =>
    test(`loopback: ${opcode} between two queue pairs of one device`, [`RC:${opcode}`], async (bench) => {
      await exchange(bench, bench.pair({ loopback: true }), opcode, 3000);
    }),
  ),
  test('loopback: a datagram to a queue pair of the same device', ['UD:SEND', 'lossless'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UD', loopback: true });
    b.qp.postRecv(b.recv(1, 0, 256));
    a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 100), ...bench.route(a, b) });
    await bench.completion(b.recvCq, { wrId: 1, byteLen: 140, srcQp: a.qp.qpNum });
    expectBytes(b.bytes(40, 100), a.bytes(0, 100), 'content');
  }),
  test('a queue pair that is its own peer', ['RC:RDMA_WRITE'], async (bench) => {
    const end = bench.end(bench.left);
    const address = bench.address(end);
    bringUp(end, address, { sqPsn: 9, rqPsn: 9 });
    end.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 1,
      sgList: end.at(0, 3000),
      ...end.target(4000),
      signaled: true,
    });
    await bench.succeed(end.sendCq, 1);
    expectBytes(end.bytes(4000, 3000), end.bytes(0, 3000), 'content');
  }),
];
