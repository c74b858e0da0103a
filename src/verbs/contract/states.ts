import type { QpState, QpType } from '../queue-pair.js';
import { expectBytes, expectEqual, expectRefused } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { bringTo, bringUp, firstPsn } from './kit/bring-up.js';
import { type ContractCase, casesOf } from './kit/case.js';
import { exchange } from './operations.js';

const test = casesOf('queue states');
const TYPES: readonly QpType[] = ['RC', 'UC', 'UD'];
const QUARTER_OF_PSNS = 0x400000;

/** Which queue takes requests in which state. */
const REFUSING: readonly (readonly [Exclude<QpState, 'SQE'>, 'send' | 'receive'])[] = [
  ['RESET', 'send'],
  ['RESET', 'receive'],
  ['INIT', 'send'],
  ['RTR', 'send'],
];

/** Posts a SEND that cannot end (no receive at the peer, retried forever) and two more behind it. */
function stuck({ a }: Pair): void {
  for (const wrId of [1, 2, 3])
    a.qp.postSend({ opcode: 'SEND', wrId, sgList: a.at(0, 8), signaled: wrId === 2 });
}

/**
 * Connects two ends again and uses them. With the PSNs of the last connection they would take its packets that are
 * still in flight for their own: a new connection begins with PSNs that are far from those.
 */
async function up(bench: ContractBench, { a, b }: Pair): Promise<void> {
  const [fromA, fromB] = [a, b].map(({ qp }) => (firstPsn(qp.qpNum) + QUARTER_OF_PSNS) & 0xffffff);
  bringUp(a, bench.address(b), { sqPsn: fromA, rqPsn: fromB });
  bringUp(b, bench.address(a), { sqPsn: fromB, rqPsn: fromA });
  await exchange(bench, { a, b }, 'SEND', 100);
}

