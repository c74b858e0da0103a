import { describe, expect, it } from 'vitest';
import { IdealProvider } from '../../providers/ideal/index.js';
import { capabilitiesWithout } from '../../verbs/base/index.js';
import { Access, connectRcPair } from '../../verbs/index.js';
import { Classifier, type QueueUse } from './classifier.js';
import { PERF } from './constants.js';
import { perf, perfWith } from './perf.js';
import { Semaphore } from './semaphore.js';
import { TokenBucket } from './token-bucket.js';

function queue(unfinished: number): QueueUse {
  return { messages: 0, bytes: 0, unfinished: () => unfinished };
}

/** Two ideal devices as a tenant sees them that is always isolated. */
async function isolatedPair() {
  const provider = new IdealProvider();
  const hosts = await Promise.all(
    ['ideal0', 'ideal1'].map(async (device, index) => ({
      name: 'ab'[index],
      context: await provider.open(device),
    })),
  );
  const interposer = perfWith({ isolation: 'always' }).interpose!({ hosts, tenants: [], seed: 1 });
  const tenant = { name: 'one', index: 0, weight: 1, guaranteeGbps: 0, bypasses: false };
  const [left, right] = hosts.map((host) => interposer.wrap(host, tenant));
  return { interposer, left, right };
}

describe('the classifier', () => {
  it('takes a new application for delay-sensitive', () => {
    expect(new Classifier().type).toBe('D');
  });

  it('knows a bandwidth application by its mean message, at once', () => {
    const classifier = new Classifier();
    const one = queue(1);
    classifier.add(one);
    classifier.posted(one, PERF.largeBytes.value);
    expect(classifier.type).toBe('B');
  });

  it('takes the largest of several queue pairs', () => {
    const classifier = new Classifier();
    const [small, large] = [queue(1), queue(1)];
    classifier.add(small);
    classifier.add(large);
    for (let count = 0; count < 1000; count++) classifier.posted(small, 16);
    classifier.posted(large, 1 << 20);
    expect(classifier.type).toBe('B');
  });

  it('knows a message-intensive application by a long queue, for one second', () => {
    const classifier = new Classifier();
    let unfinished = PERF.longQueue.value + 1;
    const use: QueueUse = { messages: 0, bytes: 0, unfinished: () => unfinished };
    classifier.add(use);
    classifier.posted(use, 16);
    expect(classifier.type).toBe('D');
    classifier.look();
    expect(classifier.type).toBe('M');
    unfinished = 1;
    const looks = PERF.windowNs.value / PERF.sampleNs.value;
    for (let look = 0; look < looks - 1; look++) classifier.look();
    expect(classifier.type).toBe('M');
    classifier.look();
    expect(classifier.type).toBe('D');
  });
});

describe('a token bucket', () => {
  it('gives its rate and no more than its store at once', () => {
    const bucket = new TokenBucket(8, 1000);
    expect(bucket.spend(1000, 0)).toBe(true);
    expect(bucket.spend(1, 0)).toBe(false);
    expect(bucket.readyNs).toBe(1);
    expect(bucket.spend(500, 100)).toBe(true);
    expect(bucket.readyNs).toBe(100 + 401);
  });
});

describe('the semaphore in the device', () => {
  it('lets as many queue pairs go as it allows, and others when a token comes back', async () => {
    const provider = new IdealProvider();
    const [left, right] = [await provider.open('ideal0'), await provider.open('ideal1')];
    const semaphore = new Semaphore(left);
    semaphore.allow(1);
    const [first, second] = [connectRcPair(left, right)[0], connectRcPair(left, right)[0]];
    const empty = { opcode: 'RDMA_WRITE', sgList: [], remoteAddr: 0, rkey: 0, signaled: true } as const;
    first.qp.postSend([semaphore.acquire, empty]);
    second.qp.postSend([semaphore.acquire, empty]);
    expect(first.sendCq.poll(4)).toHaveLength(1);
    expect(second.sendCq.poll(4)).toHaveLength(0);
    first.qp.postSend(semaphore.release);
    expect(second.sendCq.poll(4)).toHaveLength(1);
  });
});

describe('perf', () => {
  const capabilities = capabilitiesWithout({ crossChannel: 'no managed queues' });

  it('says by name what it lacks', () => {
    const use = { provider: 'mine', capabilities, together: ['perf'], tenants: [] };
    expect(perf.refuses(use)).toMatch(/perf needs WAIT and ENABLE.*mine.*no managed queues/);
    expect(perf.refuses({ ...use, together: ['sr-iov', 'perf'] })).toMatch(/sr-iov/);
    expect(perf.refuses({ ...use, capabilities: { ...capabilities, crossChannel: true } })).toBeNull();
  });

  it('counts what it adds: a message of 64 KB is four sub-messages of 16 WAITs each', async () => {
    const { interposer, left, right } = await isolatedPair();
    const [a, b] = connectRcPair(left, right);
    const source = a.pd.regMr(new Uint8Array(65536).fill(7), Access.LOCAL_WRITE);
    const target = b.pd.regMr(new Uint8Array(65536), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      wrId: 5,
      sgList: [{ addr: source.addr, length: 65536, lkey: source.lkey }],
      remoteAddr: target.iova,
      rkey: target.rkey,
      signaled: true,
    });
    await left.clock.sleep(1e6);
    expect(a.sendCq.poll(9)).toMatchObject([{ wrId: 5, status: 'SUCCESS', byteLen: 65536 }]);
    expect(target.memory!.every((byte) => byte === 7)).toBe(true);
    const cost = interposer.cost();
    expect(cost.messages).toBe(1);
    // Four parts, 64 WAITs for nothing, a token taken and given back.
    expect(cost.workRequests).toBeGreaterThanOrEqual(4 + 64 + 2);
    expect(cost.pcieBytes).toBeGreaterThan(64 * (4 + 64));
    // A millisecond of which the worker used a few microseconds, and one look at a request.
    expect(cost.cpuNs / 1e6).toBeCloseTo(cost.insideShare + cost.threadShare, 2);
    expect(cost.insideShare).toBeGreaterThan(0);
    expect(cost.insideShare).toBeLessThan(0.05);
  });

  it('keeps a tenant going whose queue pair went with a token', async () => {
    const { left, right } = await isolatedPair();
    const [gone, goneFar] = connectRcPair(left, right);
    const [kept] = connectRcPair(left, right);
    const empty = { opcode: 'RDMA_WRITE', sgList: [], remoteAddr: 0, rkey: 0, signaled: true } as const;
    // A SEND without a receive keeps what follows it, the ENABLE too, from being done.
    goneFar.qp.modify({ state: 'ERR' });
    gone.qp.postSend({ opcode: 'SEND' });
    gone.qp.destroy();
    kept.qp.postSend({ ...empty, wrId: 9 });
    await left.clock.sleep(1e6);
    expect(kept.sendCq.poll(2)).toMatchObject([{ wrId: 9, status: 'SUCCESS' }]);
  });
});
