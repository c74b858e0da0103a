import { emptyWorkCompletion } from '../work-completion.js';
import { expectEqual, expectList, expectRefused, expectThat } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { type ContractCase, casesOf } from './kit/case.js';

const test = casesOf('CQ');

/** Posts signalled one-byte WRITEs with these request ids. */
function writes({ a, b }: Pair, wrIds: readonly number[]): void {
  for (const wrId of wrIds)
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId, sgList: a.at(0, 1), ...b.target(0), signaled: true });
}

/** Lets all posted WRITEs end without polling their queue: short where time is virtual, generous where it is real. */
async function settled(bench: ContractBench): Promise<void> {
  const { clock } = bench.left;
  if (!bench.lossless) await clock.sleep(400e6);
  else await clock.sleep(clock.virtual ? 5e6 : 50e6);
}

/** Completion queues. */
export const completionCases: readonly ContractCase[] = [
  test('poll takes one at a time, oldest first', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair();
    writes(pair, [5, 6, 7]);
    await settled(bench);
    expectList(
      [pair.a.sendCq.poll(), pair.a.sendCq.poll(), pair.a.sendCq.poll(), pair.a.sendCq.poll()].map(
        (list) => list[0]?.wrId ?? -1,
      ),
      [5, 6, 7, -1],
      'request ids',
    );
  }),
  test('poll takes at most as many as asked for', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair();
    writes(pair, [1, 2, 3, 4, 5]);
    await settled(bench);
    expectList(
      [0, 2, 10, 10].map((max) => pair.a.sendCq.poll(max).length),
      [0, 2, 3, 0],
      'numbers of completions',
    );
  }),
  test('pollInto fills the given completions and only those it counts', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair();
    writes(pair, [11, 12, 13]);
    await settled(bench);
    const slots = [emptyWorkCompletion(), emptyWorkCompletion()];
    const [first, second] = slots;
    expectEqual(pair.a.sendCq.pollInto(slots), 2, 'count');
    expectThat(slots[0] === first && slots[1] === second, 'pollInto keeps the objects');
    expectList(
      slots.map(({ wrId }) => wrId),
      [11, 12],
      'request ids',
    );
    expectList(
      slots.map(({ opcode, qpNum }) => `${opcode} ${qpNum}`),
      Array(2).fill(`RDMA_WRITE ${pair.a.qp.qpNum}`),
      'fields',
    );
    expectEqual(pair.a.sendCq.pollInto(slots), 1, 'second count');
    expectList(
      slots.map(({ wrId }) => wrId),
      [13, 12],
      'request ids after the second call',
    );
    expectEqual(pair.a.sendCq.pollInto(slots), 0, 'third count');
  }),
  test('a completion taken stays as it was', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair();
    writes(pair, [1]);
    const [first] = await bench.succeed(pair.a.sendCq, 1);
    writes(pair, [2]);
    await bench.succeed(pair.a.sendCq, 2);
    expectEqual(first!.wrId, 1, 'request id of the first completion');
  }),
  test('one queue serves sends and receives of several queue pairs', ['RC:SEND'], async (bench) => {
    const cq = bench.cq(bench.left);
    const pairs = [1, 2, 3].map(() => bench.pair({ a: { sendCq: cq, recvCq: cq } }));
    for (const { a, b } of pairs) {
      a.qp.postRecv(a.recv(20, 0, 8));
      b.qp.postRecv(b.recv(30, 0, 8));
      a.qp.postSend({ opcode: 'SEND', wrId: 10, sgList: a.at(0, 8), signaled: true });
      b.qp.postSend({ opcode: 'SEND', sgList: b.at(0, 8) });
    }
    const found = await bench.completions(cq, 6);
    const seen = found.map(({ qpNum, wrId, opcode }) => `${qpNum} ${wrId} ${opcode}`).sort();
    expectList(
      seen,
      pairs.flatMap(({ a }) => [`${a.qp.qpNum} 10 SEND`, `${a.qp.qpNum} 20 RECV`]).sort(),
      'completions',
    );
  }),
  test('it holds at least what was asked for', [], async (bench) => {
    for (const cqe of [1, 7, 100]) expectThat(bench.cq(bench.left, { cqe }).cqe >= cqe, 'granted cqe');
  }),
  ...[0, -1, 1.5, Number.NaN].map((cqe) =>
    test(`${cqe} entries are refused`, [], async (bench) => {
      expectRefused('OUT_OF_RANGE', () => bench.left.createCq({ cqe }));
    }),
  ),
  test('more entries than the device has are refused', [], async (bench) => {
    expectRefused('OUT_OF_RANGE', () => bench.left.createCq({ cqe: bench.left.queryDevice().maxCqe + 1 }));
  }),
  test('resize keeps what is there, in order', ['cqResize', 'RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair({ a: { sendCq: bench.cq(bench.left, { cqe: 8 }) } });
    writes(pair, [1, 2, 3]);
    await settled(bench);
    expectEqual(pair.a.sendCq.poll()[0]?.wrId, 1, 'first completion');
    const larger = pair.a.sendCq.cqe * 2 + 1;
    pair.a.sendCq.resize(larger);
    expectThat(pair.a.sendCq.cqe >= larger, 'cqe after the resize');
    writes(pair, [4, 5]);
    await bench.succeed(pair.a.sendCq, 2, 3, 4, 5);
  }),
  test('resize gives the room it says', ['cqResize', 'RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair({ a: { sendCq: bench.cq(bench.left, { cqe: 2 }) } });
    pair.a.sendCq.resize(20);
    const wrIds = [...Array(20).keys()];
    writes(pair, wrIds);
    await settled(bench);
    expectList(
      pair.a.sendCq.poll(20).map(({ wrId }) => wrId),
      wrIds,
      'request ids',
    );
    expectEqual(pair.a.qp.state, 'RTS', 'state');
  }),
  test(
    'resize to fewer than it holds, or to nothing, is refused',
    ['cqResize', 'RC:RDMA_WRITE'],
    async (bench) => {
      const pair = bench.pair();
      writes(pair, [1, 2, 3]);
      await settled(bench);
      for (const cqe of [2, 0, -1, 2.5]) expectRefused('OUT_OF_RANGE', () => pair.a.sendCq.resize(cqe));
      await bench.succeed(pair.a.sendCq, 1, 2, 3);
    },
  ),
  test('an overrun kills the queue and moves its queue pairs to ERR', ['RC:RDMA_WRITE'], async (bench) => {
    const sendCq = bench.cq(bench.left, { cqe: 2 });
    const maxSendWr = sendCq.cqe + 1;
    if (maxSendWr > bench.left.queryDevice().maxQpWr)
      bench.skip('no send queue is longer than the smallest CQ');
    const pair = bench.pair({ a: { sendCq, cap: { maxSendWr } } });
    const bystander = bench.pair({ a: { recvCq: sendCq } });
    writes(pair, [...Array(maxSendWr).keys()]);
    expectEqual((await bench.event(bench.left, 'CQ_ERR')).cq, sendCq, 'queue of the event');
    await bench.until('the queue pair is in ERR', () => pair.a.qp.state === 'ERR');
    await bench.until('the other queue pair on it is in ERR', () => bystander.a.qp.state === 'ERR');
  }),
  test('exactly as many completions as it holds are no overrun', ['RC:RDMA_WRITE'], async (bench) => {
    const sendCq = bench.cq(bench.left, { cqe: 3 });
    const pair = bench.pair({ a: { sendCq, cap: { maxSendWr: sendCq.cqe } } });
    for (let round = 0; round < 3; round++) {
      const wrIds = [...Array(sendCq.cqe).keys()];
      writes(pair, wrIds);
      await settled(bench);
      expectList(
        sendCq.poll(sendCq.cqe).map(({ wrId }) => wrId),
        wrIds,
        'request ids',
      );
    }
    expectEqual(pair.a.qp.state, 'RTS', 'state');
  }),
  test(
    'destroying a queue pair removes its completions and leaves those of others',
    ['RC:RDMA_WRITE'],
    async (bench) => {
      const sendCq = bench.cq(bench.left);
      const [gone, kept] = [bench.pair({ a: { sendCq } }), bench.pair({ a: { sendCq } })];
      writes(gone, [1, 2]);
      writes(kept, [3]);
      writes(gone, [4]);
      await settled(bench);
      gone.a.qp.destroy();
      await bench.succeed(sendCq, 3);
      await bench.quiet(sendCq);
    },
  ),
  test(
    'time stamps are on the clock and never go back',
    ['completionTimestamps', 'RC:RDMA_WRITE'],
    async (bench) => {
      const pair = bench.pair();
      const { clock } = pair.a.context;
      let last = 0;
      for (let round = 0; round < 5; round++) {
        await clock.sleep(1000);
        const postedNs = clock.nowNs;
        writes(pair, [round]);
        const { timestampNs } = (await bench.succeed(pair.a.sendCq, round))[0]!;
        expectThat(timestampNs >= last, 'a time stamp is not older than the one before it');
        expectThat(timestampNs >= postedNs, 'a completion is not older than its request');
        expectThat(timestampNs <= clock.nowNs, 'a time stamp is not in the future');
        last = timestampNs;
      }
    },
  ),
];