/** What the states do to requests. */
export const stateCases: readonly ContractCase[] = [
  ...TYPES.flatMap((type) =>
    REFUSING.map(([state, queue]) =>
      test(`${type} in ${state} refuses a ${queue}`, [`${type}:SEND`], async (bench) => {
        const { a, b } = {
          a: bench.end(bench.left, { qpType: type }),
          b: bench.end(bench.right, { qpType: type }),
        };
        bringTo(state, a, bench.address(b));
        const route = type === 'UD' ? bench.route(a, b) : {};
        if (queue === 'receive') expectRefused('WRONG_STATE', () => a.qp.postRecv(a.recv(1, 0, 8)));
        else
          expectRefused('WRONG_STATE', () => a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 8), ...route }));
      }),
    ),
  ),
  test('receives posted in INIT and RTR are used', ['RC:SEND'], async (bench) => {
    const [a, b] = [bench.end(bench.left), bench.end(bench.right)];
    bringTo('INIT', b, bench.address(a));
    b.qp.postRecv(b.recv(1, 0, 8));
    bringUp(b, bench.address(a), {}, 'RTR');
    b.qp.postRecv(b.recv(2, 8, 8));
    bringUp(a, bench.address(b));
    for (const at of [0, 8]) a.qp.postSend({ opcode: 'SEND', sgList: a.at(at, 8) });
    await bench.succeed(b.recvCq, 1, 2);
    expectBytes(b.bytes(0, 16), a.bytes(0, 16), 'content');
  }),
  test(
    'to ERR: the send queue is flushed, then the receive queue, each in order',
    ['RC:SEND'],
    async (bench) => {
      const cq = bench.cq(bench.left);
      const pair = bench.pair({ a: { sendCq: cq, recvCq: cq } });
      const { a } = pair;
      for (const wrId of [11, 12]) a.qp.postRecv(a.recv(wrId, 0, 8));
      stuck(pair);
      a.qp.modify({ state: 'ERR' });
      await bench.flushed(cq, 1, 2, 3, 11, 12);
      await bench.quiet(cq);
    },
  ),
  ...TYPES.map((type) =>
    test(`${type} in ERR flushes what is posted`, [`${type}:SEND`], async (bench) => {
      const { a, b } = bench.pair({ type });
      a.qp.modify({ state: 'ERR' });
      a.qp.postSend({
        opcode: 'SEND',
        wrId: 4,
        sgList: a.at(0, 8),
        ...(type === 'UD' ? bench.route(a, b) : {}),
      });
      a.qp.postRecv(a.recv(5, 0, 8));
      await bench.flushed(a.sendCq, 4);
      await bench.flushed(a.recvCq, 5);
    }),
  ),
  test('to RESET: requests vanish without completions', ['RC:SEND'], async (bench) => {
    const pair = bench.pair();
    pair.a.qp.postRecv(pair.a.recv(11, 0, 8));
    stuck(pair);
    pair.a.qp.modify({ state: 'RESET' });
    await bench.quiet(pair.a.sendCq, pair.a.recvCq);
  }),
  test('after ERR and RESET both ends come up again and work', ['RC:SEND'], async (bench) => {
    const pair = bench.pair();
    stuck(pair);
    for (const { qp } of [pair.a, pair.b]) qp.modify({ state: 'ERR' });
    for (const { qp } of [pair.a, pair.b]) qp.modify({ state: 'RESET' });
    pair.a.sendCq.poll(10);
    await up(bench, pair);
  }),
  test('to RESET and up again: the queues are empty', ['RC:SEND'], async (bench) => {
    const pair = bench.pair();
    const { a, b } = pair;
    b.qp.postRecv(b.recv(44, 4000, 8));
    const depth = a.qp.cap.maxSendWr;
    a.qp.postRecv(Array.from({ length: a.qp.cap.maxRecvWr }, () => a.recv(0, 0, 8)));
    for (let at = 0; at < depth; at++)
      a.qp.postSend({ opcode: 'RDMA_WRITE', sgList: [], remoteAddr: 0, rkey: 0 });
    for (const { qp } of [a, b]) qp.modify({ state: 'RESET' });
    await up(bench, pair);
    a.qp.postRecv(Array.from({ length: a.qp.cap.maxRecvWr }, () => a.recv(0, 0, 8)));
  }),
  test('SQD takes sends and holds them until RTS', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    const before = b.copy(0, 64);
    a.qp.modify({ state: 'SQD' });
    for (const wrId of [1, 2])
      a.qp.postSend({ opcode: 'RDMA_WRITE', wrId, sgList: a.at(0, 64), ...b.target(0), signaled: true });
    await bench.quiet(a.sendCq);
    expectBytes(b.bytes(0, 64), before, 'memory while held');
    a.qp.modify({ state: 'RTS' });
    await bench.succeed(a.sendCq, 1, 2);
    expectBytes(b.bytes(0, 64), a.bytes(0, 64), 'memory after release');
  }),
  test('SQD still receives and serves the peer', ['RC:SEND', 'RC:RDMA_READ'], async (bench) => {
    const { a, b } = bench.pair();
    a.qp.modify({ state: 'SQD' });
    a.qp.postRecv(a.recv(7, 0, 64));
    b.qp.postSend([
      { opcode: 'SEND', wrId: 1, sgList: b.at(64, 64), signaled: true },
      { opcode: 'RDMA_READ', wrId: 2, sgList: b.at(128, 64), ...a.target(128), signaled: true },
    ]);
    await bench.succeed(b.sendCq, 1, 2);
    await bench.completion(a.recvCq, { wrId: 7 });
  }),
  test('SQD says SQ_DRAINED when asked to, after what was in progress', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, 4096), ...b.target(0), signaled: true });
    a.qp.modify({ state: 'SQD', enSqdAsyncNotify: true });
    expectEqual((await bench.event(bench.left, 'SQ_DRAINED')).qp, a.qp, 'queue pair of the event');
    // Whether the WRITE had begun is the device's affair; if it had, it is complete now.
    const early = a.sendCq.poll().length;
    a.qp.modify({ state: 'RTS' });
    if (early === 0) await bench.succeed(a.sendCq, 1);
    expectBytes(b.bytes(0, 4096), a.bytes(0, 4096), 'content');
  }),
  test('SQD says nothing when not asked to', ['RC'], async (bench) => {
    const { a } = bench.pair();
    a.qp.modify({ state: 'SQD' });
    await bench.left.clock.sleep(1e6);
    expectEqual(bench.nextEvent(bench.left), null, 'async event');
  }),
  test('from SQD to ERR the held sends are flushed', ['RC:SEND'], async (bench) => {
    const { a } = bench.pair();
    a.qp.modify({ state: 'SQD' });
    for (const wrId of [1, 2]) a.qp.postSend({ opcode: 'SEND', wrId, sgList: a.at(0, 8) });
    a.qp.modify({ state: 'ERR' });
    await bench.flushed(a.sendCq, 1, 2);
  }),
  test('UC in SQE still receives', ['UC:SEND', 'lossless'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UC' });
    a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: [{ ...a.sge(0, 8), lkey: (a.mr.lkey ^ 0x5a) >>> 0 }] });
    await bench.completion(a.sendCq, { wrId: 1, status: 'LOC_PROT_ERR' });
    a.qp.postRecv(a.recv(2, 0, 8));
    b.qp.postSend({ opcode: 'SEND', sgList: b.at(0, 8) });
    await bench.completion(a.recvCq, { wrId: 2, byteLen: 8 });
    expectEqual(a.qp.state, 'SQE', 'state');
  }),
];
