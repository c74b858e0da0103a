import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import type { ExperimentOrder } from './experiments/experiment.js';
import { type KeptExperiment, recordsOf } from './experiments/record.js';
import type { Feature } from './reduce/feature.js';
import { isSameSet, meetsAll, showFeature } from './reduce/feature.js';
import { knownSetsOf } from './reduce/known-finds.js';
import { type HuntPlan, type HuntResult, runPlan } from './run-plan.js';
import { exchanged, otherLengths } from './search/relatives.js';
import { keyOf } from './space/point.js';
import { collieSpace } from './space/space.js';
import { type SyntheticAnomaly, syntheticExperiment } from './testing/synthetic.js';
import { VirtualPool } from './testing/virtual-pool.js';

const space = collieSpace(['memory0', 'memory1', 'gpu0']);
const anomalies: readonly SyntheticAnomaly[] = [
  { symptom: 'pause', counter: 'gpu_stall', features: [{ dimension: 'memoryB', in: ['gpu0'] }] },
  {
    symptom: 'pause',
    counter: 'receive_wqe_cache_miss',
    features: [
      { dimension: 'transport', in: ['UD'] },
      { dimension: 'batch', min: 64 },
      { dimension: 'queueDepth', min: 256 },
    ],
  },
  {
    symptom: 'throughput',
    counter: 'icm_cache_miss',
    features: [
      { dimension: 'opcode', in: ['WRITE'] },
      { dimension: 'qps', min: 256 },
      { dimension: 'sizes', max: 1024 },
    ],
  },
  {
    symptom: 'pause',
    counter: 'engine_busy_ps',
    features: [
      { dimension: 'opcode', in: ['READ'] },
      { dimension: 'mtu', in: [1024] },
    ],
  },
];
const plan: HuntPlan = {
  seed: 1,
  space,
  strategy: 'annealing',
  counters: ['diagnostic', 'performance'],
  mfs: true,
  budget: { kind: 'experiments', amount: 600 },
  timeScale: 1,
  repairs: {},
};

/** A hunt on this many workers in virtual time; what experiments take has little to do with what they cost. */
async function onWorkers(ordered: HuntPlan, workers: number, before = new Map<number, KeptExperiment>()) {
  const experiment = syntheticExperiment(anomalies);
  const kept = new Map(before);
  let made = 0;
  const pool = new VirtualPool(workers, (order: ExperimentOrder) => {
    made++;
    const random = new Random(order.workload.tenants[0].qps + 7 * made);
    return { ms: 1 + random.nextInt(60), answer: () => experiment(order) };
  });
  const result = await pool.drive(
    runPlan(ordered, {
      experiment: async (order, { onCost, signal } = {}) => pool.run(order, { onProgress: onCost, signal }),
      ...(workers > 4 ? { idleWorkers: () => pool.idle } : {}),
      kept: async (index) => before.get(index),
      keep: async (each) => void kept.set(each.dispatch, each),
    }),
  );
  const inOrder = [...kept].sort(([one], [other]) => one - other);
  return { result, kept: new Map(inOrder), made, ms: pool.nowMs };
}

/** What a hunt says, without what differs between equal ones. */
const said = ({ finds, records }: HuntResult) => ({
  finds: finds.map(({ features, ...rest }) => ({ ...rest, features: features.map(showFeature) })),
  records: records.map(({ key }) => key),
});
const dimensions = (features: readonly Feature[]) => features.map(({ dimension }) => dimension).sort();

