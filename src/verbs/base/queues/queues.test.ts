import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { IDEAL_CAPABILITIES, IDEAL_LIMITS } from '../../../providers/ideal/device.js';
import { parseGid } from '../../../wire/ib/gid.js';
import { ACCESS_REMOTE, Access } from '../../access.js';
import type { QpInit } from '../../queue-pair.js';
import { emptyWorkCompletion, type WcStatus } from '../../work-completion.js';
import type { QueuePairCarrier } from '../carrier.js';
import { NO_SLOT, Status, WcOp } from '../codes.js';
import { AddressSpace } from '../memory/address-space.js';
import type { BaseCompletionQueue } from '../objects/completion-queue.js';
import { BaseContext } from '../objects/context.js';
import type { BaseQueuePair } from '../objects/queue-pair.js';
import { QpNumbers } from '../qp-numbers.js';

/** A carrier that does nothing by itself: the test takes and ends the requests. */
function manualCarrier() {
  const log: string[] = [];
  const carrier: QueuePairCarrier = {
    created: () => undefined,
    posted: (qp, count) => void log.push(`posted ${count} ${qp.qpNum}`),
    sendReady: (qp) => void log.push(`ready ${qp.qpNum}`),
    receivesPosted: (_, count) => void log.push(`receives ${count}`),
    stateChanged: (qp, from) => void log.push(`${from}-${qp.state}`),
    destroyed: () => void log.push('destroyed'),
    settle: () => undefined,
    waiting: () => undefined,
    counters: () => ({}),
  };
  return { carrier, log };
}

function makeContext(limits = {}) {
  const { carrier, log } = manualCarrier();
  const random = new Random(1);
  const context = new BaseContext({
    deviceName: 'manual0',
    capabilities: IDEAL_CAPABILITIES,
    clock: { nowNs: 5, virtual: true, sleep: async () => undefined },
    device: { ...IDEAL_LIMITS, ...limits },
    ports: [{ attr: { state: 'ACTIVE', activeMtu: 1024, maxMtu: 4096, gidTableLength: 1 }, gids: ['::1'] }],
    carrier,
    qpNumbers: new QpNumbers(),
    addresses: new AddressSpace(),
    random: () => random.nextUint32(),
    parseGid,
  });
  return { context, log };
}

function makeQp(options: Partial<QpInit> & { cqe?: number; maxRdAtomic?: number } = {}) {
  const { context, log } = makeContext();
  const cq = context.createCq({ cqe: options.cqe ?? 64 }) as BaseCompletionQueue;
  const pd = context.allocPd();
  const cap = { maxSendWr: 8, maxRecvWr: 8, ...options.cap };
  const qp = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, ...options, cap }) as BaseQueuePair;
  connect(qp, options.maxRdAtomic ?? 2);
  return { context, cq, pd, qp, log };
}

function connect(qp: BaseQueuePair, maxRdAtomic = 2): void {
  qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: ACCESS_REMOTE });
  const responder = qp.qpType === 'RC' ? { maxDestRdAtomic: 1, minRnrTimer: 1 } : {};
  qp.modify({ state: 'RTR', ahAttr: { dgid: '::1' }, pathMtu: 1024, destQpNum: 1, rqPsn: 0, ...responder });
  const requester = qp.qpType === 'RC' ? { timeout: 1, retryCnt: 1, rnrRetry: 1, maxRdAtomic } : {};
  qp.modify({ state: 'RTS', sqPsn: 0, ...requester });
}

function write(wrId: number, more = {}) {
  return { opcode: 'RDMA_WRITE', wrId, remoteAddr: 0, rkey: 0, signaled: true, ...more } as const;
}

function read(wrId: number, more = {}) {
  return { opcode: 'RDMA_READ', wrId, remoteAddr: 0, rkey: 0, signaled: true, ...more } as const;
}

function polled(cq: BaseCompletionQueue): [number, WcStatus][] {
  return cq.poll(100).map(({ wrId, status }) => [wrId, status]);
}

