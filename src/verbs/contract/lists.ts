import type { VerbsErrorCode } from '../error.js';
import type { QueuePair } from '../queue-pair.js';
import { LIST_OPCODES, SendList } from '../send-list.js';
import type { SendOpcode } from '../work-request.js';
import { expectBytes, expectRefused } from './kit/assert.js';
import type { Pair } from './kit/bench.js';
import { type ContractCase, casesOf } from './kit/case.js';
import type { End } from './kit/end.js';

const test = casesOf('lists');
const GRH = 40;

/** Posts a list; where nothing takes one, what its rows stand for. */
function post(qp: QueuePair, list: SendList, count: number): void {
  if (qp.postList !== undefined) qp.postList(list, count);
  else qp.postSend(Array.from({ length: count }, (_, index) => list.request(index)));
}

/** Fills a row: an operation on a few bytes of an end, and of its peer for those that name one. */
function fill(list: SendList, row: number, opcode: SendOpcode, end: End, peer: End, ...at: number[]): void {
  const first = row * list.maxSge;
  const { remoteAddr, rkey } = peer.target(at[0]);
  list.opcode[row] = (LIST_OPCODES as readonly string[]).indexOf(opcode);
  list.wrId[row] = row + 1;
  list.signaled[row] = 1;
  list.remoteAddr[row] = remoteAddr;
  list.rkey[row] = rkey;
  list.immData[row] = 0x80000001;
  list.sgeCount[row] = at.length;
  at.forEach((offset, element) => {
    const { addr, length, lkey } = end.sge(offset, 8);
    list.addr[first + element] = addr;
    list.length[first + element] = length;
    list.lkey[first + element] = lkey;
  });
}

/** Two WRITEs, the second of which a case spoils. */
function twoWrites({ a, b }: Pair): SendList {
  const list = new SendList(2, 1);
  fill(list, 0, 'RDMA_WRITE', a, b, 0);
  fill(list, 1, 'RDMA_WRITE', a, b, 8);
  return list;
}

/** What may be wrong with the second row of a list, and how it is refused. */
const SPOILT: readonly (readonly [string, VerbsErrorCode, (list: SendList) => void])[] = [
  ['a negative length', 'BAD_WORK_REQUEST', (list) => list.length.fill(-1, 1)],
  ['a fractional length', 'BAD_WORK_REQUEST', (list) => list.length.fill(0.5, 1)],
  ['a length over 2^31', 'BAD_WORK_REQUEST', (list) => list.length.fill(2 ** 31 + 1, 1)],
  ['a fractional address', 'BAD_WORK_REQUEST', (list) => list.addr.fill(0.5, 1)],
  ['a negative address', 'BAD_WORK_REQUEST', (list) => list.addr.fill(-8, 1)],
  ['a local key over 32 bits', 'BAD_WORK_REQUEST', (list) => list.lkey.fill(2 ** 32, 1)],
  ['a fractional request id', 'BAD_WORK_REQUEST', (list) => list.wrId.fill(0.5, 1)],
  ['a negative remote address', 'BAD_WORK_REQUEST', (list) => list.remoteAddr.fill(-1, 1)],
  ['a remote key over 32 bits', 'BAD_WORK_REQUEST', (list) => list.rkey.fill(2 ** 32, 1)],
  ['an operation that no list has', 'BAD_OPCODE', (list) => list.opcode.fill(200, 1)],
  [
    'immediate data over 32 bits',
    'BAD_WORK_REQUEST',
    (list) => {
      list.opcode.fill(LIST_OPCODES.indexOf('RDMA_WRITE_WITH_IMM'), 1);
      list.immData.fill(2 ** 32, 1);
    },
  ],
];

