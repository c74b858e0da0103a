import type { SharedReceiveQueue } from '../shared-receive-queue.js';
import { expectBytes, expectEqual, expectList, expectRefused, thrownBy } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';

const test = casesOf('SRQ');
const NEEDS: readonly Need[] = ['srq', 'RC:SEND'];

interface Shared {
  pairs: Pair[];
  srq: SharedReceiveQueue;
}

function shared(bench: ContractBench, count = 2): Shared {
  const pd = bench.pd(bench.right);
  const srq = bench.srq(pd);
  const recvCq = bench.cq(bench.right);
  return { srq, pairs: Array.from({ length: count }, () => bench.pair({ b: { pd, srq, recvCq } })) };
}

async function send(bench: ContractBench, { a }: Pair, length = 64): Promise<void> {
  a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, length), signaled: true });
  await bench.succeed(a.sendCq, 1);
}

/** Receives shared among queue pairs. */
export const sharedReceiveCases: readonly ContractCase[] = [
  test('queue pairs take receives first come, first served', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench);
    const sink = pairs[0]!.b;
    expectEqual(sink.qp.srq, srq, 'srq of the queue pair');
    for (let at = 0; at < 6; at++) srq.postRecv(sink.recv(at, at * 100, 100));
    const order = [0, 1, 1, 0, 1, 0];
    for (const [at, which] of order.entries()) {
      await send(bench, pairs[which]!, 90 + at);
      await bench.completion(sink.recvCq, { wrId: at, qpNum: pairs[which]!.b.qp.qpNum, byteLen: 90 + at });
      expectBytes(sink.bytes(at * 100, 90 + at), pairs[which]!.a.bytes(0, 90 + at), `message ${at}`);
    }
  }),
  test('a list of receives is taken in its order', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench, 1);
    const { a, b } = pairs[0]!;
    srq.postRecv([b.recv(3, 0, 10), b.recv(1, 10, 10), b.recv(2, 20, 10)]);
    for (let at = 0; at < 3; at++) a.qp.postSend({ opcode: 'SEND', sgList: a.at(at, 10) });
    await bench.succeed(b.recvCq, 3, 1, 2);
  }),
  test('falling below the limit raises one event', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench, 1);
    const { b } = pairs[0]!;
    for (let at = 0; at < 5; at++) srq.postRecv(b.recv(at, 0, 100));
    srq.setLimit(3);
    for (let at = 0; at < 2; at++) await send(bench, pairs[0]!);
    expectEqual(bench.nextEvent(bench.right), null, 'event while 3 are left');
    await send(bench, pairs[0]!);
    expectEqual((await bench.event(bench.right, 'SRQ_LIMIT_REACHED')).srq, srq, 'SRQ of the event');
    await send(bench, pairs[0]!);
    await bench.right.clock.sleep(1e6);
    expectEqual(bench.nextEvent(bench.right), null, 'second event');
  }),
  test('a limit of zero disarms', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench, 1);
    for (let at = 0; at < 3; at++) srq.postRecv(pairs[0]!.b.recv(at, 0, 100));
    srq.setLimit(3);
    srq.setLimit(0);
    for (let at = 0; at < 3; at++) await send(bench, pairs[0]!);
    await bench.right.clock.sleep(1e6);
    expectEqual(bench.nextEvent(bench.right), null, 'event');
  }),
  test('a limit that is negative, fractional or beyond maxWr is refused', NEEDS, async (bench) => {
    const { srq } = shared(bench, 0);
    for (const limit of [-1, 1.5, srq.maxWr + 1]) expectRefused('OUT_OF_RANGE', () => srq.setLimit(limit));
  }),
  test('more receives than it holds are refused, with the position', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench, 1);
    const { a, b } = pairs[0]!;
    const list = Array.from({ length: srq.maxWr + 1 }, (_, at) => b.recv(at, 0, 16));
    expectRefused('QUEUE_FULL', () => srq.postRecv(list), { badWrIndex: srq.maxWr });
    expectRefused('QUEUE_FULL', () => srq.postRecv(b.recv(99, 0, 16)));
    a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 16) });
    await bench.completion(b.recvCq, { wrId: 0 });
    srq.postRecv(b.recv(99, 0, 16));
  }),
  test('a receive with too many elements is refused', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench, 1);
    const { b } = pairs[0]!;
    const sgList = Array.from({ length: srq.maxSge + 1 }, () => b.sge(0, 1));
    expectRefused('TOO_MANY_SGE', () => srq.postRecv([b.recv(1, 0, 16), { sgList }]), { badWrIndex: 1 });
    await send(bench, pairs[0]!, 16);
    await bench.completion(b.recvCq, { wrId: 1 });
  }),
  test('postRecv on a queue pair that uses one is refused', NEEDS, async (bench) => {
    const { b } = shared(bench, 1).pairs[0]!;
    thrownBy(() => b.qp.postRecv(b.recv(1, 0, 16)));
  }),
  test('empty: the sender waits, and goes on when a receive is posted', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench, 1);
    const { a, b } = pairs[0]!;
    a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 64), signaled: true });
    await bench.quiet(a.sendCq, b.recvCq);
    srq.postRecv(b.recv(5, 0, 64));
    await bench.succeed(a.sendCq, 1);
    await bench.completion(b.recvCq, { wrId: 5, byteLen: 64 });
  }),
  test('its receives outlive a queue pair that fails or is destroyed', NEEDS, async (bench) => {
    const { srq, pairs } = shared(bench, 3);
    const [failed, destroyed, kept] = pairs as [Pair, Pair, Pair];
    srq.postRecv([kept.b.recv(1, 0, 64), kept.b.recv(2, 64, 64)]);
    failed.b.qp.modify({ state: 'ERR' });
    destroyed.b.qp.destroy();
    await bench.quiet(kept.b.recvCq);
    await send(bench, kept);
    await send(bench, kept);
    await bench.succeed(kept.b.recvCq, 1, 2);
  }),
  test('serves datagrams', ['srq', 'UD:SEND', 'lossless'], async (bench) => {
    const pd = bench.pd(bench.right);
    const srq = bench.srq(pd);
    const { a, b } = bench.pair({ type: 'UD', b: { pd, srq } });
    srq.postRecv(b.recv(4, 0, 256));
    a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 64), ...bench.route(a, b) });
    await bench.completion(b.recvCq, { wrId: 4, byteLen: 104, srcQp: a.qp.qpNum });
    expectList([...b.bytes(40, 64)], [...a.bytes(0, 64)], 'content');
  }),
];
