import { describe, expect, it } from 'vitest';
import {
  resolveWorkload,
  runWorkload,
  type TenantMeasurement,
  type WorkloadInput,
} from '../workload/index.js';
import { openTestbed } from './index.js';

// Goal: latencies that an operator would trust: for deep queues they follow Little's law, or are not reported.

async function latency(input: WorkloadInput, followLatency: boolean) {
  const testbed = await openTestbed({ subsystem: 'collie-f', seed: 1 });
  try {
    const { tenants } = await runWorkload(resolveWorkload(input), testbed, { seed: 1, followLatency });
    return tenants[0] as TenantMeasurement;
  } finally {
    await testbed.close();
  }
}

describe('latency on a simulated subsystem', () => {
  it.each<[string, WorkloadInput]>([
    ['deep queues of long messages', { sizes: [65536], qps: 16 }],
    ['one queue pair', { sizes: [4096], qps: 1 }],
    ['posts of several with several completions', { sizes: [64], qps: 8, batch: 16, signalEvery: 4 }],
    ['READs', { opcode: 'READ', sizes: [4096], qps: 4 }],
  ])('is what depth and rate say: %s', async (_, input) => {
    const { latencyNs, messagesPerSecond } = await latency(input, true);
    const { qps = 1, sendQueueDepth = 128 } = input as { qps?: number; sendQueueDepth?: number };
    expect(latencyNs).toMatchObject({ waiting: 0, doubt: null });
    expect(latencyNs!.mean! / latencyNs!.little!).toBeCloseTo(1, 1);
    // A queue is refilled one post at a time, so it is not full all the time.
    const fullNs = ((qps * sendQueueDepth) / messagesPerSecond) * 1e9;
    expect(latencyNs!.mean! / fullNs).toBeGreaterThan(0.85);
    expect(latencyNs!.mean! / fullNs).toBeLessThan(1.05);
  });

  it('gives no figure of requests that outlast the run', async () => {
    const { latencyNs } = await latency({ sizes: [65536], qps: 16 }, false);
    expect(latencyNs).toMatchObject({ mean: null, p50: null, p99: null, p999: null, max: null });
    expect(latencyNs!.little! / 5.5e6).toBeCloseTo(1, 1);
    expect(latencyNs!.doubt).toMatch(
      /before the run ended; by Little's law a request takes 5[45]\d\d\.\d\d us/,
    );
  });

  it('changes no rate by following requests to their end', async () => {
    const [plain, followed] = await Promise.all(
      [false, true].map((follow) => latency({ sizes: [65536], qps: 16 }, follow)),
    );
    expect({ ...followed, latencyNs: null }).toEqual({ ...plain, latencyNs: null });
  });
});
