import { describe, expect, it } from 'vitest';
import type { ExperimentResult, ExperimentTask } from './experiment.js';
import { type MatrixOptions, measureMatrix } from './matrix.js';
import { huskyHolds } from './predicate.js';
import { attackers, COLUMNS, victims } from './suite/index.js';

// Goal: what a matrix says follows from its runs, and it makes no run twice. Method: the runs are told here.

const measured = (gbps: number): ExperimentResult => ({
  kind: 'measured',
  gbps,
  messagesPerSecond: gbps * 1e6,
  latencyNs: null,
  attackerGbps: 1,
  attackerMessagesPerSecond: 1,
  use: {},
  events: 1,
  timeLine: null,
});

function bench(answer: (task: ExperimentTask) => ExperimentResult, more: Partial<MatrixOptions> = {}) {
  const tasks: ExperimentTask[] = [];
  const options: MatrixOptions = {
    scheme: 'none',
    subsystem: 'husky',
    attackers: attackers.filter(({ name }) => name.startsWith('PU-RNR') || name === 'BW-1MB_write'),
    victims: victims.slice(0, 2),
    alpha: 0.25,
    guaranteeGbps: 50,
    holds: huskyHolds,
    bypass: false,
    seed: 1,
    concurrency: 2,
    run: async (task) => {
      tasks.push(task);
      return answer(task);
    },
    ...more,
  };
  return { tasks, matrix: measureMatrix(options) };
}

describe('a matrix', () => {
  it('judges by the least of what a victim has alone and what it was promised', async () => {
    const { tasks, matrix } = bench(({ attacker }) =>
      measured(attacker === null ? 100 : attacker.includes('UC') ? 37.4 : 37.6),
    );
    const { pairs, summary, partial } = await matrix;
    expect(partial).toBe(false);
    expect(pairs).toHaveLength(10);
    expect(pairs.filter(({ outcome }) => outcome === 'violated').map(({ attacker }) => attacker)).toEqual([
      'PU-RNR_UC-RNR',
      'PU-RNR_UC-RNR',
    ]);
    expect(pairs[0]).toMatchObject({ aloneGbps: 100, thresholdGbps: 37.5 });
    expect(summary['UD and UC error handling']).toEqual({ holds: false, pairs: 4, violated: 2, refused: 0 });
    expect(summary['RC error handling'].holds).toBe(true);
    // Two victims alone, ten pairs.
    expect(tasks).toHaveLength(12);
  });

  it('holds a scheme that promises a share to what the victim has beside its twin', async () => {
    const { matrix } = bench(
      ({ attacker }) => measured(attacker === null ? 60 : attacker === 'twin' ? 20 : 15.1),
      { scheme: 'harmonic' },
    );
    const { pairs } = await matrix;
    expect(pairs.every(({ outcome, thresholdGbps }) => outcome === 'holds' && thresholdGbps === 15)).toBe(
      true,
    );
  });

  it("says of such a scheme what Husky's predicate says too", async () => {
    const { matrix } = bench(
      ({ attacker }) => measured(attacker === null ? 60 : attacker === 'twin' ? 20 : 15.1),
      { scheme: 'harmonic' },
    );
    const { pairs, summary, summaryInBits } = await matrix;
    expect(new Set(pairs.map(({ outcomeInBits }) => outcomeInBits))).toEqual(new Set(['violated']));
    for (const column of COLUMNS) {
      if (summary[column].pairs === 0) continue;
      expect([summary[column].holds, summaryInBits![column].holds]).toEqual([true, false]);
    }
    const plain = await bench(() => measured(50)).matrix;
    expect(plain.summaryInBits).toBeUndefined();
  });

  it('watches a pair for longer while the attacker has delivered nothing, but not one that never delivers', async () => {
    const idle = { ...measured(50), attackerMessagesPerSecond: 0 } as ExperimentResult;
    const { tasks, matrix } = bench((task) => (task.times === 4 ? measured(50) : idle), {
      attackers: attackers.filter(({ tenant }) => tenant.receives !== 'none' && tenant.qps !== 0).slice(0, 1),
      victims: victims.slice(0, 1),
    });
    expect((await matrix).pairs).toMatchObject([{ outcome: 'holds', times: 4 }]);
    expect(tasks.filter(({ attacker }) => attacker !== null).map(({ times }) => times)).toEqual([
      undefined,
      4,
    ]);
    const never = bench(() => idle, {
      attackers: attackers.filter(({ tenant }) => tenant.receives === 'none').slice(0, 1),
      victims: victims.slice(0, 1),
    });
    expect((await never.matrix).pairs[0].times).toBeUndefined();
  });

  it('says by name what a scheme refuses, and a column of refusals does not hold', async () => {
    const { matrix } = bench(({ attacker }) =>
      attacker === null ? measured(50) : { kind: 'refused', reason: 'x lacks y' },
    );
    const { pairs, summary } = await matrix;
    expect(pairs[0]).toMatchObject({ outcome: 'refused', reason: 'x lacks y', gbps: null });
    expect(summary['RC error handling']).toEqual({ holds: false, pairs: 4, violated: 0, refused: 4 });
  });

  it('leaves a column at its first violation where the summary alone is wanted', async () => {
    const { tasks, matrix } = bench(({ attacker }) => measured(attacker === null ? 100 : 0), {
      untilViolated: true,
      concurrency: 1,
    });
    const { summary, partial } = await matrix;
    expect(partial).toBe(false);
    expect(summary['RC error handling'].holds).toBe(false);
    expect(tasks.filter(({ attacker }) => attacker !== null)).toHaveLength(2);
  });

  it('keeps what it has when it is interrupted, marked partial', async () => {
    const controller = new AbortController();
    let made = 0;
    const { matrix } = bench(
      ({ attacker }) => {
        if (attacker !== null && ++made === 3) controller.abort();
        return measured(100);
      },
      { signal: controller.signal, concurrency: 1 },
    );
    const { pairs, partial } = await matrix;
    expect(partial).toBe(true);
    expect(pairs).toHaveLength(3);
  });

  it('runs equal workloads once', async () => {
    const same = attackers.filter(({ name }) => /^Cache-ctrl_size_(pd_)?sender$/.test(name));
    expect(same).toHaveLength(2);
    const { tasks, matrix } = bench(() => measured(10), { attackers: same, victims: victims.slice(0, 1) });
    expect((await matrix).pairs).toHaveLength(2);
    expect(tasks).toHaveLength(2);
  });
});
