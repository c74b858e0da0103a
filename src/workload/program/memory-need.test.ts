import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openTestbedFor } from '../../testbeds/index.js';
import { resolveWorkload, runWorkload, type WorkloadInput } from '../index.js';
import { memoryNeed, requireMemory } from './memory-need.js';

const PLENTY = { heapBytes: 4e9, totalBytes: 16e9 };

function use(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The same once nothing more of earlier work is given back. */
async function settledUse(): Promise<number> {
  let least = use();
  for (;;) {
    await new Promise(setImmediate);
    const now = use();
    if (now > 0.99 * least) return now;
    least = now;
  }
}

/** Bytes that a workload takes on simulated devices in its first slices. */
async function taken(input: WorkloadInput): Promise<number> {
  const workload = resolveWorkload(input);
  const before = await settledUse();
  const testbed = await openTestbedFor(workload, {});
  const abort = new AbortController();
  let most = 0;
  const onSlice = () => {
    most = Math.max(most, use() - before);
    abort.abort();
  };
  await runWorkload(workload, testbed, { signal: abort.signal, onSlice });
  await testbed.close();
  return most;
}

describe('the memory that a workload will need', () => {
  it.each<WorkloadInput>([
    { qps: 1000 },
    { qps: 300, sendQueueDepth: 1024 },
    { qps: 300, opcode: 'SEND', sendQueueDepth: 1024 },
    { qps: 50, mrs: 1000 },
  ])('is estimated within a factor of two and a half: %j', async (input) => {
    const { heapBytes, bufferBytes } = memoryNeed(resolveWorkload(input), false);
    const ratio = (heapBytes + bufferBytes) / (await taken(input));
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(2.5);
  });

  it('is refused with the estimate and the limit before anything is made', () => {
    const refusal = (input: WorkloadInput, backed = false) => {
      try {
        requireMemory(resolveWorkload(input), backed, PLENTY);
      } catch (error) {
        return error as Error;
      }
      return null;
    };
    expect(refusal({ qps: 100_000 })).toBeNull();
    expect(refusal({ qps: 1_000_000 })).toMatchObject({
      code: 'NOT_ENOUGH_MEMORY',
      message: expect.stringMatching(
        /1000000 connections.*heap is 'about 2\d.\d GB', allowed: up to 4.00 GB/,
      ),
    });
    // Memory without bytes costs nothing; memory with bytes is bytes.
    expect(refusal({ mrBytes: 1e12 })).toBeNull();
    expect(refusal({ mrBytes: 1e12 }, true)).toMatchObject({
      message: expect.stringMatching(/memory is 'about 2000 GB', allowed: up to 16.0 GB/),
    });
  });
});
