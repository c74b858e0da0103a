import { describe, expect, it } from 'vitest';
import { evaluatePairs } from './evaluate.js';
import { findFault } from './faults/catalogue.js';

const PROBES = { smallBytes: 64, repetitions: 3, memoryWindowBytes: 64 * 2 ** 20 };
const choice = { host: 'two-socket', device: 'connectx-6-200g', seed: 3 };

describe('pairs of faults', () => {
  it('are injected at once, each judged by itself', async () => {
    const faults = ['pcie-width', 'memory-channel', 'gpu-off-bus'].map((id) => findFault(id)!);
    const pairs = await evaluatePairs({ choice, probes: PROBES, faults });
    expect(pairs.map(({ faults: both }) => both.map(({ fault }) => fault).join())).toEqual([
      'pcie-width,memory-channel',
      'pcie-width,gpu-off-bus',
      'memory-channel,gpu-off-bus',
    ]);
    for (const { faults: both, wrong } of pairs) {
      expect(both.every(({ alone, link, cause }) => alone && link && cause)).toBe(true);
      expect(wrong).toEqual([]);
    }
  });
});
