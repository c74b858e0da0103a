import { describe, expect, it } from 'vitest';
import { type Measurement, resolveWorkload } from '../../../workload/index.js';
import type { HuntAnswer } from '../answer/answer.js';
import type { MovedCounter } from '../counters.js';
import { strictOrdering } from '../testing/strict-ordering.js';
import { evidenceRun } from './evidence.js';
import { gatherEvidence } from './gather.js';

// Goal: what a report shows of an anomaly is measured by running its reproducer, and its cause is the part whose absence
// clears it, whatever the counters suggest. Method: Collie #9 (strict ordering, a mix of elements) with a wrong suspicion.

const anomaly = strictOrdering;
const mild = { ...anomaly, severity: 0.1 };
const answer = { seed: 1, partial: false, anomalies: [mild, anomaly] } as unknown as HuntAnswer;

describe('evidence', () => {
  it('is of the worst anomalies, over time, beside what clears them, with the cause verified', async () => {
    const told: string[] = [];
    const gathered = await gatherEvidence(
      answer,
      { subsystem: 'collie-e' },
      { most: 1, onGathered: (done, all) => told.push(`${done}/${all}`) },
    );
    expect(told).toEqual(['1/1']);
    const [{ anomaly: place, found, cleared, cause, lineRateGbps }] = gathered;
    expect(place).toBe(1);
    expect(resolveWorkload(found.workload).name).toBe('C9');
    // Both ways together.
    expect(lineRateGbps).toBe(400);
    expect(found.symptom).toBe('pause');
    expect(found.timeUs[0]).toBeCloseTo(10, 5);
    expect(found.goodputGbps).toHaveLength(found.timeUs.length);
    const paused = Object.values(found.pausePercent).flat();
    expect(Math.max(...paused)).toBeGreaterThan(5);
    expect(Math.max(...paused)).toBeLessThanOrEqual(100);
    // Pauses have lines of their own, and a level has no rate.
    expect(found.counters.map(({ name }) => name.split(' ')[0])).toEqual([
      'pcie_read_stalled_ps',
      'pcie_read_stalled_ordering',
    ]);
    expect(cleared?.text).toBe('host setting ordering: relaxed');
    expect(cleared?.run.totalGbps).toBeGreaterThan(2 * found.totalGbps);
    expect(cause).toMatchObject({ component: "the host's PCIe ordering", clears: true });
  });

  it.each([
    ['x_stalled_ps', [5e6, 1e7], '% of the time', [50, 100]],
    // More than all of a slice is no share of it: several parts stand still at once.
    ['x_stalled_ps', [5e6, 3e7], 'units at once', [0.5, 3]],
    ['x_stalled_ordering', [100, 200], 'M/s', [10, 20]],
  ])('has %s of %j in %s', (name, counted, unit, values) => {
    const hosts = { b: { pauseRatio: null, counters: { [name]: counted } } };
    const measurement = {
      ...{ series: { timeNs: [10_000, 20_000], tenants: {}, hosts }, total: {}, verdict: {} },
    } as unknown as Measurement;
    const moved = [{ name } as MovedCounter];
    expect(evidenceRun({}, measurement, moved).counters).toEqual([{ name: `${name} of b`, unit, values }]);
  });

  it('ends with the signal', async () => {
    const signal = AbortSignal.abort();
    expect(await gatherEvidence(answer, { subsystem: 'collie-e' }, { signal })).toEqual([]);
  });
});