describe('a send queue', () => {
  it('completes in the order of posting, in whatever order requests end', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), (order) => {
        const { qp, cq } = makeQp();
        const taken: number[] = [];
        for (let wrId = 0; wrId < 8; wrId++) qp.postSend(write(wrId));
        for (let wqe = qp.sends.take(); wqe !== NO_SLOT; wqe = qp.sends.take()) taken.push(wqe);
        const seen: number[] = [];
        for (const which of order) {
          qp.sends.finish(taken[which], Status.SUCCESS);
          seen.push(...cq.poll(8).map(({ wrId }) => wrId));
        }
        expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
        expect(qp.sends.outstanding).toBe(0);
      }),
    );
  });

  it('a failure completes behind those before it, then everything else is flushed', () => {
    const { qp, cq, log } = makeQp();
    qp.postSend([1, 2, 3, 4].map((wrId) => write(wrId, { signaled: false })));
    const [first, second] = [qp.sends.take(), qp.sends.take()];
    qp.sends.finish(second, Status.REM_ACCESS_ERR, 77);
    expect(qp.sends.take()).toBe(NO_SLOT);
    expect(cq.poll(9)).toEqual([]);
    qp.sends.finish(first, Status.SUCCESS);
    const found = cq.poll(9);
    expect(found.map(({ wrId, status, vendorErr }) => [wrId, status, vendorErr])).toEqual([
      [2, 'REM_ACCESS_ERR', 77],
      [3, 'WR_FLUSH_ERR', 0],
      [4, 'WR_FLUSH_ERR', 0],
    ]);
    expect([qp.state, log.at(-1)]).toEqual(['ERR', 'RTS-ERR']);
  });

  it('of UC goes to SQE, still receives, and comes back', () => {
    const { qp, cq } = makeQp({ qpType: 'UC' });
    qp.postSend([write(1), write(2)]);
    qp.sends.finish(qp.sends.take(), Status.LOC_PROT_ERR);
    expect(polled(cq)).toEqual([
      [1, 'LOC_PROT_ERR'],
      [2, 'WR_FLUSH_ERR'],
    ]);
    expect(qp.state).toBe('SQE');
    qp.postRecv({ wrId: 9 });
    qp.postSend(write(3));
    expect(polled(cq)).toEqual([[3, 'WR_FLUSH_ERR']]);
    qp.modify({ state: 'RTS' });
    qp.postSend(write(4));
    qp.sends.finish(qp.sends.take(), Status.SUCCESS);
    expect(polled(cq)).toEqual([[4, 'SUCCESS']]);
  });

  it('a place is free when its completion or a later one was polled, not before', () => {
    const { qp, cq } = makeQp({ cap: { maxSendWr: 3 } });
    const end = () => qp.sends.finish(qp.sends.take(), Status.SUCCESS);
    qp.postSend([write(1, { signaled: false }), write(2, { signaled: false })]);
    end();
    end();
    qp.postSend(write(3));
    expect(() => qp.postSend(write(4))).toThrow(
      expect.objectContaining({ code: 'QUEUE_FULL', badWrIndex: 0 }),
    );
    end();
    expect(() => qp.postSend(write(4))).toThrow(expect.objectContaining({ code: 'QUEUE_FULL' }));
    expect(polled(cq)).toEqual([[3, 'SUCCESS']]);
    expect(() => qp.postSend([4, 5, 6, 7].map((wrId) => write(wrId)))).toThrow(
      expect.objectContaining({ code: 'QUEUE_FULL', badWrIndex: 3 }),
    );
    expect(qp.sends.outstanding).toBe(3);
  });

  it('keeps its count when the 32-bit counters wrap', () => {
    const { qp, cq } = makeQp({ cap: { maxSendWr: 2 } });
    qp.sends.posted = qp.sends.ended = qp.sends.released = 0xffffffff;
    for (let wrId = 0; wrId < 5; wrId++) {
      qp.postSend(write(wrId));
      qp.sends.finish(qp.sends.take(), Status.SUCCESS);
      expect(qp.sends.outstanding).toBe(1);
      expect(polled(cq)).toEqual([[wrId, 'SUCCESS']]);
    }
  });

  it('tells the carrier how many requests a call posted, with those of a call that was refused', () => {
    const { qp, log } = makeQp({ cap: { maxSendWr: 3 } });
    log.length = 0;
    qp.postSend([write(1), write(2)]);
    expect(() => qp.postSend([write(3), write(4)])).toThrow();
    expect(() => qp.postSend(write(5))).toThrow();
    qp.postSend([]);
    expect(log).toEqual([`posted 2 ${qp.qpNum}`, `posted 1 ${qp.qpNum}`]);
  });

  it('tells it in SQD too, and of nothing that is flushed at once', () => {
    const { qp, log } = makeQp();
    qp.modify({ state: 'SQD' });
    log.length = 0;
    qp.postSend(write(1));
    qp.modify({ state: 'RTS' });
    qp.modify({ state: 'ERR' });
    qp.postSend(write(2));
    expect(log).toEqual([`posted 1 ${qp.qpNum}`, 'SQD-RTS', `ready ${qp.qpNum}`, 'RTS-ERR']);
  });

  it('holds back READs beyond maxRdAtomic and requests behind a fence', () => {
    const { qp, log } = makeQp({ maxRdAtomic: 1 });
    qp.postSend([read(1), read(2), write(3, { fence: true }), write(4)]);
    const first = qp.sends.take();
    expect(qp.sends.take()).toBe(NO_SLOT);
    log.length = 0;
    qp.sends.finish(first, Status.SUCCESS);
    expect(log).toEqual([`ready ${qp.qpNum}`]);
    const second = qp.sends.take();
    expect(qp.sends.take()).toBe(NO_SLOT);
    qp.sends.finish(second, Status.SUCCESS);
    expect([qp.sends.take(), qp.sends.take()]).not.toContain(NO_SLOT);
  });

  it('hands out nothing in SQD and says when it has drained', () => {
    const { qp, context } = makeQp();
    qp.postSend([write(1), write(2)]);
    const first = qp.sends.take();
    qp.modify({ state: 'SQD', enSqdAsyncNotify: true });
    expect(qp.sends.take()).toBe(NO_SLOT);
    expect(context.tryGetAsyncEvent()).toBeNull();
    qp.sends.finish(first, Status.SUCCESS);
    expect(context.tryGetAsyncEvent()?.type).toBe('SQ_DRAINED');
    expect(context.tryGetAsyncEvent()).toBeNull();
    qp.modify({ state: 'RTS' });
    expect(qp.sends.take()).not.toBe(NO_SLOT);
  });

  it('copies the request: the object may be changed at once', () => {
    const { qp, context } = makeQp({ cap: { maxInlineData: 8 } });
    const inlineData = Uint8Array.of(1, 2);
    const wr = { ...write(1), inlineData };
    qp.postSend(wr);
    inlineData[0] = 9;
    wr.wrId = 2;
    const wqe = qp.sends.take();
    expect([...context.wqes.inlineOf(wqe)]).toEqual([1, 2]);
    expect(context.wqes.wrId[wqe]).toBe(1);
  });
});

