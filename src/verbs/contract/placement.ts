import type { QueuePlacement } from '../queue-pair.js';
import { expectBytes, expectRefused } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';

const test = casesOf('placement');
const NEEDS: readonly Need[] = ['queuePlacements', 'RC:SEND'];
const NOWHERE = 'a place that no host has';

/** Sends one message from `a` to `b`, into a receive that is posted there or by the caller. */
async function exchange(bench: ContractBench, { a, b }: Pair, what: string): Promise<void> {
  a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 300), signaled: true });
  await bench.succeed(a.sendCq, 1);
  await bench.completion(b.recvCq, { wrId: 2, byteLen: 300 });
  expectBytes(b.bytes(1000, 300), a.bytes(0, 300), what);
}

/** Where queues lie. */
export const placementCases: readonly ContractCase[] = [
  test('messages go through send and receive queues in any place', NEEDS, async (bench) => {
    const queues: readonly (keyof QueuePlacement)[] = ['sendQueue', 'receiveQueue'];
    for (const place of bench.left.placements()) {
      for (const queue of queues) {
        const pair = bench.pair({ both: { placement: { [queue]: place } } });
        pair.b.qp.postRecv(pair.b.recv(2, 1000, 300));
        await exchange(bench, pair, `with the ${queue} at ${place}`);
      }
    }
  }),
  test('completions come to queues in any place', NEEDS, async (bench) => {
    for (const placement of bench.left.placements()) {
      const sendCq = bench.cq(bench.left, { placement });
      const recvCq = bench.cq(bench.right, { placement });
      const pair = bench.pair({ a: { sendCq }, b: { recvCq } });
      pair.b.qp.postRecv(pair.b.recv(2, 1000, 300));
      await exchange(bench, pair, `with completion queues at ${placement}`);
    }
  }),
  test('shared receive queues may lie in any place', [...NEEDS, 'srq'], async (bench) => {
    for (const placement of bench.right.placements()) {
      const pd = bench.pd(bench.right);
      const srq = bench.srq(pd, { placement });
      const pair = bench.pair({ b: { pd, srq } });
      srq.postRecv(pair.b.recv(2, 1000, 300));
      await exchange(bench, pair, `with a shared receive queue at ${placement}`);
    }
  }),
  test('a place that the host does not have is refused', [...NEEDS, 'srq'], async (bench) => {
    const pd = bench.pd(bench.left);
    expectRefused('OUT_OF_RANGE', () => bench.cq(bench.left, { placement: NOWHERE }), { field: 'placement' });
    expectRefused('OUT_OF_RANGE', () => bench.srq(pd, { placement: NOWHERE }), { field: 'placement' });
    for (const queue of ['sendQueue', 'receiveQueue'])
      expectRefused('OUT_OF_RANGE', () => bench.end(bench.left, { placement: { [queue]: NOWHERE } }), {
        field: `placement.${queue}`,
      });
  }),
  test('with a shared receive queue there is no other to place', [...NEEDS, 'srq'], async (bench) => {
    const pd = bench.pd(bench.left);
    const placement = { receiveQueue: bench.left.placements()[0] };
    expectRefused('OUT_OF_RANGE', () => bench.end(bench.left, { pd, srq: bench.srq(pd), placement }), {
      field: 'placement.receiveQueue',
    });
  }),
];
