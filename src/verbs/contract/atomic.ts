import type { WcOpcode } from '../work-completion.js';
import { expectEqual, expectRefused } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { type ContractCase, casesOf } from './kit/case.js';
import { readWord, writeWord } from './kit/pattern.js';
import { alignedOffset } from './operations.js';

const CAS = 'ATOMIC_CMP_AND_SWP';
const FAA = 'ATOMIC_FETCH_AND_ADD';
const TOP = 2n ** 64n - 1n;

/** One atomic operation: the value before, the operands, the value after. */
interface Row {
  what: string;
  opcode: typeof CAS | typeof FAA;
  before: bigint;
  compareAdd: bigint;
  swap?: bigint;
  after: bigint;
}

const ROWS: readonly Row[] = [
  {
    what: 'CAS that matches swaps',
    opcode: CAS,
    before: 0x0123456789abcdefn,
    compareAdd: 0x0123456789abcdefn,
    swap: 42n,
    after: 42n,
  },
  {
    what: 'CAS that differs in the top bit leaves the value',
    opcode: CAS,
    before: 5n,
    compareAdd: 5n + 2n ** 63n,
    swap: 42n,
    after: 5n,
  },
  {
    what: 'CAS that differs in the lowest bit leaves the value',
    opcode: CAS,
    before: TOP,
    compareAdd: TOP - 1n,
    swap: 0n,
    after: TOP,
  },
  {
    what: 'FAA adds across the 32-bit halves',
    opcode: FAA,
    before: 0xffffffffn,
    compareAdd: 1n,
    after: 0x100000000n,
  },
  { what: 'FAA wraps at 2^64', opcode: FAA, before: TOP - 1n, compareAdd: 5n, after: 3n },
  {
    what: 'FAA of zero reads',
    opcode: FAA,
    before: 0x8000000000000001n,
    compareAdd: 0n,
    after: 0x8000000000000001n,
  },
];

const test = casesOf('atomics');

function post(
  { a, b }: Pair,
  row: Pick<Row, 'opcode' | 'compareAdd' | 'swap'>,
  wrId: number,
  offset: number,
): void {
  const common = {
    wrId,
    sgList: a.at(8, 8),
    signaled: true,
    ...b.target(offset),
    compareAdd: row.compareAdd,
  };
  if (row.opcode === CAS) a.qp.postSend({ opcode: CAS, ...common, swap: row.swap ?? 0n });
  else a.qp.postSend({ opcode: FAA, ...common });
}

async function one(bench: ContractBench, row: Row): Promise<void> {
  const pair = bench.pair();
  const { a, b } = pair;
  const offset = alignedOffset(b.mr.iova) + 64;
  writeWord(b.memory, offset, row.before);
  const around = [readWord(b.memory, offset - 8), readWord(b.memory, offset + 8)];
  post(pair, row, 4, offset);
  const opcode: WcOpcode = row.opcode === CAS ? 'COMP_SWAP' : 'FETCH_ADD';
  await bench.completion(a.sendCq, { wrId: 4, opcode, byteLen: 8 });
  expectEqual(readWord(a.memory, 8), row.before, 'value returned');
  expectEqual(readWord(b.memory, offset), row.after, 'value left');
  expectEqual(readWord(b.memory, offset - 8), around[0], 'the word before');
  expectEqual(readWord(b.memory, offset + 8), around[1], 'the word after');
}

/** Compare and swap, fetch and add. */
export const atomicCases: readonly ContractCase[] = [
  ...ROWS.map((row) =>
    test(`RC ${row.what} and returns the old one`, [`RC:${row.opcode}`], (bench) => one(bench, row)),
  ),
  test('every FAA of two queue pairs counts once', [`RC:${FAA}`], async (bench) => {
    const first = bench.pair();
    const second = bench.pair({ b: { pd: first.b.pd } });
    const offset = alignedOffset(first.b.mr.iova);
    writeWord(first.b.memory, offset, 0n);
    const seen = new Set<bigint>();
    for (let round = 0; round < 8; round++) {
      for (const { a } of [first, second])
        post({ a, b: first.b }, { opcode: FAA, compareAdd: 1n }, round, offset);
      for (const { a } of [first, second]) {
        await bench.succeed(a.sendCq, round);
        seen.add(readWord(a.memory, 8));
      }
    }
    expectEqual(readWord(first.b.memory, offset), 16n, 'sum');
    expectEqual(seen.size, 16, 'distinct old values');
  }),
  ...[CAS, FAA].flatMap((opcode) =>
    [0, 7, 9, 16].map((length) =>
      test(
        `${opcode} with ${length} bytes of local memory is refused`,
        [`RC:${opcode as typeof CAS}`],
        async (bench) => {
          const { a, b } = bench.pair();
          const wr = {
            opcode: CAS,
            sgList: a.at(0, length),
            ...b.target(0),
            compareAdd: 0n,
            swap: 0n,
          } as const;
          expectRefused('BAD_WORK_REQUEST', () =>
            a.qp.postSend(opcode === CAS ? wr : { ...wr, opcode: FAA }),
          );
          await bench.quiet(a.sendCq);
          expectEqual(a.qp.state, 'RTS', 'state');
        },
      ),
    ),
  ),
  test(
    'a READ or atomic on a queue pair with maxRdAtomic 0 completes LOC_QP_OP_ERR',
    [`RC:${FAA}`, 'RC:RDMA_READ'],
    async (bench) => {
      for (const kind of ['atomic', 'READ']) {
        const pair = bench.pair({ attrA: { maxRdAtomic: 0 } });
        const { a, b } = pair;
        if (kind === 'atomic') post(pair, { opcode: FAA, compareAdd: 1n }, 1, alignedOffset(b.mr.iova));
        else a.qp.postSend({ opcode: 'RDMA_READ', wrId: 1, sgList: a.at(0, 8), ...b.target(0) });
        await bench.completion(a.sendCq, { wrId: 1, status: 'LOC_QP_OP_ERR' });
        expectEqual(a.qp.state, 'ERR', 'state');
      }
    },
  ),
];