/** Requests as columns do what the same requests as objects do. */
export const listCases: readonly ContractCase[] = [
  test('WRITEs and READs of several elements move their bytes', ['RC:RDMA_READ'], async (bench) => {
    const { a, b } = bench.pair({ a: { cap: { maxSendSge: 2 } } });
    const list = new SendList(2, 2);
    fill(list, 0, 'RDMA_WRITE', a, b, 0, 64);
    fill(list, 1, 'RDMA_READ', a, b, 128, 192);
    const [first, second] = [a.copy(0, 8), a.copy(64, 8)];
    const read = b.copy(128, 16);
    post(a.qp, list, 2);
    await bench.succeed(a.sendCq, 1, 2);
    expectBytes(b.bytes(0, 8), first, 'the first element written');
    expectBytes(b.bytes(8, 8), second, 'the second element written');
    expectBytes(a.bytes(128, 8), read.subarray(0, 8), 'the first element read');
    expectBytes(a.bytes(192, 8), read.subarray(8), 'the second element read');
  }),
  test('SENDs carry bytes and an immediate', ['RC:SEND_WITH_IMM'], async (bench) => {
    const { a, b } = bench.pair();
    const list = new SendList(2, 1);
    fill(list, 0, 'SEND', a, b, 0);
    fill(list, 1, 'SEND_WITH_IMM', a, b, 64);
    b.qp.postRecv([b.recv(1, 512, 8), b.recv(2, 520, 8)]);
    post(a.qp, list, 2);
    await bench.completion(b.recvCq, { wrId: 1, byteLen: 8, withImm: false });
    await bench.completion(b.recvCq, { wrId: 2, byteLen: 8, withImm: true, immData: 0x80000001 });
    await bench.succeed(a.sendCq, 1, 2);
    expectBytes(b.bytes(512, 8), a.bytes(0, 8), 'the first message');
    expectBytes(b.bytes(520, 8), a.bytes(64, 8), 'the second message');
  }),
  test('a row that asks for no completion has none', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair();
    const list = twoWrites(pair);
    list.signaled[0] = 0;
    post(pair.a.qp, list, 2);
    await bench.succeed(pair.a.sendCq, 2);
    await bench.quiet(pair.a.sendCq);
  }),
  test('datagrams go where the list says', ['UD:SEND', 'lossless'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const list = new SendList(1, 1);
    fill(list, 0, 'SEND', a, b, 0);
    b.qp.postRecv(b.recv(7, 512, GRH + 8));
    expectRefused('BAD_WORK_REQUEST', () => post(a.qp, list, 1), { badWrIndex: 0 });
    list.target = bench.route(a, b);
    post(a.qp, list, 1);
    await bench.completion(b.recvCq, { wrId: 7, byteLen: GRH + 8, srcQp: a.qp.qpNum });
    await bench.succeed(a.sendCq, 1);
    expectBytes(b.bytes(512 + GRH, 8), a.bytes(0, 8), 'content');
  }),
  test('a destroyed address handle is refused', ['UD:SEND'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const list = new SendList(1, 1);
    fill(list, 0, 'SEND', a, b, 0);
    list.target = bench.route(a, b);
    list.target.ah.destroy();
    expectRefused('OBJECT_DESTROYED', () => post(a.qp, list, 1));
  }),
  test('a datagram target on a connection is refused', ['RC:SEND', 'UD:SEND'], async (bench) => {
    const { a, b } = bench.pair();
    const datagrams = bench.pair({ type: 'UD' });
    const list = new SendList(1, 1);
    fill(list, 0, 'SEND', a, b, 0);
    list.target = bench.route(datagrams.a, datagrams.b);
    expectRefused('BAD_WORK_REQUEST', () => post(a.qp, list, 1), { badWrIndex: 0 });
    await bench.quiet(a.sendCq);
  }),
  ...SPOILT.map(([what, code, spoil]) =>
    test(`up to ${what} the rows are posted`, ['RC:RDMA_WRITE'], async (bench) => {
      const pair = bench.pair();
      const list = twoWrites(pair);
      spoil(list);
      expectRefused(code, () => post(pair.a.qp, list, 2), { badWrIndex: 1 });
      await bench.succeed(pair.a.sendCq, 1);
      await bench.quiet(pair.a.sendCq);
    }),
  ),
  test('more elements than the queue has are refused', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair({ a: { cap: { maxSendSge: 1 } } });
    const list = new SendList(1, a.qp.cap.maxSendSge + 1);
    const offsets = Array.from({ length: list.maxSge }, (_, element) => 8 * element);
    fill(list, 0, 'RDMA_WRITE', a, b, ...offsets);
    expectRefused('TOO_MANY_SGE', () => post(a.qp, list, 1), { badWrIndex: 0 });
  }),
  test('a READ on UC is refused', ['UC'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UC' });
    const list = new SendList(1, 1);
    fill(list, 0, 'RDMA_READ', a, b, 0);
    expectRefused('BAD_OPCODE', () => post(a.qp, list, 1), { badWrIndex: 0 });
  }),
  test('a datagram longer than the port carries is refused', ['UD:SEND'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const list = new SendList(1, 1);
    fill(list, 0, 'SEND', a, b, 0);
    list.target = bench.route(a, b);
    list.length[0] = a.context.queryPort(1).activeMtu + 1;
    expectRefused('MESSAGE_TOO_LONG', () => post(a.qp, list, 1), { badWrIndex: 0 });
  }),
  test('a full queue takes no more rows', ['RC:RDMA_WRITE'], async (bench) => {
    const pair = bench.pair({ a: { cap: { maxSendWr: 1 } } });
    const { qp, sendCq } = pair.a;
    const list = new SendList(qp.cap.maxSendWr + 1, 1);
    for (let row = 0; row <= qp.cap.maxSendWr; row++) fill(list, row, 'RDMA_WRITE', pair.a, pair.b, 0);
    expectRefused('QUEUE_FULL', () => post(qp, list, qp.cap.maxSendWr + 1), {
      badWrIndex: qp.cap.maxSendWr,
    });
    await bench.completions(sendCq, qp.cap.maxSendWr);
  }),
];
