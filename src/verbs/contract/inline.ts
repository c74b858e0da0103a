import type { SendWr } from '../work-request.js';
import { expectBytes, expectEqual, expectRefused } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { type ContractCase, casesOf } from './kit/case.js';
import { pattern } from './kit/pattern.js';

const test = casesOf('inline');

function inlinePair(bench: ContractBench, type: 'RC' | 'UC' | 'UD' = 'RC'): Pair & { room: number } {
  const room = Math.min(64, bench.left.queryDevice().maxInlineData);
  if (room === 0) bench.skip('the device takes no inline data');
  return { ...bench.pair({ type, a: { cap: { maxInlineData: room } } }), room };
}

const carriers = (['SEND', 'SEND_WITH_IMM', 'RDMA_WRITE', 'RDMA_WRITE_WITH_IMM'] as const).map((opcode) =>
  test(`RC ${opcode} copies its data at the time of the post`, [`RC:${opcode}`], async (bench) => {
    const { a, b, room } = inlinePair(bench);
    const inlineData = pattern(room, 99);
    const expected = inlineData.slice();
    const write = opcode.startsWith('RDMA');
    if (opcode !== 'RDMA_WRITE') b.qp.postRecv(write ? { wrId: 3 } : b.recv(3, 256, room));
    a.qp.modify({ state: 'SQD' });
    a.qp.postSend({
      opcode,
      wrId: 1,
      inlineData,
      signaled: true,
      immData: 5,
      ...(write ? b.target(256) : {}),
    } as SendWr);
    inlineData.fill(0);
    a.qp.modify({ state: 'RTS' });
    await bench.succeed(a.sendCq, 1);
    if (opcode !== 'RDMA_WRITE') await bench.completion(b.recvCq, { wrId: 3, byteLen: room });
    expectBytes(b.bytes(256, room), expected, 'content');
  }),
);

const unreliable = (['UC', 'UD'] as const).map((type) =>
  test(`${type} SEND takes inline data`, [`${type}:SEND`, 'lossless'], async (bench) => {
    const { a, b, room } = inlinePair(bench, type);
    const grh = type === 'UD' ? 40 : 0;
    b.qp.postRecv(b.recv(3, 0, 256));
    a.qp.postSend({
      opcode: 'SEND',
      inlineData: pattern(room, 98),
      ...(type === 'UD' ? bench.route(a, b) : {}),
    });
    await bench.completion(b.recvCq, { wrId: 3, byteLen: room + grh });
    expectBytes(b.bytes(grh, room), pattern(room, 98), 'content');
  }),
);

/** Data that travels inside the work request. */
export const inlineCases: readonly ContractCase[] = [
  ...carriers,
  ...unreliable,
  test('more than the queue was created with is refused', ['RC:SEND'], async (bench) => {
    const { a, b } = inlinePair(bench);
    b.qp.postRecv(b.recv(3, 0, 4096));
    const inlineData = new Uint8Array(a.qp.cap.maxInlineData + 1);
    expectRefused('BAD_INLINE', () => a.qp.postSend({ opcode: 'SEND', inlineData }));
    await bench.quiet(b.recvCq);
    a.qp.postSend({ opcode: 'SEND', inlineData: inlineData.subarray(1) });
    await bench.completion(b.recvCq, { byteLen: a.qp.cap.maxInlineData });
  }),
  test('together with a scatter-gather list it is refused', ['RC:SEND'], async (bench) => {
    const { a } = inlinePair(bench);
    expectRefused('BAD_INLINE', () =>
      a.qp.postSend({ opcode: 'SEND', inlineData: new Uint8Array(1), sgList: a.at(0, 1) }),
    );
    expectEqual(a.qp.state, 'RTS', 'state');
  }),
  ...(['RDMA_READ', 'ATOMIC_CMP_AND_SWP', 'ATOMIC_FETCH_AND_ADD'] as const).map((opcode) =>
    test(`on ${opcode} it is refused`, [`RC:${opcode}`], async (bench) => {
      const { a, b } = inlinePair(bench);
      const wr = { opcode, inlineData: new Uint8Array(8), ...b.target(0), compareAdd: 0n, swap: 0n };
      expectRefused('BAD_INLINE', () => a.qp.postSend(wr as SendWr));
    }),
  ),
];
