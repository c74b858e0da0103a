import { afterEach, describe, expect, it } from 'vitest';
import { FaultPlan, faults } from '../../../link/middleware/index.js';
import {
  ACCESS_REMOTE,
  Access,
  connectRcPair,
  type QueuePair,
  waitForCompletions,
} from '../../../verbs/index.js';
import { loopbackAddress } from '../loopback-address.js';
import { type SoftwareContext, type SoftwareOptions, SoftwareProvider } from '../provider.js';
import type { RecoveryName } from './recovery.js';

const opened: SoftwareContext[] = [];
async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((each) => each.close()));
}
afterEach(closeAll);

async function open(index: number, options: SoftwareOptions = {}): Promise<SoftwareContext> {
  const context = await new SoftwareProvider(options).open(loopbackAddress(index));
  opened.push(context);
  return context;
}

/** Writes `packets` packets of 1 KB in one message while the plan strikes; how many packets were sent again. */
async function written(packets: number, plan: FaultPlan, from: RecoveryName, to = from): Promise<number> {
  const bytes = packets * 1024;
  const wrapLink = faults(plan, (delayNs, task) => setTimeout(task, delayNs / 1e6));
  const left = await open(31, { recovery: from, wrapLink, windowPackets: 128 });
  const right = await open(32, { recovery: to });
  const [a, b] = connectRcPair(left, right, { pathMtu: 1024 });
  const source = a.pd.regMr(new Uint8Array(bytes).fill(7), Access.LOCAL_WRITE);
  const target = b.pd.regMr(new Uint8Array(bytes), Access.LOCAL_WRITE | ACCESS_REMOTE);
  a.qp.postSend({
    opcode: 'RDMA_WRITE',
    sgList: [{ addr: source.addr, length: bytes, lkey: source.lkey }],
    remoteAddr: target.iova,
    rkey: target.rkey,
    signaled: true,
  });
  const [completion] = await waitForCompletions(a.sendCq);
  expect(completion!.status).toBe('SUCCESS');
  expect(target.memory!.every((byte) => byte === 7)).toBe(true);
  const again = left.counters().retransmitted_packets!;
  await closeAll();
  return again;
}

describe('under 1 % loss of what is sent', () => {
  it('selective repeat sends again what was lost, go-back-N many times that', async () => {
    const run = async (recovery: RecoveryName) => {
      const plan = new FaultPlan({ rates: { loss: 0.01, direction: 'sent' }, seed: 3 });
      return { again: await written(2048, plan, recovery), lost: plan.struck.drop };
    };
    const goBackN = await run('go-back-n');
    expect(goBackN.again).toBeGreaterThan(3 * goBackN.lost);
    for (const recovery of ['irn', 'srnic', 'melo'] as const) {
      const { again, lost } = await run(recovery);
      expect(lost).toBeGreaterThan(5);
      // A timeout, where the machine is busy, sends one more.
      expect(again, recovery).toBeGreaterThanOrEqual(lost);
      expect(again, recovery).toBeLessThan(2 * lost);
    }
  });
});

describe('where packet 9 of the 16 of a message is lost', () => {
  it.each([
    ['go-back-0', 'go-back-0', 16],
    // The peer of other devices names the packet that it misses, or takes what it has for duplicates.
    ['go-back-0', 'go-back-n', 7],
    ['go-back-n', 'go-back-0', 16],
    ['go-back-n', 'go-back-n', 7],
    ['irn', 'irn', 1],
  ] as const)('%s sends %s so many again: %i', async (from, to, least) => {
    const rule = { action: 'drop', direction: 'sent', psn: 9, transmission: 1 } as const;
    const again = await written(16, new FaultPlan({ rules: [rule] }), from, to);
    expect(again).toBeGreaterThanOrEqual(least);
    // What a timeout sends besides, where the machine is busy, is once more as much at most.
    expect(again).toBeLessThanOrEqual(2 * least);
  });
});

describe('what two devices agree on', () => {
  function queuePair(context: SoftwareContext): QueuePair {
    const cq = context.createCq({ cqe: 4 });
    const cap = { maxSendWr: 1, maxRecvWr: 1, maxSendSge: 1, maxRecvSge: 1 };
    return context.allocPd().createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
  }

  /** Connects two devices and says what each has then, and the private data that each got. */
  async function agreed(asks: RecoveryName, answers: RecoveryName, bytes = 3) {
    const [left, right] = [await open(33, { recovery: asks }), await open(34, { recovery: answers })];
    const [client, server] = [queuePair(left), queuePair(right)];
    let asked = new Uint8Array(0);
    const listener = right.createConnectionManager().listen(7471, (request) => {
      asked = request.privateData.slice();
      request.accept(server, { privateData: Uint8Array.of(5) });
    });
    const privateData = new Uint8Array(bytes).fill(9);
    const target = { address: loopbackAddress(34), port: 7471, privateData };
    const connection = await left.createConnectionManager().connect(client, target);
    const selective = [left.software.isSelective(client.qpNum), right.software.isSelective(server.qpNum)];
    // Programs at both ends find what was written, and nothing of what the devices said to each other.
    expect(asked.subarray(0, bytes).every((byte) => byte === 9)).toBe(true);
    if (answers !== 'go-back-n') expect(asked.subarray(bytes).every((byte) => byte === 0)).toBe(true);
    expect([...connection.privateData].filter((byte) => byte !== 0)).toEqual([5]);
    await connection.disconnect();
    listener.close();
    await closeAll();
    return selective;
  }

  it.each([
    ['go-back-n', 'go-back-n', false],
    ['irn', 'go-back-n', false],
    ['go-back-n', 'irn', false],
    ['irn', 'irn', true],
    ['irn', 'srnic', true],
    ['melo', 'srnic', true],
  ] as const)('%s asks %s', async (asks, answers, selective) => {
    expect(await agreed(asks, answers)).toEqual([selective, selective]);
  });

  it('is go-back-N where a program leaves no room in its private data', async () => {
    expect(await agreed('irn', 'irn', 53)).toEqual([false, false]);
    expect(await agreed('irn', 'irn', 52)).toEqual([true, true]);
  });

  it('is nothing that a program can misspell', async () => {
    const provider = new SoftwareProvider({ recovery: 'sack' as RecoveryName });
    await expect(provider.open(loopbackAddress(35))).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
      field: 'recovery',
    });
  });
});
