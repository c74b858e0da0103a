import { describe, expect, it } from 'vitest';
import { parseWorkload } from '../../../workload/index.js';
import { compareWorkload } from './advise-workload.js';
import type { Anomaly } from './answer.js';

// Goal: advice leads out of the sight of an anomaly that a workload meets, not only out of the one it was verified at.

const workload = (tenant: string) =>
  parseWorkload(`name: w\ntenants:\n  - { name: t, transport: RC, opcode: SEND, ${tenant} }\n`, 'w.yaml');

const anomaly = {
  severity: 0.1,
  set: [
    { dimension: 'batch', min: 64 },
    { dimension: 'qps', min: 8 },
    { dimension: 'sizes', max: 512 },
  ],
  corners: [
    {
      set: [
        { dimension: 'batch', min: 64 },
        { dimension: 'qps', min: 1 },
        { dimension: 'sizes', max: 8192 },
        { dimension: 'sge', min: 3 },
      ],
    },
  ],
  advice: [
    { text: 'batch of at most 32', change: { batch: 32 }, dimension: 'batch' },
    { text: 'messages of at least 1 KB', change: { sizes: [1024] }, dimension: 'sizes' },
    { text: 'relaxed ordering', change: { ordering: 'relaxed' }, dimension: 'settings' },
  ],
} as unknown as Anomaly;

const told = (tenant: string, found: Anomaly = anomaly) =>
  compareWorkload(workload(tenant), [found], 'memory0').map(({ state, advice }) => ({ state, advice }));

describe('what a workload is told', () => {
  it('are all changes where it meets the set that they were verified at', () => {
    const advice = ['batch of at most 32', 'messages of at least 1 KB', 'relaxed ordering'];
    expect(told('qps: 16, batch: 64, sge: 1, sizes: [256]')).toEqual([{ state: 'meets', advice }]);
  });

  it('are those alone that lead out of the corner that it meets', () => {
    const advice = ['batch of at most 32', 'relaxed ordering'];
    expect(told('qps: 2, batch: 64, sge: 4, sizes: [2048]')).toEqual([{ state: 'meets', advice }]);
  });

  it('are the conditions where no change does', () => {
    const useless = { ...anomaly, advice: anomaly.advice.slice(1, 2) };
    expect(told('qps: 2, batch: 64, sge: 4, sizes: [2048]', useless)).toEqual([
      {
        state: 'meets',
        advice: ['break batch >= 64', 'break qps >= 1', 'break message <= 8 KB', 'break sge >= 3'],
      },
    ]);
  });

  it('is what to stay away from where one condition is missing', () => {
    expect(told('qps: 2, batch: 64, sge: 2, sizes: [2048]')).toEqual([
      { state: 'one step', advice: ['stay away from sge >= 3'] },
    ]);
  });
});
