import type { SendWr } from '../work-request.js';
import { expectBytes, expectCompletion, expectEqual, expectThat } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { bringTo, bringUp, type Overrides } from './kit/bring-up.js';
import { type ContractCase, casesOf } from './kit/case.js';
import type { End } from './kit/end.js';
import { exchange, type TransferOpcode } from './operations.js';

const rnr = casesOf('RNR');
const retry = casesOf('retries');
const psn = casesOf('PSN');

/** ACK timeout code 8 is 4.096 us x 2^8: about a millisecond. */
const TIMEOUT = 8;
const TIMEOUT_NS = 4096 * 2 ** TIMEOUT;
/** RNR timer code 14 is 1.28 ms (specification table 45). */
const RNR_TIMER = 14;
const RNR_NS = 1.28e6;

function sendOf(end: End, wrId: number): SendWr {
  return { opcode: 'SEND', wrId, sgList: end.at(0, 64), signaled: true };
}

/** Ways in which a peer is not there. */
const ABSENT: readonly (readonly [string, (bench: ContractBench, pair: Pair) => void])[] = [
  ['that was destroyed', (_, { b }) => b.qp.destroy()],
  ['in RESET', (_, { b }) => b.qp.modify({ state: 'RESET' })],
  ['in ERR', (_, { b }) => b.qp.modify({ state: 'ERR' })],
  [
    'in INIT',
    (bench, { a, b }) => {
      b.qp.modify({ state: 'RESET' });
      bringTo('INIT', b, bench.address(a));
      b.qp.postRecv(b.recv(1, 0, 64));
    },
  ],
];

/** Where a 24-bit PSN wraps within a few packets. */
const WRAPS: readonly (readonly [TransferOpcode, Overrides])[] = [
  ['SEND', { sqPsn: 0xffffff, rqPsn: 0xffffff }],
  ['RDMA_WRITE', { sqPsn: 0xfffffe, rqPsn: 0xfffffe }],
  ['RDMA_READ', { sqPsn: 0xfffffd, rqPsn: 0xfffffd }],
];

