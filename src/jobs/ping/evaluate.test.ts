import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.js';
import { type PingAnswer, type PingTask, runPingTask } from './evaluate-task.js';

// Goal: what the matrix says about the diagnosis can be relied on. The full one is `kelpie ping --matrix`.

const OPTIONS = {
  device: 'connectx-6-200g',
  seed: 3,
  probes: { smallBytes: 64, repetitions: 3, memoryWindowBytes: 64 * 2 ** 20 },
};

describe('a matrix of faults', () => {
  it('names every visible fault of a two-socket server, and gives no alarm without one', async () => {
    const steps: number[] = [];
    const { faults, healthy, partial } = await evaluate({
      ...OPTIONS,
      hosts: ['two-socket'],
      healthySweeps: 3,
      onProgress: (done) => steps.push(done),
    });
    expect(partial).toBe(false);
    expect(steps).toHaveLength(faults.length + 3);
    // All but those of PCIe switches and their root ports, which this server does not have.
    expect(new Set(faults.map(({ fault }) => fault)).size).toBe(25);
    const visible = faults.filter((each) => each.visible);
    expect(visible.length).toBeGreaterThan(70);
    expect(visible.filter(({ link }) => !link)).toEqual([]);
    expect(visible.filter(({ causeInSet }) => !causeInSet)).toEqual([]);
    for (const { visible, invisibleBecause } of faults) expect(invisibleBecause === undefined).toBe(visible);
    expect(healthy).toEqual([{ host: 'two-socket', busyRnic: null, sweeps: 3, alarms: 0 }]);
  });

  it('counts apart what no probe can see, and never as found by probes', async () => {
    const { faults } = await evaluate({
      ...OPTIONS,
      hosts: ['hostping'],
      healthySweeps: 0,
      wanted: (fault, place) => fault === 'mps-small' && place === 'rnic0',
    });
    expect(faults).toMatchObject([{ visible: false, found: true, cause: true, binary: null }]);
  });

  it('gives the same in any order of its steps', async () => {
    const small = {
      ...OPTIONS,
      hosts: ['single-rnic'],
      healthySweeps: 2,
      wanted: (fault: string) => fault === 'pcie-silent' || fault === 'pcie-width',
    };
    // A pool that begins with the last step that it was given.
    const waiting: (() => void)[] = [];
    const pool = {
      size: 2,
      run: (task: PingTask) =>
        new Promise<PingAnswer>((done, failed) => {
          if (waiting.length === 0) queueMicrotask(() => void next());
          waiting.push(() => runPingTask(task).then(done, failed).then(next));
        }),
      close: async () => {},
    };
    const next = () => waiting.pop()?.();
    expect(await evaluate({ ...small, pool })).toEqual(await evaluate(small));
  });

  it('gives the same for the same seed, and a part where it is stopped', async () => {
    const small = {
      ...OPTIONS,
      hosts: ['single-rnic'],
      healthySweeps: 1,
      wanted: (fault: string) => fault === 'pcie-silent',
    };
    expect(await evaluate(small)).toEqual(await evaluate(small));
    expect(await evaluate({ ...small, signal: AbortSignal.abort() })).toMatchObject({
      partial: true,
      faults: [],
    });
  });
});