describe('the pools of a device', () => {
  it('hold nothing once everything was polled, flushed or destroyed', () => {
    const step = fc.constantFrom('send', 'recv', 'take', 'finish', 'receive', 'poll', 'error', 'reset');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { qp, cq, context } = makeQp();
        const taken: number[] = [];
        for (const each of steps) {
          if (each === 'send' && qp.state !== 'RESET' && qp.sends.outstanding < 8) qp.postSend(read(1));
          if (each === 'recv' && qp.state !== 'RESET' && qp.receives.inUse < 8) qp.postRecv({ wrId: 2 });
          if (each === 'take') taken.push(...[qp.sends.take()].filter((wqe) => wqe !== NO_SLOT));
          if (each === 'finish' && taken.length > 0) qp.sends.finish(taken.pop()!, Status.SUCCESS);
          if (each === 'receive' && qp.state === 'RTS' && qp.takeReceive() !== NO_SLOT) {
            qp.completeReceive(Status.SUCCESS, WcOp.RECV, 0, 0, 0, 0, false);
          }
          if (each === 'poll') cq.poll();
          if (each === 'error' || each === 'reset') {
            qp.modify({ state: each === 'error' ? 'ERR' : 'RESET' });
            taken.length = 0;
            if (each === 'reset') connect(qp);
          }
          expect(qp.sends.outstanding).toBeLessThanOrEqual(8);
        }
        qp.destroy();
        expect([context.wqes.used, context.cqes.used, cq.poll(1)]).toEqual([0, 0, []]);
      }),
    );
  });

  it('20,000 queue pairs with deep queues cost no slot until something is posted', () => {
    const { context } = makeContext();
    const cq = context.createCq({ cqe: 1 });
    const pd = context.allocPd();
    const cap = { maxSendWr: 128, maxRecvWr: 128 };
    const numbers = new Set<number>();
    for (let index = 0; index < 20_000; index++) {
      numbers.add(pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap }).qpNum);
    }
    expect([numbers.size, context.wqes.capacity, context.cqes.capacity]).toEqual([20_000, 0, 0]);
  });
});

describe('a completion queue', () => {
  it('fills the given objects and leaves the others alone', () => {
    const { qp, cq } = makeQp();
    qp.modify({ state: 'ERR' });
    qp.postRecv([{ wrId: 1 }, { wrId: 2 }]);
    const slots = [emptyWorkCompletion(), emptyWorkCompletion(), { ...emptyWorkCompletion(), wrId: 42 }];
    expect(cq.pollInto(slots)).toBe(2);
    expect(slots.map(({ wrId }) => wrId)).toEqual([1, 2, 42]);
    expect(slots[0]).toMatchObject({ status: 'WR_FLUSH_ERR', qpNum: qp.qpNum, timestampNs: 5 });
  });

  it('that overruns dies with its queue pairs, once', () => {
    const { qp, cq, context } = makeQp({ cqe: 1 });
    qp.postSend([write(1), write(2), write(3)]);
    const [first, second] = [qp.sends.take(), qp.sends.take()];
    qp.sends.finish(first, Status.SUCCESS);
    qp.sends.finish(second, Status.SUCCESS);
    expect(qp.state).toBe('ERR');
    expect(context.tryGetAsyncEvent()).toMatchObject({ type: 'CQ_ERR' });
    expect(context.tryGetAsyncEvent()).toBeNull();
    expect(polled(cq)).toEqual([[1, 'SUCCESS']]);
    expect(context.wqes.used).toBe(0);
  });

  it('flushes sends before receives', () => {
    const { qp, cq } = makeQp();
    qp.postRecv([{ wrId: 10 }, { wrId: 11 }]);
    qp.postSend([write(1), write(2)]);
    qp.takeReceive();
    qp.modify({ state: 'ERR' });
    expect(polled(cq).map(([wrId]) => wrId)).toEqual([1, 2, 10, 11]);
  });
});

