import { describe, expect, it } from 'vitest';
import { openTestbed } from '../../testbeds/index.js';
import type { Testbed } from '../../workload/index.js';
import { Bench, InterruptedRow, type OpenOptions } from './bench.js';
import { boardTasks, runTask } from './task.js';

// Goal: rows run on whatever is opened for them, leave nothing open, and a run that fails is a red row, not a crash.

const ideal = (hosts: number): Promise<Testbed> => openTestbed({ provider: 'ideal', hosts });

const quick = { measure: { sliceNs: 5000, minNs: 100_000, maxNs: 200_000 }, sendQueueDepth: 4 };

describe('a bench', () => {
  it('opens what the workload needs and closes it again', async () => {
    const asked: [string, OpenOptions][] = [];
    let closed = 0;
    const bench = new Bench({
      seed: 7,
      open: async (subsystem, options) => {
        asked.push([subsystem, options]);
        return { ...(await ideal(options.hosts)), close: async () => void closed++ };
      },
    });
    const { total, seed } = await bench.measure(
      'collie-e',
      { ...quick, to: 'c', settings: { registers: 'fixed' } },
      { ablate: ['burst-grant'] },
    );
    expect(asked).toEqual([
      ['collie-e', { seed: 7, settings: { registers: 'fixed' }, ablate: ['burst-grant'], hosts: 3 }],
    ]);
    expect(seed).toBe(7);
    expect(total.messagesPerSecond).toBeGreaterThan(0);
    expect(closed).toBe(1);
  });

  it('gives no measurement of a run that was interrupted', async () => {
    const bench = new Bench({ open: (_, { hosts }) => ideal(hosts), signal: AbortSignal.abort() });
    await expect(bench.measure('perf', quick)).rejects.toThrow(InterruptedRow);
  });
});

describe('a task', () => {
  it('whose run fails is a red row with the failure', async () => {
    const open = () => Promise.reject(new Error('no power'));
    const { kind, result } = await runTask({ kind: 'row', id: 'P1' }, { open });
    expect(kind).toBe('row');
    expect(result).toMatchObject({ id: 'P1', ok: false, paper: 13, reason: 'the run failed: no power' });
  });

  it('that was interrupted is not a red row', async () => {
    const options = {
      open: (_: string, { hosts }: OpenOptions) => ideal(hosts),
      signal: AbortSignal.abort(),
    };
    await expect(runTask({ kind: 'row', id: 'P1' }, options)).rejects.toThrow(InterruptedRow);
  });

  it('of a board are all different', () => {
    const names = boardTasks([1, 2, 3]).map(({ kind, id, seed = 1 }) => `${kind} ${id} ${seed}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('row C1 1');
    expect(names).toContain('row C1 3');
    expect(names).toContain('ablation C1 1');
    expect(names).toContain('sweep C1 batch 1');
  });
});