/** Receivers that are not ready, peers that are not there, sequence numbers that wrap. */
export const reliabilityCases: readonly ContractCase[] = [
  ...(['SEND', 'RDMA_WRITE_WITH_IMM'] as const).map((opcode) =>
    rnr(`a ${opcode} waits for a receive and then succeeds`, [`RC:${opcode}`], async (bench) => {
      const { a, b } = bench.pair();
      a.qp.postSend(
        opcode === 'SEND' ? sendOf(a, 1) : { ...sendOf(a, 1), opcode, immData: 3, ...b.target(0) },
      );
      await bench.quiet(a.sendCq, b.recvCq);
      b.qp.postRecv(b.recv(2, 0, 64));
      await bench.succeed(a.sendCq, 1);
      await bench.completion(b.recvCq, { wrId: 2, byteLen: 64 });
      expectBytes(b.bytes(0, 64), a.bytes(0, 64), 'content');
    }),
  ),
  rnr('what is behind a waiting SEND stays behind it', ['RC:SEND', 'RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    const before = b.copy(1000, 64);
    a.qp.postSend([
      sendOf(a, 1),
      { opcode: 'RDMA_WRITE', wrId: 2, sgList: a.at(0, 64), ...b.target(1000), signaled: true },
    ]);
    await bench.quiet(a.sendCq);
    expectBytes(b.bytes(1000, 64), before, 'memory while waiting');
    b.qp.postRecv(b.recv(3, 0, 64));
    await bench.succeed(a.sendCq, 1, 2);
    expectBytes(b.bytes(1000, 64), a.bytes(0, 64), 'memory afterwards');
  }),
  rnr('a WRITE and a READ need no receive', ['RC:RDMA_WRITE', 'RC:RDMA_READ'], async (bench) => {
    const { a, b } = bench.pair({ attrA: { rnrRetry: 0 } });
    a.qp.postSend([
      { opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, 64), ...b.target(0), signaled: true },
      { opcode: 'RDMA_READ', wrId: 2, sgList: a.at(64, 64), ...b.target(0), signaled: true },
    ]);
    await bench.succeed(a.sendCq, 1, 2);
  }),
  ...[0, 1, 3].map((rnrRetry) =>
    rnr(`exhausted after ${rnrRetry} retries: RNR_RETRY_EXC_ERR`, ['RC:SEND'], async (bench) => {
      const { a, b } = bench.pair({ attrA: { rnrRetry }, attrB: { minRnrTimer: RNR_TIMER } });
      const start = bench.left.clock.nowNs;
      a.qp.postSend([sendOf(a, 1), sendOf(a, 2)]);
      await bench.completion(a.sendCq, { wrId: 1, status: 'RNR_RETRY_EXC_ERR' });
      expectThat(
        bench.left.clock.nowNs - start >= rnrRetry * RNR_NS,
        'every retry waits for the delay that the receiver asks for',
      );
      await bench.flushed(a.sendCq, 2);
      expectEqual(a.qp.state, 'ERR', 'state of the sender');
      expectEqual(b.qp.state, 'RTS', 'state of the receiver');
    }),
  ),
  rnr('7 retries are forever', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair({ attrA: { rnrRetry: 7 }, attrB: { minRnrTimer: 1 } });
    a.qp.postSend(sendOf(a, 1));
    // Two milliseconds hold a hundred delays of 10 us.
    await bench.quiet(a.sendCq);
    b.qp.postRecv(b.recv(2, 0, 64));
    await bench.succeed(a.sendCq, 1);
  }),
  rnr('a receive posted before the last retry saves the request', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair({ attrA: { rnrRetry: 1 }, attrB: { minRnrTimer: 24 } });
    a.qp.postSend(sendOf(a, 1));
    // Code 24 is 40.96 ms: the first attempt was long ago, the retry is yet to come.
    await bench.left.clock.sleep(3e6);
    b.qp.postRecv(b.recv(2, 0, 64));
    await bench.succeed(a.sendCq, 1);
  }),
  ...ABSENT.map(([what, leave]) =>
    retry(`to a peer ${what} end with RETRY_EXC_ERR after every timeout`, ['RC:SEND'], async (bench) => {
      const pair = bench.pair({ attrA: { timeout: TIMEOUT, retryCnt: 2 } });
      const { a } = pair;
      leave(bench, pair);
      const start = bench.left.clock.nowNs;
      a.qp.postSend([sendOf(a, 1), sendOf(a, 2)]);
      await bench.completion(a.sendCq, { wrId: 1, status: 'RETRY_EXC_ERR' });
      expectThat(
        bench.left.clock.nowNs - start >= 3 * TIMEOUT_NS,
        'the first attempt and both retries time out',
      );
      await bench.flushed(a.sendCq, 2);
      expectEqual(a.qp.state, 'ERR', 'state');
    }),
  ),
  retry('to an address that nobody has end with RETRY_EXC_ERR', ['RC:RDMA_READ'], async (bench) => {
    const [a, b] = [bench.end(bench.left), bench.end(bench.right)];
    // 2001:db8::/32 and 192.0.2.0/24 are set aside for documentation: no device has these addresses.
    const mapped = bench.address(b).gid.includes('ffff:');
    bringUp(
      a,
      { ...bench.address(b), gid: mapped ? '::ffff:192.0.2.77' : '2001:db8::77' },
      { timeout: TIMEOUT, retryCnt: 0 },
    );
    bringUp(b, bench.address(a));
    a.qp.postSend({ opcode: 'RDMA_READ', wrId: 1, sgList: a.at(0, 8), ...b.target(0) });
    await bench.completion(a.sendCq, { wrId: 1, status: 'RETRY_EXC_ERR' });
  }),
  retry(
    'to a queue pair that is connected to somebody else end with RETRY_EXC_ERR',
    ['RC:RDMA_WRITE'],
    async (bench) => {
      const { b } = bench.pair();
      const stranger = bench.end(bench.left);
      bringUp(stranger, bench.address(b), { timeout: TIMEOUT, retryCnt: 0 });
      const before = b.copy(0, 8);
      stranger.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: stranger.at(0, 8), ...b.target(0) });
      const [found] = await bench.completions(stranger.sendCq, 1);
      expectCompletion(found!, { wrId: 1, status: 'RETRY_EXC_ERR' }, 'the stranger');
      expectBytes(b.bytes(0, 8), before, 'memory');
      expectEqual(b.qp.state, 'RTS', 'state of the queue pair');
    },
  ),
  retry('with timeout 0 wait forever', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair({ attrA: { timeout: 0, retryCnt: 0 } });
    b.qp.destroy();
    a.qp.postSend(sendOf(a, 1));
    await bench.left.clock.sleep(10e6);
    await bench.quiet(a.sendCq);
    expectEqual(a.qp.state, 'RTS', 'state');
    a.qp.modify({ state: 'ERR' });
    await bench.flushed(a.sendCq, 1);
  }),
  retry('find a peer that comes back in time', ['RC:SEND'], async (bench) => {
    const [a, b] = [bench.end(bench.left), bench.end(bench.right)];
    bringUp(a, bench.address(b), { timeout: 12, retryCnt: 7 });
    a.qp.postSend(sendOf(a, 1));
    await bench.quiet(a.sendCq);
    bringTo('INIT', b, bench.address(a));
    b.qp.postRecv(b.recv(2, 0, 64));
    bringUp(b, bench.address(a));
    await bench.succeed(a.sendCq, 1);
    expectBytes(b.bytes(0, 64), a.bytes(0, 64), 'content');
  }),
  ...WRAPS.map(([opcode, attr]) =>
    psn(`a ${opcode} across the wrap at 2^24, twice`, [`RC:${opcode}`], async (bench) => {
      const pair = bench.pair({ attr: { ...attr, pathMtu: 256 } });
      for (const length of [3000, 1000]) await exchange(bench, pair, opcode, length);
    }),
  ),
  psn('UC across the wrap at 2^24', ['UC:RDMA_WRITE_WITH_IMM', 'lossless'], async (bench) => {
    const pair = bench.pair({ type: 'UC', attr: { sqPsn: 0xffffff, rqPsn: 0xffffff, pathMtu: 256 } });
    for (const length of [3000, 1000]) await exchange(bench, pair, 'RDMA_WRITE_WITH_IMM', length);
  }),
  psn('the two directions count on their own', ['RC:SEND'], async (bench) => {
    const { a, b } = bench.pair({
      attrA: { sqPsn: 0xffffff, rqPsn: 5 },
      attrB: { sqPsn: 5, rqPsn: 0xffffff },
    });
    await exchange(bench, { a, b }, 'SEND', 3000);
    await exchange(bench, { a: b, b: a }, 'SEND', 2000);
    await exchange(bench, { a, b }, 'SEND', 100);
  }),
];