describe('a hunt', () => {
  it('skips what another hunt has found, reports none of it, and finds the rest', async () => {
    const experiment = syntheticExperiment(anomalies);
    const first = await runPlan({ ...plan, budget: { kind: 'experiments', amount: 150 } }, { experiment });
    const known = knownSetsOf(first.finds);
    expect(known.length).toBeGreaterThan(0);
    const second = await runPlan({ ...plan, seed: 2, known }, { experiment });
    const found = second.finds.filter(({ complete }) => complete);
    const isKnown = (find: HuntResult['finds'][number]) =>
      known.some(
        ({ symptom, features }) => symptom === find.symptom && isSameSet(features, find.features, space),
      );
    expect(found.filter(isKnown)).toEqual([]);
    const searched = second.records.filter(({ purpose }) => purpose === 'search');
    expect(searched.filter(({ point }) => known.some(({ features }) => meetsAll(point, features)))).toEqual(
      [],
    );
    expect(found.length).toBeGreaterThan(0);
    // Plain data: it travels as text.
    const again = await runPlan(
      { ...plan, seed: 2, known: JSON.parse(JSON.stringify(known)) },
      { experiment },
    );
    expect(said(again)).toEqual(said(second));
  });

  it('finds every anomaly that there is, once, with its set', async () => {
    const { finds, warnings, partial } = await runPlan(plan, { experiment: syntheticExperiment(anomalies) });
    expect([warnings, partial]).toEqual([[], false]);
    const complete = finds.filter(({ complete }) => complete);
    for (const { symptom, features } of anomalies) {
      const found = complete.filter(
        (find) =>
          find.symptom === symptom &&
          features.every((each) => dimensions(find.features).includes(each.dimension)),
      );
      expect(found.length, features.map(showFeature).join()).toBeGreaterThan(0);
    }
    for (const { advice } of complete) expect(advice.length).toBeGreaterThan(0);
  });

  it.each([
    ['annealing', true],
    ['random', false],
    ['bayesian', false],
  ] as const)('looks at the relatives of what it found: %s %s', async (strategy, does) => {
    const amount = does ? 600 : 150;
    const short: HuntPlan = { ...plan, strategy, budget: { kind: 'experiments', amount } };
    const { finds, records } = await runPlan(short, { experiment: syntheticExperiment(anomalies) });
    const relatives = finds
      .filter(({ complete }) => complete)
      .flatMap(({ point }) => [...otherLengths(point, space), ...exchanged(point, space)].map(keyOf));
    const searched = records.filter(({ purpose }) => purpose === 'search').map(({ point }) => keyOf(point));
    expect(relatives.length).toBeGreaterThan(0);
    expect(relatives.some((key) => searched.includes(key))).toBe(does);
  });

  it.each([
    ['annealing', 250],
    ['random', 120],
    ['bayesian', 60],
  ] as const)(
    'has the same outcome on any number of workers, also from what was kept: %s',
    async (strategy, amount) => {
      const short: HuntPlan = { ...plan, strategy, budget: { kind: 'experiments', amount } };
      const whole = await onWorkers(short, 1);
      expect(recordsOf([...whole.kept.values()])).toEqual(whole.result.records);
      for (const workers of [2, 4, 8, 32]) {
        const other = await onWorkers(short, workers);
        expect(said(other.result)).toEqual(said(whole.result));
        expect(other.kept).toEqual(whole.kept);
      }
      // It was killed with eight workers after some experiments, in whatever order they ended.
      const some = [...whole.kept.values()].filter(
        ({ dispatch }) => dispatch < amount / 2 && dispatch % 7 !== 3,
      );
      const again = await onWorkers(short, 8, new Map(some.map((each) => [each.dispatch, each])));
      expect(said(again.result)).toEqual(said(whole.result));
      expect(again.kept).toEqual(whole.kept);
    },
  );

  it('makes what it may want next on workers that have nothing to do, and neither keeps nor counts it', async () => {
    const [few, many] = [await onWorkers(plan, 4), await onWorkers(plan, 8)];
    expect(few.made).toBe(few.result.records.length);
    expect(many.made).toBeGreaterThan(few.made);
    expect(many.result.records.length).toBe(few.result.records.length);
    expect(many.ms).toBeLessThan(0.9 * few.ms);
  });

  it('comes to the same end from whatever was kept of it', async () => {
    const experiment = syntheticExperiment(anomalies);
    const kept = new Map<number, KeptExperiment>();
    const whole = await runPlan(plan, {
      experiment,
      keep: async (each) => void kept.set(each.dispatch, each),
    });
    for (const lost of [0, 3, 57, 200, 399]) {
      let made = 0;
      const again = await runPlan(plan, {
        experiment: (order) => {
          made++;
          return experiment(order);
        },
        kept: async (index) => (index < lost && index !== lost - 2 ? kept.get(index) : undefined),
      });
      expect(said(again)).toEqual(said(whole));
      expect(made).toBe(kept.size - Math.max(0, lost - (lost > 1 ? 1 : 0)));
    }
  });

  it('refuses kept experiments of another search', async () => {
    const experiment = syntheticExperiment(anomalies);
    const kept = new Map<number, KeptExperiment>();
    await runPlan(plan, { experiment, keep: async (each) => void kept.set(each.dispatch, each) });
    const other = runPlan({ ...plan, seed: 2 }, { experiment, kept: async (index) => kept.get(index) });
    await expect(other).rejects.toMatchObject({ code: 'HUNT_DIVERGED' });
  });

  it('raises no alarm where nothing is wrong', async () => {
    const { finds, records } = await runPlan(
      { ...plan, budget: { kind: 'experiments', amount: 300 } },
      { experiment: syntheticExperiment([]) },
    );
    expect([finds, records.length]).toEqual([[], 300]);
  });

  it('spends hours of hardware, 20 to 60 s an experiment, and no more', async () => {
    const { records } = await runPlan(
      { ...plan, budget: { kind: 'hours', amount: 1 } },
      { experiment: syntheticExperiment([]) },
    );
    const seconds = records.reduce((sum, record) => sum + record.hardwareSeconds, 0);
    expect(seconds).toBeGreaterThanOrEqual(3600);
    expect(seconds).toBeLessThan(3660);
    for (const record of records) expect(record.hardwareSeconds).toBeGreaterThanOrEqual(20);
    for (const record of records) expect(record.hardwareSeconds).toBeLessThanOrEqual(60);
  });

  it('skips what belongs to a known anomaly, and without sets does not', async () => {
    const experiment = syntheticExperiment(anomalies);
    const budget = { kind: 'experiments', amount: 300 } as const;
    const anomalous = ({ records }: HuntResult) =>
      records
        .slice(150)
        .filter(({ purpose, observation }) => purpose === 'search' && observation.symptom !== null).length /
      records.slice(150).filter(({ purpose }) => purpose === 'search').length;
    const [withSets, without] = [
      await runPlan({ ...plan, budget }, { experiment }),
      await runPlan({ ...plan, budget, mfs: false }, { experiment }),
    ];
    expect(anomalous(withSets)).toBeLessThan(anomalous(without) / 2);
  });

  it('ends by itself where the space is one point', async () => {
    const one = collieSpace(['memory0']);
    const pinned = {
      ...one,
      choices: Object.fromEntries(
        Object.entries(one.choices).map(([name, each]) => [name, { ...each, values: [each.values[0]] }]),
      ) as unknown as typeof one.choices,
      numbers: Object.fromEntries(
        Object.entries(one.numbers).map(([name, each]) => [name, { ...each, ladder: [each.ladder[0]] }]),
      ) as unknown as typeof one.numbers,
      sizes: { ...one.sizes, ladder: [64], maxLength: 1 },
    };
    const { records, finds } = await runPlan(
      { ...plan, space: pinned },
      { experiment: syntheticExperiment([]) },
    );
    expect(finds).toEqual([]);
    expect(records.length).toBeLessThan(20);
  });

  it('reports what it was at when the time ran out', async () => {
    const { finds } = await runPlan(
      { ...plan, budget: { kind: 'experiments', amount: 24 } },
      { experiment: syntheticExperiment([{ symptom: 'pause', features: [{ dimension: 'qps', min: 1 }] }]) },
    );
    expect(finds.length).toBeGreaterThan(0);
    expect(finds.every(({ complete }) => !complete)).toBe(true);
  });

  it('stops when it is told to, with what it has', async () => {
    const interrupt = new AbortController();
    let made = 0;
    const experiment = syntheticExperiment(anomalies);
    const { partial, records } = await runPlan(plan, {
      experiment: (order) => {
        if (++made === 100) interrupt.abort();
        return experiment(order);
      },
      signal: interrupt.signal,
    });
    expect(partial).toBe(true);
    expect(records.length).toBeGreaterThan(80);
    expect(records.length).toBeLessThan(110);
  });
});
