import type { CompletionChannel, CompletionQueue } from '../../completion-queue.js';
import { expectEqual } from './assert.js';
import type { ContractBench, Pair } from './bench.js';
import { type ContractCase, casesOf } from './case.js';

const test = casesOf('completion channel');

interface Watched extends Pair {
  channel: CompletionChannel;
  cq: CompletionQueue;
}

/** A pair whose right end receives on a queue with a channel. */
function watched(bench: ContractBench): Watched {
  const channel = bench.channel(bench.right);
  const cq = bench.cq(bench.right, { channel });
  return { ...bench.pair({ b: { recvCq: cq } }), channel, cq };
}

function send({ a, b }: Pair, wrId: number, solicited = false): void {
  b.qp.postRecv(b.recv(wrId, 0, 8));
  a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 8), solicited });
}

/** Lets time pass until a completion lies in the queue, without taking the event: the sender is told last. */
async function arrived(bench: ContractBench, { a }: Pair): Promise<void> {
  a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 999, signaled: true, sgList: [], remoteAddr: 0, rkey: 0 });
  await bench.succeed(a.sendCq, 999);
  await bench.right.clock.sleep(1e6);
}

const NEEDS = ['RC:SEND', 'RC:RDMA_WRITE'] as const;

/** Waiting without polling. */
export const channelCases: readonly ContractCase[] = [
  test('a completion raises one event for the queue that asked', NEEDS, async (bench) => {
    const all = watched(bench);
    expectEqual(all.cq.channel, all.channel, 'channel of the queue');
    all.cq.reqNotify();
    expectEqual(all.channel.tryGetCqEvent(), null, 'event before the completion');
    send(all, 1);
    expectEqual(
      await bench.settle('the event comes', all.channel.getCqEvent(), bench.right),
      all.cq,
      'queue of the event',
    );
    await bench.completion(all.cq, { wrId: 1 });
    expectEqual(all.channel.tryGetCqEvent(), null, 'second event');
  }),
  test('a program that only waits for the event gets it', NEEDS, async (bench) => {
    const all = watched(bench);
    all.cq.reqNotify();
    send(all, 1);
    const event = await withinTurns(all.channel.getCqEvent(), bench);
    expectEqual(event, all.cq, 'queue of the event');
    expectEqual(all.cq.poll()[0]?.wrId, 1, 'completion behind the event');
  }),
  test('without asking there is no event', NEEDS, async (bench) => {
    const all = watched(bench);
    send(all, 1);
    await arrived(bench, all);
    expectEqual(all.channel.tryGetCqEvent(), null, 'event');
    await bench.completion(all.cq, { wrId: 1 });
  }),
  test('asking once gives one event for many completions', NEEDS, async (bench) => {
    const all = watched(bench);
    all.cq.reqNotify();
    for (let at = 0; at < 4; at++) send(all, at);
    await arrived(bench, all);
    expectEqual(all.channel.tryGetCqEvent(), all.cq, 'first event');
    expectEqual(all.channel.tryGetCqEvent(), null, 'second event');
    all.cq.poll(4);
    all.cq.reqNotify();
    send(all, 5);
    await arrived(bench, all);
    expectEqual(all.channel.tryGetCqEvent(), all.cq, 'event after asking again');
  }),
  test('completions that were there before asking raise none', NEEDS, async (bench) => {
    const all = watched(bench);
    send(all, 1);
    await arrived(bench, all);
    all.cq.reqNotify();
    await bench.right.clock.sleep(1e6);
    expectEqual(all.channel.tryGetCqEvent(), null, 'event');
  }),
  test('solicitedOnly waits for a solicited message', NEEDS, async (bench) => {
    const all = watched(bench);
    all.cq.reqNotify({ solicitedOnly: true });
    send(all, 1);
    await arrived(bench, all);
    expectEqual(all.channel.tryGetCqEvent(), null, 'event of an unsolicited message');
    send(all, 2, true);
    await arrived(bench, all);
    expectEqual(all.channel.tryGetCqEvent(), all.cq, 'event of a solicited message');
  }),
  test(
    'solicitedOnly is raised by a solicited WRITE_WITH_IMM',
    [...NEEDS, 'RC:RDMA_WRITE_WITH_IMM'],
    async (bench) => {
      const all = watched(bench);
      all.cq.reqNotify({ solicitedOnly: true });
      all.b.qp.postRecv({});
      all.a.qp.postSend({
        opcode: 'RDMA_WRITE_WITH_IMM',
        sgList: all.a.at(0, 8),
        ...all.b.target(0),
        immData: 0,
        solicited: true,
      });
      await arrived(bench, all);
      expectEqual(all.channel.tryGetCqEvent(), all.cq, 'event');
    },
  ),
  test('solicitedOnly is raised by a failed completion', NEEDS, async (bench) => {
    const all = watched(bench);
    all.cq.reqNotify({ solicitedOnly: true });
    all.b.qp.postRecv(all.b.recv(1, 0, 8));
    all.b.qp.modify({ state: 'ERR' });
    expectEqual(
      await bench.settle('the event comes', all.channel.getCqEvent(), bench.right),
      all.cq,
      'queue of the event',
    );
  }),
  test('asking for any after asking for solicited widens the wish', NEEDS, async (bench) => {
    const all = watched(bench);
    all.cq.reqNotify({ solicitedOnly: true });
    all.cq.reqNotify();
    send(all, 1);
    await arrived(bench, all);
    expectEqual(all.channel.tryGetCqEvent(), all.cq, 'event');
  }),
  test('two queues share a channel', NEEDS, async (bench) => {
    const all = watched(bench);
    const cq = bench.cq(bench.right, { channel: all.channel });
    const other = bench.pair({ b: { recvCq: cq } });
    all.cq.reqNotify();
    cq.reqNotify();
    send(other, 1);
    expectEqual(
      await bench.settle('the event comes', all.channel.getCqEvent(), bench.right),
      cq,
      'first event',
    );
    send(all, 2);
    expectEqual(
      await bench.settle('the event comes', all.channel.getCqEvent(), bench.right),
      all.cq,
      'second event',
    );
  }),
  test('an abort ends the wait, and takes no event with it', NEEDS, async (bench) => {
    const all = watched(bench);
    const abort = new AbortController();
    const waiting = all.channel.getCqEvent(abort.signal).then(
      () => 'event',
      () => 'aborted',
    );
    await bench.right.clock.sleep(1000);
    abort.abort();
    expectEqual(await bench.settle('the wait ends', waiting, bench.right), 'aborted', 'outcome of the wait');
    const late = all.channel.getCqEvent(abort.signal).then(
      () => 'event',
      () => 'aborted',
    );
    expectEqual(
      await bench.settle('the wait ends', late, bench.right),
      'aborted',
      'outcome of a wait with an aborted signal',
    );
    all.cq.reqNotify();
    send(all, 1);
    expectEqual(
      await bench.settle('the event comes', all.channel.getCqEvent(), bench.right),
      all.cq,
      'queue of the event',
    );
  }),
];

/**
 * Waits for a promise without letting time pass by hand. On a virtual clock a wait must move time by itself, so a
 * bounded number of turns of the event loop is enough.
 */
async function withinTurns<T>(promise: Promise<T>, bench: ContractBench): Promise<T | null> {
  if (!bench.right.clock.virtual) return bench.settle('the event comes', promise, bench.right);
  let outcome: T | null = null;
  const seen = promise.then((value) => {
    outcome = value;
  });
  for (let turn = 0; turn < 50 && outcome === null; turn++) {
    await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, 0))]);
  }
  return outcome;
}
