import { ACCESS_REMOTE, Access } from '../../access.js';
import type { QpType } from '../../queue-pair.js';
import type { SendWr, Sge } from '../../work-request.js';
import { expectBytes, expectEqual } from '../kit/assert.js';
import type { ContractBench } from '../kit/bench.js';
import { type ContractCase, casesOf } from '../kit/case.js';
import type { End } from '../kit/end.js';
import { REMOTE_OPERATIONS, remoteRequest } from '../operations.js';

/** A scatter-gather element that names memory which the queue pair may not use. */
interface Fault {
  what: string;
  sge(bench: ContractBench, end: End, length: number): Sge;
  /** Only where the memory is written to. */
  written?: boolean;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'a wrong lkey',
    sge: (_, end, length) => ({ ...end.sge(0, length), lkey: (end.mr.lkey ^ 0x5a) >>> 0 }),
  },
  {
    what: 'an lkey of another protection domain',
    sge: (bench, end, length) => {
      const foreign = bench.mr(bench.pd(end.context), end.memory);
      return { addr: foreign.addr, length, lkey: foreign.lkey };
    },
  },
  {
    what: 'memory one byte past the end',
    sge: (_, end, length) => end.sge(end.memory.length + 1 - length, length),
  },
  { what: 'memory one byte before the start', sge: (_, end, length) => end.sge(-1, length) },
  {
    what: 'memory without LOCAL_WRITE',
    written: true,
    sge: (bench, end, length) => {
      const weak = bench.mr(end.pd, end.memory, Access.REMOTE_READ);
      return { addr: weak.addr, length, lkey: weak.lkey };
    },
  },
];

const test = casesOf('local access');

const readers = [
  { opcode: 'SEND' as const, length: 16, writes: false },
  ...REMOTE_OPERATIONS.map(({ opcode, atomic, fetches }) => ({
    opcode,
    length: atomic ? 8 : 16,
    writes: fetches,
  })),
];

const reliable = readers.flatMap(({ opcode, length, writes }) =>
  FAULTS.filter(({ written }) => writes || !written).map((fault) =>
    test(
      `RC ${opcode} with ${fault.what} completes LOC_PROT_ERR and moves to ERR`,
      [`RC:${opcode}`],
      async (bench) => {
        const { a, b } = bench.pair();
        const far = b.copy(0, 64);
        const sge = fault.sge(bench, a, length);
        const near = a.copy(0, 64);
        b.qp.postRecv(b.recv(90, 0, 64));
        const bad: SendWr =
          opcode === 'SEND'
            ? { opcode, wrId: 2, sgList: [sge] }
            : remoteRequest(opcode, 2, [sge], b.target(0));
        a.qp.postSend([bad, { opcode: 'SEND', wrId: 3, sgList: a.at(0, 16) }]);
        await bench.completion(a.sendCq, { wrId: 2, status: 'LOC_PROT_ERR' });
        await bench.flushed(a.sendCq, 3);
        expectEqual(a.qp.state, 'ERR', 'state of the requester');
        if (writes) expectBytes(a.bytes(0, 64), near, 'local memory');
        else expectBytes(b.bytes(0, 64), far, 'remote memory');
      },
    ),
  ),
);

const receives = FAULTS.map((fault) =>
  test(
    `RC receive into ${fault.what} completes LOC_PROT_ERR, and REM_OP_ERR at the sender`,
    ['RC:SEND'],
    async (bench) => {
      const { a, b } = bench.pair();
      const before = b.copy(0, 64);
      b.qp.postRecv([{ wrId: 80, sgList: [fault.sge(bench, b, 16)] }, b.recv(81, 0, 16)]);
      a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 16), signaled: true });
      await bench.completion(b.recvCq, { wrId: 80, status: 'LOC_PROT_ERR' });
      await bench.flushed(b.recvCq, 81);
      await bench.refusedByPeer(a.sendCq, 1, 'REM_OP_ERR');
      expectEqual(a.qp.state, 'ERR', 'state of the sender');
      expectEqual(b.qp.state, 'ERR', 'state of the receiver');
      expectBytes(b.bytes(0, 64), before, 'memory of the receiver');
    },
  ),
);

const unreliable = (['UC', 'UD'] as const).flatMap((type: QpType) =>
  FAULTS.filter(({ written }) => !written).map((fault) =>
    test(
      `${type} SEND with ${fault.what} completes LOC_PROT_ERR, moves to SQE and recovers`,
      [`${type}:SEND`, 'lossless'],
      async (bench) => {
        const { a, b } = bench.pair({ type });
        const route = type === 'UD' ? bench.route(a, b) : {};
        b.qp.postRecv(b.recv(90, 0, 256));
        a.qp.postSend([
          { opcode: 'SEND', wrId: 1, sgList: [fault.sge(bench, a, 16)], ...route },
          { opcode: 'SEND', wrId: 2, sgList: a.at(0, 16), ...route },
        ]);
        await bench.completion(a.sendCq, { wrId: 1, status: 'LOC_PROT_ERR' });
        await bench.flushed(a.sendCq, 2);
        expectEqual(a.qp.state, 'SQE', 'state after the failure');
        a.qp.postSend({ opcode: 'SEND', wrId: 3, sgList: a.at(0, 16), ...route });
        await bench.flushed(a.sendCq, 3);
        a.qp.modify({ state: 'RTS' });
        a.qp.postSend({ opcode: 'SEND', wrId: 4, sgList: a.at(0, 16), signaled: true, ...route });
        await bench.succeed(a.sendCq, 4);
        await bench.completion(b.recvCq, { wrId: 90 });
      },
    ),
  ),
);

/** What a queue pair may touch on its own side. */
export const localAccessCases: readonly ContractCase[] = [
  ...reliable,
  ...receives,
  ...unreliable,
  test(
    'sending from memory without any right works: reading locally needs none',
    ['RC:SEND'],
    async (bench) => {
      const { a, b } = bench.pair({ a: { access: 0 } });
      b.qp.postRecv(b.recv(1, 0, 16));
      a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 16) });
      await bench.completion(b.recvCq, { byteLen: 16 });
      expectBytes(b.bytes(0, 16), a.bytes(0, 16), 'content');
    },
  ),
  test('a region deregistered under a request that waits: LOC_PROT_ERR', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    const short = bench.mr(a.pd, 64, Access.LOCAL_WRITE | ACCESS_REMOTE);
    a.qp.modify({ state: 'SQD' });
    const sgList = [{ addr: short.addr, length: 8, lkey: short.lkey }];
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 5, sgList, ...b.target(0) });
    short.dereg();
    a.qp.modify({ state: 'RTS' });
    await bench.completion(a.sendCq, { wrId: 5, status: 'LOC_PROT_ERR' });
  }),
  test(
    'RC receive that is too small completes LOC_LEN_ERR, and REM_INV_REQ_ERR at the sender',
    ['RC:SEND'],
    async (bench) => {
      const { a, b } = bench.pair();
      b.qp.postRecv([b.recv(2, 0, 63), b.recv(3, 0, 64)]);
      a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 64), signaled: true });
      await bench.completion(b.recvCq, { wrId: 2, status: 'LOC_LEN_ERR' });
      await bench.flushed(b.recvCq, 3);
      await bench.refusedByPeer(a.sendCq, 1, 'REM_INV_REQ_ERR');
      expectEqual(a.qp.state, 'ERR', 'state of the sender');
      expectEqual(b.qp.state, 'ERR', 'state of the receiver');
    },
  ),
];
