import type { Sge } from '../work-request.js';
import { expectBytes, expectEqual } from './kit/assert.js';
import { type ContractCase, casesOf } from './kit/case.js';
import type { End } from './kit/end.js';
import { type TransferOpcode, takesReceive } from './operations.js';
import { CARRIERS, needsOf } from './transfer.js';

/** Pieces of a region as offset and length; what an empty piece names does not matter, so it names nothing. */
type Pieces = readonly (readonly [number, number])[];

const LOCAL: Pieces = [
  [100, 700],
  [0, 0],
  [2000, 1],
  [3000, 1500],
];
const REMOTE: Pieces = [
  [5000, 1000],
  [0, 0],
  [200, 201],
  [7000, 1000],
];
const LENGTH = 2201;

function listOf(end: End, pieces: Pieces): Sge[] {
  return pieces.map(([offset, length]) =>
    length === 0 ? { addr: 0, length: 0, lkey: 0 } : end.sge(offset, length),
  );
}

function joined(end: End, pieces: Pieces): Uint8Array {
  return Uint8Array.from(pieces.flatMap(([offset, length]) => [...end.bytes(offset, length)]));
}

const lists = CARRIERS.map(([type, opcode]) =>
  casesOf(`${type} ${opcode}`)(
    `${describe(opcode)}, an empty element among them`,
    needsOf(type, opcode),
    async (bench) => {
      const { a, b } = bench.pair({ type });
      const common = { wrId: 3, signaled: true, sgList: listOf(a, LOCAL) };
      const send = opcode === 'SEND' || opcode === 'SEND_WITH_IMM';
      const far: Pieces = send ? REMOTE : [[1000, LENGTH]];
      const before = joined(b, far);
      if (takesReceive(opcode)) b.qp.postRecv({ wrId: 30, sgList: send ? listOf(b, REMOTE) : [] });
      if (opcode === 'SEND') a.qp.postSend({ opcode, ...common });
      else if (opcode === 'SEND_WITH_IMM') a.qp.postSend({ opcode, ...common, immData: 1 });
      else if (opcode === 'RDMA_WRITE_WITH_IMM')
        a.qp.postSend({ opcode, ...common, ...b.target(1000), immData: 1 });
      else a.qp.postSend({ opcode, ...common, ...b.target(1000) });
      await bench.succeed(a.sendCq, 3);
      if (takesReceive(opcode))
        expectEqual((await bench.completion(b.recvCq)).byteLen, LENGTH, 'bytes received');
      if (type !== 'RC') await bench.arrival();
      if (opcode === 'RDMA_READ') expectBytes(joined(a, LOCAL), before, 'scattered content');
      else expectBytes(joined(b, far), joined(a, LOCAL), 'gathered content');
    },
  ),
);

function describe(opcode: TransferOpcode): string {
  if (opcode === 'RDMA_READ') return 'the answer is scattered over several elements';
  return takesReceive(opcode) && opcode !== 'RDMA_WRITE_WITH_IMM'
    ? 'gathers and scatters elements'
    : 'gathers several elements';
}

const rc = casesOf('RC SEND');

/** Scatter-gather lists of every operation. */
export const scatterGatherCases: readonly ContractCase[] = [
  ...lists,
  rc(
    'a message shorter than the receive leaves the rest of the receive alone',
    ['RC:SEND'],
    async (bench) => {
      const { a, b } = bench.pair();
      const before = b.copy(0, 512);
      b.qp.postRecv({ wrId: 1, sgList: [b.sge(0, 100), b.sge(100, 100), b.sge(200, 100)] });
      a.qp.postSend({ opcode: 'SEND', sgList: a.at(1000, 150) });
      expectEqual((await bench.completion(b.recvCq)).byteLen, 150, 'bytes received');
      expectBytes(b.bytes(0, 150), a.bytes(1000, 150), 'the message');
      expectBytes(b.bytes(150, 362), before.subarray(150), 'the rest');
    },
  ),
  rc('as many elements as the queue was created with are taken', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair();
    const count = Math.min(a.qp.cap.maxSendSge, b.qp.cap.maxRecvSge);
    const sgList = Array.from({ length: count }, (_, at) => a.sge(at * 16, 16));
    b.qp.postRecv({ sgList: Array.from({ length: count }, (_, at) => b.sge(4000 + at * 16, 16)) });
    a.qp.postSend({ opcode: 'SEND', sgList });
    await bench.completion(b.recvCq, { byteLen: 16 * count });
    expectBytes(b.bytes(4000, 16 * count), a.bytes(0, 16 * count), 'the message');
  }),
];
