import { describe, expect, it } from 'vitest';
import {
  deterministicPart,
  type Measurement,
  resolveWorkload,
  runWorkload,
  type WorkloadInput,
} from '../workload/index.js';
import { openTestbedFor } from './index.js';

// Goal: levels are the model's queue contents, agree with its counters, and reading them changes nothing else.

async function run(subsystem: string, input: WorkloadInput, levels = true): Promise<Measurement> {
  const measure = { minNs: 200_000, maxNs: 300_000 };
  const workload = resolveWorkload({ measure, ...input } as WorkloadInput);
  const testbed = await openTestbedFor(workload, { subsystem, seed: 1 });
  try {
    return await runWorkload(workload, testbed, { seed: 1, levels });
  } finally {
    await testbed.close();
  }
}

/** Collie #12, with data in one host's GPU: its peer is paused when it sends faster than the redirect can forward. */
const pausing = {
  ...{ direction: 'bi', qps: 4, memory: { a: 'memory0', b: 'gpu0' } },
  settings: { acs: 'redirect', ordering: 'relaxed' },
} satisfies WorkloadInput;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('levels of a run', () => {
  it('are kept on request, and nothing else is then different', async () => {
    const [plain, asked] = [await run('perf', { qps: 2 }, false), await run('perf', { qps: 2 })];
    const { levels, ...series } = asked.series;
    expect(plain.series.levels).toBeUndefined();
    expect(levels).toBeDefined();
    expect(deterministicPart({ ...asked, series })).toEqual(deterministicPart(plain));
  });

  it('have a value for each slice, within the room that there is, by the names of the measurement', async () => {
    const { series } = await run('collie-e', pausing);
    const { queues, links } = series.levels!;
    expect(queues.map(({ name }) => name)).toEqual([
      ...['a/send-queues', 'b/send-queues', 'a/rnic0/receive-buffer', 'b/rnic0/receive-buffer'],
      ...['a/rnic0/port', 'switch0/port0', 'b/rnic0/port', 'switch0/port1', 'switch0'],
    ]);
    for (const { name, levels, room } of queues) {
      expect(levels, name).toHaveLength(series.timeNs.length);
      for (const level of levels) expect(level, name).toBeGreaterThanOrEqual(0);
      if (room !== null) expect(Math.max(...levels), name).toBeLessThanOrEqual(room);
    }
    for (const { name, busy } of links) {
      expect(busy, name).toHaveLength(series.timeNs.length);
    }
  });

  it('show the receive buffer of a NIC that pauses filled beyond XON, and that of a clean one nearly empty', async () => {
    const filled = ({ series }: Measurement) =>
      Math.max(
        ...series.levels!.queues.flatMap(({ kind, levels }) => (kind === 'receive buffer' ? levels : [])),
      );
    const [slow, clean] = [await run('collie-e', pausing), await run('collie-e', { qps: 4 })];
    expect(slow.verdict.symptom).toBe('pause');
    expect(clean.pauseRatio).toBe(0);
    expect(filled(slow)).toBeGreaterThan(10 * Math.max(1, filled(clean)));
  });

  it('count the bytes of a cable as the ports at its ends count them', async () => {
    const { series } = await run('collie-f', { qps: 4 });
    const cable = series.levels!.links.find(({ kind, bytes }) => kind === 'cable' && sum(bytes) > 1e6)!;
    const counted = sum(series.hosts['a'].counters['tx_bytes_phy']);
    // The cable counts a frame once it has begun to leave; the port counts it when its last bit has left.
    expect(Math.abs(sum(cable.bytes) - counted)).toBeLessThanOrEqual(9000);
    expect(Math.max(...cable.busy)).toBeGreaterThan(0.95);
    expect(Math.max(...cable.busy)).toBeLessThanOrEqual(1.02);
  });
});
