import type { SendWr } from '../work-request.js';
import { expectBytes, expectEqual, expectList } from './kit/assert.js';
import { type ContractCase, casesOf } from './kit/case.js';
import { readWord, writeWord } from './kit/pattern.js';
import { alignedOffset } from './operations.js';

const test = casesOf('ordering');

/** The order in which work is done and reported, and which completions are asked for. */
export const orderingCases: readonly ContractCase[] = [
  test(
    'READs, WRITEs, SENDs and atomics complete in the order of posting',
    ['RC:RDMA_READ', 'RC:RDMA_WRITE', 'RC:SEND', 'RC:ATOMIC_FETCH_AND_ADD'],
    async (bench) => {
      const { a, b } = bench.pair();
      const list: SendWr[] = [];
      for (let round = 0; round < 6; round++) {
        b.qp.postRecv(b.recv(100 + round, 7000, 16));
        const common = { signaled: true, sgList: a.at(64 * round, 64), ...b.target(1024) };
        list.push({ opcode: 'RDMA_READ', wrId: list.length, ...common, sgList: a.at(2048, 2048) });
        list.push({ opcode: 'RDMA_WRITE', wrId: list.length, ...common });
        list.push({ opcode: 'SEND', wrId: list.length, signaled: true, sgList: a.at(0, 16) });
        list.push({
          opcode: 'ATOMIC_FETCH_AND_ADD',
          wrId: list.length,
          ...common,
          ...b.target(alignedOffset(b.mr.iova)),
          sgList: a.at(0, 8),
          compareAdd: 1n,
        });
      }
      a.qp.postSend(list);
      const found = await bench.succeed(a.sendCq, ...list.keys());
      expectList(
        found.slice(0, 4).map(({ opcode }) => opcode),
        ['RDMA_READ', 'RDMA_WRITE', 'SEND', 'FETCH_ADD'],
        'opcodes',
      );
    },
  ),
  ...(['RC', 'UC', 'UD'] as const).map((type) =>
    test(
      `${type} messages fill the receives in the order of sending`,
      [`${type}:SEND`, ...(type === 'RC' ? [] : (['lossless'] as const))],
      async (bench) => {
        const { a, b } = bench.pair({ type, both: { memory: 16 * 1024 } });
        const grh = type === 'UD' ? 40 : 0;
        const route = type === 'UD' ? bench.route(a, b) : {};
        const count = 24;
        for (let at = 0; at < count; at++) b.qp.postRecv(b.recv(at, at * 512, 512));
        for (let at = 0; at < count; at++)
          a.qp.postSend({ opcode: 'SEND', sgList: a.at(at * 300, 300 + at), ...route });
        const found = await bench.succeed(b.recvCq, ...Array(count).keys());
        found.forEach(({ byteLen }, at) => {
          expectEqual(byteLen, 300 + at + grh, `length of message ${at}`);
          expectBytes(b.bytes(at * 512 + grh, 300 + at), a.bytes(at * 300, 300 + at), `message ${at}`);
        });
      },
    ),
  ),
  test(
    'a WRITE is in place when the receive of a later SEND completes',
    ['RC:RDMA_WRITE', 'RC:SEND'],
    async (bench) => {
      const { a, b } = bench.pair({ both: { memory: 70_000 } });
      b.qp.postRecv(b.recv(1, 0, 16));
      a.qp.postSend([
        { opcode: 'RDMA_WRITE', sgList: a.at(1000, 65_000), ...b.target(1000) },
        { opcode: 'SEND', sgList: a.at(0, 1) },
      ]);
      await bench.completion(b.recvCq);
      expectBytes(b.bytes(1000, 65_000), a.bytes(1000, 65_000), 'the WRITE');
    },
  ),
  test(
    'whoever sees the last byte of a WRITE sees all of it',
    ['RC:RDMA_WRITE', 'inOrderPlacement'],
    async (bench) => {
      const bytes = 32 * 1024;
      const { a, b } = bench.pair({ both: { memory: bytes }, attr: { pathMtu: 1024 } });
      a.memory[bytes - 1] = 1;
      // Several, since what comes out of order shows only where packets are lost or overtaken.
      for (let round = 0; round < 8; round++) {
        b.memory.fill(0);
        a.qp.postSend({
          opcode: 'RDMA_WRITE',
          wrId: round,
          sgList: a.at(0, bytes),
          ...b.target(0),
          signaled: true,
        });
        await bench.seen(b, bytes - 1);
        expectBytes(b.bytes(0, bytes), a.bytes(0, bytes), `WRITE ${round}`);
        await bench.succeed(a.sendCq, round);
      }
    },
  ),
  test(
    'a READ behind a WRITE of the same memory sees the WRITE',
    ['RC:RDMA_WRITE', 'RC:RDMA_READ'],
    async (bench) => {
      const { a, b } = bench.pair();
      a.qp.postSend([
        { opcode: 'RDMA_WRITE', sgList: a.at(0, 3000), ...b.target(0) },
        { opcode: 'RDMA_READ', wrId: 2, sgList: a.at(4000, 3000), ...b.target(0), signaled: true },
      ]);
      await bench.succeed(a.sendCq, 2);
      expectBytes(a.bytes(4000, 3000), a.bytes(0, 3000), 'what was read');
    },
  ),
  test('a fenced SEND behind a READ sends what was read', ['RC:RDMA_READ', 'RC:SEND'], async (bench) => {
    const { a, b } = bench.pair();
    b.qp.postRecv(b.recv(1, 4096, 3000));
    a.qp.postSend([
      { opcode: 'RDMA_READ', sgList: a.at(0, 3000), ...b.target(0) },
      { opcode: 'SEND', sgList: a.at(0, 3000), fence: true },
    ]);
    await bench.completion(b.recvCq, { byteLen: 3000 });
    expectBytes(b.bytes(4096, 3000), b.bytes(0, 3000), 'what came back');
  }),
  test(
    'a fenced WRITE behind an atomic writes what it returned',
    ['RC:ATOMIC_FETCH_AND_ADD', 'RC:RDMA_WRITE'],
    async (bench) => {
      const { a, b } = bench.pair();
      const offset = alignedOffset(b.mr.iova);
      writeWord(b.memory, offset, 77n);
      a.qp.postSend([
        { opcode: 'ATOMIC_FETCH_AND_ADD', sgList: a.at(0, 8), ...b.target(offset), compareAdd: 1n },
        {
          opcode: 'RDMA_WRITE',
          wrId: 2,
          sgList: a.at(0, 8),
          ...b.target(offset + 8),
          fence: true,
          signaled: true,
        },
      ]);
      await bench.succeed(a.sendCq, 2);
      expectEqual(readWord(b.memory, offset + 8), 77n, 'what was written');
      expectEqual(readWord(b.memory, offset), 78n, 'the sum');
    },
  ),
  test('more READs than maxRdAtomic wait their turn and all succeed', ['RC:RDMA_READ'], async (bench) => {
    for (const [maxRdAtomic, maxDestRdAtomic] of [
      [1, 1],
      [2, 4],
    ]) {
      const { a, b } = bench.pair({ attrA: { maxRdAtomic }, attrB: { maxDestRdAtomic } });
      const count = 16;
      for (let at = 0; at < count; at++) {
        a.qp.postSend({
          opcode: 'RDMA_READ',
          wrId: at,
          sgList: a.at(at * 300, 300),
          ...b.target(at * 400),
          signaled: true,
        });
      }
      await bench.succeed(a.sendCq, ...Array(count).keys());
      for (let at = 0; at < count; at++)
        expectBytes(a.bytes(at * 300, 300), b.bytes(at * 400, 300), `READ ${at}`);
    }
  }),
  test('unsignalled requests complete silently', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    for (let at = 0; at < 6; at++) {
      a.qp.postSend({
        opcode: 'RDMA_WRITE',
        wrId: at,
        sgList: a.at(at * 10, 10),
        ...b.target(at * 10),
        signaled: at % 3 === 2,
      });
    }
    await bench.succeed(a.sendCq, 2, 5);
    await bench.quiet(a.sendCq);
    expectBytes(b.bytes(0, 60), a.bytes(0, 60), 'content');
  }),
  test('with sqSigAll every request completes', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair({ a: { sqSigAll: true } });
    expectEqual(a.qp.sqSigAll, true, 'sqSigAll');
    for (let at = 0; at < 4; at++) {
      a.qp.postSend({
        opcode: 'RDMA_WRITE',
        wrId: at,
        sgList: a.at(at, 1),
        ...b.target(at),
        signaled: at % 2 === 0,
      });
    }
    await bench.succeed(a.sendCq, 0, 1, 2, 3);
  }),
  test('an unsignalled request that fails completes', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 6,
      sgList: a.at(0, 8),
      ...b.target(0),
      rkey: (b.mr.rkey ^ 1) >>> 0,
      signaled: false,
    });
    await bench.refusedByPeer(a.sendCq, 6, 'REM_ACCESS_ERR');
  }),
  test('a request may be changed as soon as it is posted', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    const sge = a.sge(0, 64);
    const wr = { opcode: 'RDMA_WRITE' as const, wrId: 1, sgList: [sge], ...b.target(0), signaled: true };
    a.qp.modify({ state: 'SQD' });
    a.qp.postSend(wr);
    sge.addr += 1000;
    wr.wrId = 2;
    wr.remoteAddr += 64;
    a.qp.postSend(wr);
    wr.sgList.pop();
    a.qp.modify({ state: 'RTS' });
    await bench.succeed(a.sendCq, 1, 2);
    expectBytes(b.bytes(0, 64), a.bytes(0, 64), 'the first request');
    expectBytes(b.bytes(64, 64), a.bytes(1000, 64), 'the second request');
  }),
];