describe('a carrier that holds completions back', () => {
  function makeHolding() {
    const made = makeQp();
    const held: [number, boolean][] = [];
    made.context.carrier.holdCompletion = (_, cqe, solicited) => void held.push([cqe, solicited]);
    made.qp.postSend([write(1), write(2)]);
    made.qp.sends.finish(made.qp.sends.take(), Status.SUCCESS);
    made.qp.sends.finish(made.qp.sends.take(), Status.SUCCESS);
    return { ...made, held };
  }

  it('decides when software sees them; WAIT counts them at once', () => {
    const { cq, qp, held } = makeHolding();
    expect([cq.generated, cq.poll(9), qp.sends.outstanding]).toEqual([2, [], 2]);
    cq.show(...held[0]);
    expect(polled(cq)).toEqual([[1, 'SUCCESS']]);
    cq.show(...held[1]);
    expect(polled(cq)).toEqual([[2, 'SUCCESS']]);
    expect(qp.sends.outstanding).toBe(0);
  });

  it('shows nothing of a queue pair that went in between', () => {
    const { cq, qp, held, context } = makeHolding();
    qp.destroy();
    for (const each of held) cq.show(...each);
    expect([cq.poll(9), context.cqes.used]).toEqual([[], 0]);
  });
});

describe('the limits of a device', () => {
  it.each(['maxPd', 'maxMr', 'maxMw', 'maxCq', 'maxSrq', 'maxAh', 'maxQp'])(
    '%s is kept, and what is freed counts no more',
    (limit) => {
      const { context } = makeContext({ [limit]: 1 });
      const pd = context.allocPd();
      const cq = context.createCq({ cqe: 1 });
      const make: Record<string, () => () => void> = {
        maxMr: () => {
          const mr = pd.regMr(new Uint8Array(1), 0);
          return () => mr.dereg();
        },
        maxMw: () => {
          const mw = pd.allocMw();
          return () => mw.dealloc();
        },
        maxSrq: () => {
          const srq = pd.createSrq({ maxWr: 1, maxSge: 1 });
          return () => srq.destroy();
        },
        maxAh: () => {
          const ah = pd.createAh({ dgid: '::2' });
          return () => ah.destroy();
        },
        maxQp: () => {
          const qp = pd.createQp({ qpType: 'UD', sendCq: cq, recvCq: cq, cap: {} });
          return () => qp.destroy();
        },
        maxPd: () => {
          const other = context.allocPd();
          return () => other.dealloc();
        },
        maxCq: () => {
          const other = context.createCq({ cqe: 1 });
          return () => other.destroy();
        },
      };
      const free =
        limit === 'maxPd' ? () => pd.dealloc() : limit === 'maxCq' ? () => cq.destroy() : make[limit]();
      expect(make[limit]).toThrow(expect.objectContaining({ code: 'LIMIT_REACHED', field: limit }));
      free();
      expect(make[limit]).not.toThrow();
    },
  );

  it('registration says what was wrong', () => {
    const pd = makeContext().context.allocPd();
    expect(() => pd.regMr(new Uint8Array(0), 0)).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE', field: 'lengthBytes' }),
    );
    expect(() => pd.regMr(new Uint8Array(8), Access.REMOTE_WRITE)).toThrow(
      expect.objectContaining({ code: 'BAD_ACCESS_FLAGS' }),
    );
    expect(() => pd.regMr(new Uint8Array(8), 1 << 30)).toThrow(
      expect.objectContaining({ code: 'BAD_ACCESS_FLAGS' }),
    );
    expect(() => pd.regMr(new Uint8Array(8), 0, { placement: 'gpu0' })).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED' }),
    );
    expect(() => pd.createAh({ dgid: '1.2.3' })).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE', field: 'dgid' }),
    );
    expect(pd.regMr(new Uint8Array(8), Access.ZERO_BASED).iova).toBe(0);
    expect(pd.regMr(new Uint8Array(8), 0, { iova: 4711 }).iova).toBe(4711);
  });
});
