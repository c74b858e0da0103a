import { ACCESS_REMOTE, Access } from '../../access.js';
import { expectBytes, expectEqual, expectRefused, expectThat } from '../kit/assert.js';
import { type ContractCase, casesOf } from '../kit/case.js';
import { fillPattern } from '../kit/pattern.js';

const test = casesOf('memory');
const FULL = Access.LOCAL_WRITE | ACCESS_REMOTE;

/** Registration: addresses, keys, rights, kinds of memory. */
export const memoryCases: readonly ContractCase[] = [
  test('a region says what it covers', [], async (bench) => {
    const pd = bench.pd(bench.left);
    const memory = new Uint8Array(100);
    const mr = bench.mr(pd, memory, FULL);
    expectEqual(mr.pd, pd, 'pd');
    expectEqual(mr.memory, memory, 'memory');
    expectEqual(mr.lengthBytes, 100, 'lengthBytes');
    expectEqual(mr.access, FULL, 'access');
    expectEqual(mr.iova, mr.addr, 'iova');
    for (const number of [mr.addr, mr.lkey, mr.rkey])
      expectThat(Number.isSafeInteger(number) && number >= 0, 'addresses and keys are whole numbers');
  }),
  test('the same buffer gets the same address, keys of its own', [], async (bench) => {
    const pd = bench.pd(bench.left);
    const memory = new Uint8Array(100);
    const [first, second] = [bench.mr(pd, memory), bench.mr(pd, memory)];
    expectEqual(second.addr, first.addr, 'address');
    expectThat(second.rkey !== first.rkey, 'two regions have two rkeys');
    const again = first.addr;
    first.dereg();
    second.dereg();
    expectEqual(bench.mr(pd, memory).addr, again, 'address after deregistration');
  }),
  test('different buffers never share addresses', [], async (bench) => {
    const pd = bench.pd(bench.left);
    const regions = [7, 4096, 1, 100_000, 33]
      .map((length) => bench.mr(pd, length))
      .sort((x, y) => x.addr - y.addr);
    for (let at = 1; at < regions.length; at++) {
      expectThat(
        regions[at - 1]!.addr + regions[at - 1]!.lengthBytes <= regions[at]!.addr,
        'regions do not overlap',
      );
    }
  }),
  ...(
    [
      ['REMOTE_WRITE without LOCAL_WRITE', Access.REMOTE_WRITE],
      ['REMOTE_ATOMIC without LOCAL_WRITE', Access.REMOTE_ATOMIC | Access.REMOTE_READ],
      ['a bit that no flag has', Access.LOCAL_WRITE | (1 << 27)],
      ['a fraction', 0.5],
      ['a negative number', -1],
    ] as const
  ).map(([what, access]) =>
    test(`${what} is refused with BAD_ACCESS_FLAGS`, [], async (bench) => {
      const pd = bench.pd(bench.left);
      expectRefused('BAD_ACCESS_FLAGS', () => pd.regMr(new Uint8Array(8), access));
      pd.regMr(new Uint8Array(8), Access.REMOTE_READ).dereg();
    }),
  ),
  test('memory over a SharedArrayBuffer sends and receives', ['RC:SEND', 'RC:RDMA_WRITE'], async (bench) => {
    const shared = () => fillPattern(new Uint8Array(new SharedArrayBuffer(4096)), 55);
    const { a, b } = bench.pair({
      a: { memory: shared() },
      b: { memory: new Uint8Array(new SharedArrayBuffer(4096)) },
    });
    b.qp.postRecv(b.recv(1, 0, 1500));
    a.qp.postSend({ opcode: 'SEND', sgList: a.at(10, 1500) });
    await bench.completion(b.recvCq, { byteLen: 1500 });
    expectBytes(b.bytes(0, 1500), a.bytes(10, 1500), 'the SEND');
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 2,
      sgList: a.at(2000, 2000),
      ...b.target(2000),
      signaled: true,
    });
    await bench.succeed(a.sendCq, 2);
    expectBytes(b.bytes(2000, 2000), a.bytes(2000, 2000), 'the WRITE');
  }),
  test('a view into the middle of a buffer exposes only itself', ['RC:RDMA_WRITE'], async (bench) => {
    const whole = new Uint8Array(3 * 4096);
    const { a, b } = bench.pair({ b: { memory: whole.subarray(4096, 8192) } });
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, 4096), ...b.target(0), signaled: true });
    await bench.succeed(a.sendCq, 1);
    expectBytes(whole.subarray(4096, 8192), a.bytes(0, 4096), 'the view');
    expectBytes(whole.subarray(0, 4096), new Uint8Array(4096), 'in front of the view');
    expectBytes(whole.subarray(8192), new Uint8Array(4096), 'behind the view');
  }),
  test('peers use the iova that was chosen', ['RC:RDMA_WRITE', 'RC:RDMA_READ'], async (bench) => {
    const { a, b } = bench.pair();
    const iova = 0x7f0000000000 + (b.mr.addr % 4096);
    const mr = bench.mr(b.pd, b.memory, FULL, iova);
    expectEqual(mr.iova, iova, 'iova');
    expectEqual(mr.addr, b.mr.addr, 'addr');
    const target = { rkey: mr.rkey, signaled: true };
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, 100), remoteAddr: iova + 50, ...target });
    a.qp.postSend({
      opcode: 'RDMA_READ',
      wrId: 2,
      sgList: a.at(200, 100),
      remoteAddr: iova + 50,
      ...target,
      fence: true,
    });
    await bench.succeed(a.sendCq, 1, 2);
    expectBytes(b.bytes(50, 100), a.bytes(0, 100), 'the WRITE');
    expectBytes(a.bytes(200, 100), a.bytes(0, 100), 'the READ');
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 3, sgList: a.at(0, 100), remoteAddr: mr.addr, ...target });
    await bench.refusedByPeer(a.sendCq, 3, 'REM_ACCESS_ERR');
  }),
  test('local elements use addr, whatever the iova', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair();
    const mr = bench.mr(a.pd, a.memory, FULL, 0x7f0000000000 + (a.mr.addr % 4096));
    b.qp.postRecv(b.recv(1, 0, 64));
    a.qp.postSend({ opcode: 'SEND', sgList: [{ addr: mr.addr + 128, length: 64, lkey: mr.lkey }] });
    await bench.completion(b.recvCq);
    expectBytes(b.bytes(0, 64), a.bytes(128, 64), 'content');
  }),
  test('a ZERO_BASED region is addressed by offsets', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    const mr = bench.mr(b.pd, b.memory, FULL | Access.ZERO_BASED);
    expectEqual(mr.iova, 0, 'iova');
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 1,
      sgList: a.at(0, 100),
      remoteAddr: 300,
      rkey: mr.rkey,
      signaled: true,
    });
    await bench.succeed(a.sendCq, 1);
    expectBytes(b.bytes(300, 100), a.bytes(0, 100), 'content');
  }),
  test(
    'memory without bytes swallows writes and reads as zeros',
    ['unbackedMemory', 'RC:RDMA_WRITE', 'RC:RDMA_READ'],
    async (bench) => {
      const { a, b } = bench.pair();
      const mr = b.pd.regMr({ lengthBytes: 2 ** 40 }, FULL);
      expectEqual(mr.memory, null, 'memory');
      expectEqual(mr.lengthBytes, 2 ** 40, 'lengthBytes');
      const target = { remoteAddr: mr.iova + 2 ** 39, rkey: mr.rkey, signaled: true };
      a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, 2000), ...target });
      a.qp.postSend({ opcode: 'RDMA_READ', wrId: 2, sgList: a.at(4000, 2000), ...target });
      await bench.succeed(a.sendCq, 1, 2);
      expectBytes(a.bytes(4000, 2000), new Uint8Array(2000), 'what was read');
      mr.dereg();
    },
  ),
  test(
    'a dereg while a peer still uses the region ends the access, and only that',
    ['RC:RDMA_READ'],
    async (bench) => {
      const { a, b } = bench.pair();
      const mr = bench.mr(b.pd, 256);
      const wr = {
        opcode: 'RDMA_READ' as const,
        sgList: a.at(0, 256),
        remoteAddr: mr.iova,
        rkey: mr.rkey,
        signaled: true,
      };
      a.qp.postSend({ ...wr, wrId: 1 });
      await bench.succeed(a.sendCq, 1);
      mr.dereg();
      a.qp.postSend({ ...wr, wrId: 2, ...b.target(0) });
      await bench.succeed(a.sendCq, 2);
      a.qp.postSend({ ...wr, wrId: 3 });
      await bench.refusedByPeer(a.sendCq, 3, 'REM_ACCESS_ERR');
    },
  ),
];
