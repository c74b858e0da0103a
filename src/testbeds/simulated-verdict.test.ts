import { describe, expect, it } from 'vitest';
import { type Measurement, resolveWorkload, runWorkload, type WorkloadInput } from '../workload/index.js';
import { openTestbed } from './index.js';

// Goal: the verdict an operator would give, on workloads whose answer is known.

const brief = { minNs: 200_000, maxNs: 400_000 };

async function run(
  subsystem: string,
  input: WorkloadInput,
  { hosts = 2, seed = 1 } = {},
): Promise<Measurement> {
  const testbed = await openTestbed({ subsystem, hosts, seed });
  try {
    return await runWorkload(resolveWorkload({ measure: brief, ...input } as WorkloadInput), testbed, {
      seed,
    });
  } finally {
    await testbed.close();
  }
}

describe('the verdict on a simulated subsystem', () => {
  it.each([4, 128])('calls an incast that fills a port what it is, depth %i', async (sendQueueDepth) => {
    const incast: WorkloadInput = {
      direction: 'nToOne',
      to: 'c',
      senders: { hosts: 2, otherHost: 4, sameHost: 0 },
      sendQueueDepth,
      measure: { minNs: 1_500_000, maxNs: 1_500_000 },
    };
    const measurement = await run('collie-f', incast, { hosts: 3 });
    expect(measurement.verdict).toMatchObject({ anomaly: false, limited: 'line' });
    expect(measurement.verdict.why).toMatch(/^host c's port is full: 19\d\.\d Gb\/s received/);
    // The switch holds the senders back; the receiver's NIC does not.
    const [a, , c] = measurement.hosts;
    expect(a.pausedRatio).toBeGreaterThan(0.1);
    expect(c.pauseRatio).toBe(0);
  });

  it.each([64, 256, 384])('counts no packet that the receiver dropped: #2 with %i B', async (size) => {
    const { verdict, total, hosts } = await run('collie-f', {
      ...{ transport: 'UD', opcode: 'SEND', qps: 16, mtu: 1024, batch: 4 },
      ...{ sendQueueDepth: 1024, receiveQueueDepth: 1024, sizes: [size] },
    });
    expect(hosts[0].port!.txPacketsPerSecond).toBeGreaterThan(0.8 * verdict.bounds!.packetsPerSecond);
    expect(total.packetsPerSecond).toBeLessThan(0.5 * hosts[0].port!.txPacketsPerSecond);
    expect(verdict).toMatchObject({ anomaly: true, symptom: 'throughput' });
  });

  it.each([1, 2, 3])('sees that one core is saturated, seed %i', async (seed) => {
    const input: WorkloadInput = {
      ...{ opcode: 'SEND', qps: 4, threads: 1, sizes: [64], signalEvery: 100 },
      receiveQueueDepth: 512,
    };
    const { verdict, hosts } = await run('collie-b', input, { seed });
    expect(verdict).toMatchObject({ anomaly: false, limited: 'generator' });
    expect(hosts[0].busyShare).toBeGreaterThanOrEqual(0.95);
    expect(hosts[0].busyShare).toBeLessThanOrEqual(1);
  });

  it('sees both directions alike where every thread sends and receives', async () => {
    const { directions, verdict } = await run('collie-f', {
      opcode: 'SEND',
      direction: 'bi',
      qps: 8,
      sendQueueDepth: 256,
      receiveQueueDepth: 256,
      batch: 4,
      sizes: [128],
    });
    const [there, back] = directions.map(({ goodputGbps }) => goodputGbps);
    expect(there).toBeGreaterThan(60);
    expect(back / there).toBeCloseTo(1, 1);
    expect(verdict.anomaly).toBe(false);
  });

  it.each([640, 1024])(
    'calls READs of %i queue pairs slower, and sees no pauses: Storm, SYSTOR 2019',
    async (qps) => {
      const { pauseRatio, total } = await run('collie-f', {
        ...{ opcode: 'READ', qps, sendQueueDepth: 128, batch: 128, sizes: [256] },
        measure: { minNs: 1_000_000, maxNs: 3_000_000 },
      });
      expect(pauseRatio).toBe(0);
      // With 64 queue pairs it is 60 million.
      expect(total.messagesPerSecond).toBeGreaterThan(35e6);
      expect(total.messagesPerSecond).toBeLessThan(59e6);
    },
  );

  it('sees no pauses where SENDs are lost on the way: those that come after a lost one are refused unread', async () => {
    const workload = resolveWorkload({ opcode: 'SEND', qps: 1, sizes: [4096], receiveQueueDepth: 512 });
    const testbed = await openTestbed({
      subsystem: 'collie-f',
      seed: 1,
      impairments: { h1: { loss: 0.01 } },
    });
    const { pauseRatio, total } = await runWorkload(workload, testbed, { seed: 1 });
    await testbed.close();
    expect(pauseRatio).toBe(0);
    expect(total.goodputGbps).toBeGreaterThan(20);
  });

  it('lets messages of a few short packets alone on a host with strict ordering', async () => {
    const { verdict } = await run('collie-e', {
      opcode: 'SEND',
      direction: 'bi',
      qps: 32,
      sendQueueDepth: 32,
      mtu: 512,
      sizes: [1543],
    });
    expect(verdict).toMatchObject({ anomaly: false });
  });

  it('says that queues wait for receives, where messages come before those are posted', async () => {
    const { verdict, limits } = await run('collie-f', {
      opcode: 'SEND',
      qps: 8,
      sendQueueDepth: 256,
      receiveQueueDepth: 4,
      batch: 4,
      sizes: [128],
    });
    expect(verdict).toMatchObject({ anomaly: false, limited: 'generator' });
    expect(verdict.why).toMatch(/messages reach host [ab] before a receive is posted, and wait \d\d/);
    expect(limits.part?.kind).toBe('workload');
    expect(limits.by).toMatch(/messages reach host [ab] before a receive is posted/);
  });

  it.each([
    ['FETCH_ADD', 'husky'],
    ['READ', 'husky-chelsio'],
  ] as const)('calls no %s slow that is as fast as published on %s', async (opcode, subsystem) => {
    const { verdict } = await run(subsystem, { opcode, qps: 16, sizes: [8], batch: 16 });
    expect(verdict).toMatchObject({ anomaly: false, limited: 'packets' });
  });

  it('gives no share above the whole where the messages were counted', async () => {
    const { verdict, hosts } = await run('collie-f', { iterations: 3 });
    expect(verdict.limited).toBe('generator');
    for (const { busyShare } of hosts) expect(busyShare).toBeLessThanOrEqual(1);
    expect(Number(/([\d.]+) %/.exec(verdict.why)![1])).toBeLessThanOrEqual(100);
  });
});
