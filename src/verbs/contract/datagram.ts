import type { QpAttr } from '../queue-pair.js';
import { expectBytes, expectEqual, expectList, expectRefused } from './kit/assert.js';
import { QKEY } from './kit/bring-up.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';
import { IMM } from './operations.js';

const test = casesOf('UD');
const NEEDS: readonly Need[] = ['UD:SEND', 'lossless'];
/** Every receive has room for a GRH in front (IPv6 header length). */
const GRH = 40;

/** Where segmentation would start, if datagrams had any. */
const SIZES: readonly (readonly [string, (mtu: number) => number])[] = [
  ['0 bytes', () => 0],
  ['1 byte', () => 1],
  ['one MTU less a byte', (mtu) => mtu - 1],
  ['one MTU', (mtu) => mtu],
];

/** Changes at the receiver that make it drop datagrams with the usual key. */
const DEAF: readonly (readonly [string, QpAttr])[] = [
  ['another qkey since INIT', { qkey: 0x22222222 }],
  ['a qkey that differs in one bit', { qkey: QKEY ^ 0x100 }],
];

/** Unreliable datagrams. */
export const datagramCases: readonly ContractCase[] = [
  ...SIZES.map(([label, size]) =>
    test(
      `SEND of ${label} arrives behind 40 bytes of GRH, with the sender's number`,
      NEEDS,
      async (bench) => {
        const mtu = Math.min(bench.left.queryPort(1).activeMtu, bench.right.queryPort(1).activeMtu);
        const { a, b } = bench.pair({ type: 'UD' });
        const length = size(mtu);
        b.qp.postRecv(b.recv(7, 100, GRH + mtu));
        a.qp.postSend({
          opcode: 'SEND',
          wrId: 1,
          sgList: a.at(500, length),
          signaled: true,
          ...bench.route(a, b),
        });
        await bench.completion(a.sendCq, { wrId: 1, opcode: 'SEND', qpNum: a.qp.qpNum });
        const expected = {
          wrId: 7,
          opcode: 'RECV',
          byteLen: GRH + length,
          grh: true,
          srcQp: a.qp.qpNum,
          withImm: false,
        } as const;
        await bench.completion(b.recvCq, expected);
        expectBytes(b.bytes(100 + GRH, length), a.bytes(500, length), 'content');
        // An IPv6 GRH and an IPv4 header in its place both end with the end of the receiver's address.
        expectBytes(b.bytes(100 + GRH - 4, 4), endOfGid(bench.address(b).gid), 'destination in the GRH');
      },
    ),
  ),
  test('SEND_WITH_IMM carries its immediate', ['UD:SEND_WITH_IMM', 'lossless'], async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    b.qp.postRecv(b.recv(7, 0, 200));
    a.qp.postSend({ opcode: 'SEND_WITH_IMM', sgList: a.at(0, 100), immData: IMM, ...bench.route(a, b) });
    await bench.completion(b.recvCq, { wrId: 7, byteLen: GRH + 100, withImm: true, immData: IMM });
    expectBytes(b.bytes(GRH, 100), a.bytes(0, 100), 'content');
  }),
  test('gathers and scatters; the GRH fills the first elements', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    b.qp.postRecv({ wrId: 7, sgList: [b.sge(0, GRH), b.sge(1000, 10), b.sge(2000, 500)] });
    a.qp.postSend({ opcode: 'SEND', sgList: [a.sge(0, 1), a.sge(100, 99)], ...bench.route(a, b) });
    await bench.completion(b.recvCq, { byteLen: GRH + 100 });
    const sent = Uint8Array.from([...a.bytes(0, 1), ...a.bytes(100, 99)]);
    expectBytes(b.bytes(1000, 10), sent.subarray(0, 10), 'first piece');
    expectBytes(b.bytes(2000, 90), sent.subarray(10), 'second piece');
  }),
  test('longer than one MTU is refused with MESSAGE_TOO_LONG', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const length = bench.left.queryPort(1).activeMtu + 1;
    expectRefused('MESSAGE_TOO_LONG', () =>
      a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, length), ...bench.route(a, b) }),
    );
    expectEqual(a.qp.state, 'RTS', 'state');
  }),
  test('several senders reach one queue pair, each known by its number', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const clients = [a, ...Array.from({ length: 4 }, () => bench.pair({ type: 'UD' }).a)];
    clients.forEach((_, at) => {
      b.qp.postRecv(b.recv(at, at * 256, 256));
    });
    for (const client of clients)
      client.qp.postSend({ opcode: 'SEND', sgList: client.at(3000, 100), ...bench.route(client, b) });
    const found = await bench.completions(b.recvCq, clients.length);
    for (const client of clients) {
      const mine = found.filter(({ srcQp }) => srcQp === client.qp.qpNum);
      expectEqual(mine.length, 1, `datagrams of queue pair ${client.qp.qpNum}`);
      expectBytes(b.bytes(mine[0]!.wrId * 256 + GRH, 100), client.bytes(3000, 100), 'content');
    }
  }),
  test('one queue pair answers several, by srcQp alone', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const other = bench.end(bench.left, { qpType: 'UD' });
    other.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qkey: QKEY });
    other.qp.modify({ state: 'RTR' });
    other.qp.modify({ state: 'RTS', sqPsn: 5 });
    for (const client of [a, other]) {
      b.qp.postRecv(b.recv(1, 0, 256));
      client.qp.postRecv(client.recv(2, 0, 256));
      client.qp.postSend({ opcode: 'SEND', sgList: client.at(1000, 10), ...bench.route(client, b) });
      const { srcQp } = await bench.completion(b.recvCq, { wrId: 1 });
      b.qp.postSend({
        opcode: 'SEND',
        sgList: b.at(GRH, 10),
        ah: bench.ah(b, client),
        remoteQpn: srcQp,
        remoteQkey: QKEY,
      });
      await bench.completion(client.recvCq, { wrId: 2, srcQp: b.qp.qpNum });
      expectBytes(client.bytes(GRH, 10), client.bytes(1000, 10), 'the answer');
    }
  }),
  ...DEAF.map(([what, attrB]) =>
    test(`to ${what} is dropped silently`, NEEDS, async (bench) => {
      const { a, b } = bench.pair({ type: 'UD', attrB });
      b.qp.postRecv(b.recv(7, 0, 256));
      a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 64), signaled: true, ...bench.route(a, b) });
      await bench.succeed(a.sendCq, 1);
      await bench.quiet(b.recvCq, a.sendCq);
      expectList([a.qp.state, b.qp.state], ['RTS', 'RTS'], 'states');
    }),
  ),
  test('a qkey changed in RTS holds from then on', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    b.qp.modify({ qkey: 0x33333333 });
    b.qp.postRecv(b.recv(7, 0, 256));
    const wr = { opcode: 'SEND' as const, sgList: a.at(0, 64), ...bench.route(a, b) };
    a.qp.postSend(wr);
    await bench.quiet(b.recvCq);
    a.qp.postSend({ ...wr, remoteQkey: 0x33333333 });
    await bench.completion(b.recvCq, { wrId: 7 });
  }),
  test("a remoteQkey with its top bit set means the sender's own", NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD', attr: { qkey: 0x44444444 } });
    b.qp.postRecv(b.recv(7, 0, 256));
    a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 64), ...bench.route(a, b), remoteQkey: 0x80000000 });
    await bench.completion(b.recvCq, { wrId: 7 });
  }),
  test('with no receive posted is dropped silently, and the next one arrives', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const route = bench.route(a, b);
    a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 64), signaled: true, ...route });
    await bench.succeed(a.sendCq, 1);
    await bench.quiet(b.recvCq);
    b.qp.postRecv(b.recv(7, 0, 256));
    await bench.quiet(b.recvCq);
    a.qp.postSend({ opcode: 'SEND', sgList: a.at(100, 64), ...route });
    await bench.completion(b.recvCq, { wrId: 7 });
    expectBytes(b.bytes(GRH, 64), a.bytes(100, 64), 'the second datagram');
  }),
  test('to a queue pair that does not exist is sent all the same', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const route = { ...bench.route(a, b), remoteQpn: b.qp.qpNum ^ 0x800000 };
    a.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: a.at(0, 64), signaled: true, ...route });
    await bench.succeed(a.sendCq, 1);
    expectEqual(a.qp.state, 'RTS', 'state');
  }),
  ...(['ah', 'remoteQpn', 'remoteQkey'] as const).map((field) =>
    test(`without ${field} is refused`, ['UD:SEND'], async (bench) => {
      const { a, b } = bench.pair({ type: 'UD' });
      const { [field]: _, ...rest } = bench.route(a, b);
      expectRefused('BAD_WORK_REQUEST', () => a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 8), ...rest }));
    }),
  ),
  test('a destroyed address handle is refused; what was posted before goes out', NEEDS, async (bench) => {
    const { a, b } = bench.pair({ type: 'UD' });
    const wr = { opcode: 'SEND' as const, sgList: a.at(0, 64), ...bench.route(a, b) };
    b.qp.postRecv(b.recv(7, 0, 256));
    a.qp.modify({ state: 'SQD' });
    a.qp.postSend(wr);
    wr.ah.destroy();
    a.qp.modify({ state: 'RTS' });
    await bench.completion(b.recvCq, { wrId: 7 });
    expectRefused('OBJECT_DESTROYED', () => a.qp.postSend(wr));
  }),
];

/** The last four bytes of a GID in text, which may end like an IPv4 address. */
function endOfGid(text: string): Uint8Array {
  const groups = text.split(':');
  const last = groups.at(-1)!;
  if (last.includes('.')) return Uint8Array.from(last.split('.'), Number);
  const [high, low] = [Number.parseInt(groups.at(-2) || '0', 16), Number.parseInt(last || '0', 16)];
  return Uint8Array.of(high >> 8, high, low >> 8, low);
}
