import { expectBytes, expectRefused } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';
import type { End } from './kit/end.js';

const test = casesOf('cross-channel');
const NEEDS: readonly Need[] = ['crossChannel', 'RC:WAIT', 'RC:ENABLE', 'RC:RDMA_WRITE'];

function write({ a, b }: Pair, wrId: number, offset = 0): void {
  a.qp.postSend({
    opcode: 'RDMA_WRITE',
    wrId,
    sgList: a.at(offset, 16),
    ...b.target(offset),
    signaled: true,
  });
}

function wait(end: End, cq: End['sendCq'], count: number, wrId = 0): void {
  end.qp.postSend({ opcode: 'WAIT', wrId, cq, count, signaled: wrId !== 0 });
}

/** Two pairs: what happens on `driver`'s send CQ lets `held` go on. */
function two(bench: ContractBench, managedSend = false): { driver: Pair; held: Pair } {
  return { driver: bench.pair(), held: bench.pair({ a: { managedSend } }) };
}

/** WAIT, ENABLE and queue pairs that execute nothing until they are told to. */
export const crossChannelCases: readonly ContractCase[] = [
  test('WAIT holds everything behind it until the other queue has its completions', NEEDS, async (bench) => {
    const { driver, held } = two(bench);
    const before = held.b.copy(0, 16);
    wait(held.a, driver.a.sendCq, 2, 1);
    write(held, 2);
    await bench.quiet(held.a.sendCq);
    write(driver, 10);
    await bench.succeed(driver.a.sendCq, 10);
    await bench.quiet(held.a.sendCq);
    expectBytes(held.b.bytes(0, 16), before, 'memory while held');
    write(driver, 11);
    await bench.succeed(held.a.sendCq, 1, 2);
    expectBytes(held.b.bytes(0, 16), held.a.bytes(0, 16), 'memory after the wait');
  }),
  test('WAIT completes as WAIT', NEEDS, async (bench) => {
    const { driver, held } = two(bench);
    wait(held.a, driver.a.sendCq, 1, 5);
    write(driver, 10);
    await bench.completion(held.a.sendCq, { wrId: 5, opcode: 'WAIT', qpNum: held.a.qp.qpNum });
  }),
  test('WAIT for zero passes at once', NEEDS, async (bench) => {
    const { driver, held } = two(bench);
    wait(held.a, driver.a.sendCq, 0, 1);
    write(held, 2);
    await bench.succeed(held.a.sendCq, 1, 2);
  }),
  test('WAIT counts completions that were generated before it, polled or not', NEEDS, async (bench) => {
    for (const poll of [false, true]) {
      const { driver, held } = two(bench);
      write(driver, 10);
      if (poll) await bench.succeed(driver.a.sendCq, 10);
      wait(held.a, driver.a.sendCq, 1, 1);
      await bench.succeed(held.a.sendCq, 1);
    }
  }),
  test('every WAIT consumes its own completions', NEEDS, async (bench) => {
    const { driver, held } = two(bench);
    wait(held.a, driver.a.sendCq, 1, 1);
    wait(held.a, driver.a.sendCq, 2, 2);
    write(driver, 10);
    write(driver, 11);
    await bench.succeed(held.a.sendCq, 1);
    await bench.quiet(held.a.sendCq);
    write(driver, 12);
    await bench.succeed(held.a.sendCq, 2);
  }),
  test('WAIT on a receive queue chains one message to the next', [...NEEDS, 'RC:SEND'], async (bench) => {
    const first = bench.pair();
    const second = bench.pair({ a: { pd: bench.pd(bench.left) } });
    first.a.qp.postRecv(first.a.recv(1, 0, 16));
    wait(second.a, first.a.recvCq, 1);
    write(second, 2);
    await bench.quiet(second.a.sendCq);
    first.b.qp.postSend({ opcode: 'SEND', sgList: first.b.at(0, 16) });
    await bench.succeed(second.a.sendCq, 2);
  }),
  test('a held queue is flushed in order when it goes to ERR', NEEDS, async (bench) => {
    const { driver, held } = two(bench);
    wait(held.a, driver.a.sendCq, 1, 1);
    write(held, 2);
    held.a.qp.modify({ state: 'ERR' });
    await bench.flushed(held.a.sendCq, 1, 2);
  }),
  test('WAIT on a queue of another device is refused', NEEDS, async (bench) => {
    const { driver, held } = two(bench);
    expectRefused('WRONG_OWNER', () => wait(held.a, driver.b.sendCq, 1));
  }),
  test('a managed queue pair executes nothing until it is enabled', NEEDS, async (bench) => {
    const { driver, held } = two(bench, true);
    const before = held.b.copy(0, 16);
    write(held, 1);
    await bench.quiet(held.a.sendCq);
    expectBytes(held.b.bytes(0, 16), before, 'memory');
    driver.a.qp.postSend({ opcode: 'ENABLE', wrId: 10, qp: held.a.qp, count: 1, signaled: true });
    await bench.completion(driver.a.sendCq, { wrId: 10, opcode: 'ENABLE' });
    await bench.succeed(held.a.sendCq, 1);
    expectBytes(held.b.bytes(0, 16), held.a.bytes(0, 16), 'memory after ENABLE');
  }),
  test('ENABLE lets as many requests go as it says', NEEDS, async (bench) => {
    const { driver, held } = two(bench, true);
    for (const wrId of [1, 2, 3, 4]) write(held, wrId);
    driver.a.qp.postSend({ opcode: 'ENABLE', qp: held.a.qp, count: 2 });
    await bench.succeed(held.a.sendCq, 1, 2);
    await bench.quiet(held.a.sendCq);
    driver.a.qp.postSend({ opcode: 'ENABLE', qp: held.a.qp, count: 1 });
    await bench.succeed(held.a.sendCq, 3);
    await bench.quiet(held.a.sendCq);
  }),
  test('ENABLE behind a WAIT: one queue paces another', NEEDS, async (bench) => {
    const { driver, held } = two(bench, true);
    const clockwork = bench.pair();
    for (const wrId of [1, 2]) write(held, wrId);
    for (const _ of [1, 2]) {
      wait(clockwork.a, driver.a.sendCq, 1);
      clockwork.a.qp.postSend({ opcode: 'ENABLE', qp: held.a.qp, count: 1 });
    }
    for (const wrId of [1, 2]) {
      await bench.quiet(held.a.sendCq);
      write(driver, 10);
      await bench.succeed(held.a.sendCq, wrId);
    }
  }),
  test('ENABLE of a queue pair of another device is refused', NEEDS, async (bench) => {
    const { driver, held } = two(bench, true);
    expectRefused('WRONG_OWNER', () => driver.a.qp.postSend({ opcode: 'ENABLE', qp: held.b.qp, count: 1 }));
  }),
];
