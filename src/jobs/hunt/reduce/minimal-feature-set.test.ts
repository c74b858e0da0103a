import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { type Course, trialKey } from '../experiments/trial.js';
import { NO_BASELINE, type Observation, observe } from '../observation.js';
import { drawPoint } from '../search/draw.js';
import { canonical, type Point } from '../space/point.js';
import { type ExperimentLength, workloadOf } from '../space/point-workload.js';
import { collieSpace, illegality, repaired } from '../space/space.js';
import { syntheticMeasurement } from '../testing/synthetic.js';
import { type Feature, isSameSet, meetsAll, showFeature } from './feature.js';
import { Extraction, type ExtractionResult } from './minimal-feature-set.js';
import type { KnownSet } from './reduction.js';

const space = collieSpace(['memory0', 'memory1', 'gpu0']);

const EVERYWHERE: readonly Feature[] = [{ dimension: 'qps', min: 1 }];

/** Extracts the set of a point on a subsystem with these anomalies, or one at the points that a function says. */
function extract(
  point: Point,
  anomalies: readonly (readonly Feature[])[] | ((point: Point, length: ExperimentLength) => boolean),
  nameOf: (point: Point) => string = () => 'all',
): { set: Extract<ExtractionResult<KnownSet>, { kind: 'set' }> | null; experiments: number } {
  const known = new Map();
  const seenAt = new Map<Observation, Point>();
  const options = {
    ...{ space, known, symptom: 'pause' as const, ownerOf: () => undefined },
    isKin: (...both: Observation[]) => new Set(both.map((seen) => nameOf(seenAt.get(seen)!))).size === 1,
  };
  const course = whole(point, options);
  let step = course.next();
  let experiments = 0;
  while (step.done !== true) {
    experiments += step.value.length;
    const observations = step.value.map((trial) => {
      expect(illegality(trial.point, space)).toBeNull();
      const workload = workloadOf(trial.point, { length: trial.length });
      const sets =
        typeof anomalies !== 'function'
          ? anomalies
          : anomalies(trial.point, trial.length)
            ? [EVERYWHERE]
            : [];
      const pauses = sets.map((features) => ({ symptom: 'pause' as const, features }));
      const observation = observe(syntheticMeasurement(workload, pauses), NO_BASELINE);
      known.set(trialKey(trial), observation);
      seenAt.set(observation, trial.point);
      return observation;
    });
    step = course.next(observations);
  }
  return { set: step.value.kind === 'set' ? step.value : null, experiments };
}

/** The set as a hunt reports it. */
function* whole(
  point: Point,
  options: ConstructorParameters<typeof Extraction>[1],
): Course<ExtractionResult<KnownSet>> {
  const result = yield* new Extraction(point, options).run();
  if (result.kind !== 'set') return result;
  return { ...result, features: yield* new Extraction(result.reduced, options).refine(result.features) };
}

const base = canonical({
  ...drawPoint(space, new Random(1)),
  ...{ transport: 'RC', opcode: 'SEND', direction: 'bi', memoryA: 'memory1', memoryB: 'memory0', mtu: 1024 },
  ...{ qps: 64, mrs: 8, mrBytes: 65536, queueDepth: 1024, batch: 64, sge: 4, layout: 'even', sizes: [2048] },
} as Point);

describe('the minimal feature set', () => {
  it('names what is needed, with bounds, and nothing else', () => {
    const features: Feature[] = [
      { dimension: 'mtu', in: [1024] },
      { dimension: 'opcode', in: ['SEND'] },
      { dimension: 'transport', in: ['RC'] },
      { dimension: 'batch', min: 32 },
      { dimension: 'queueDepth', min: 256 },
      { dimension: 'sizes', min: 2048, max: 8192 },
    ];
    const { set, experiments } = extract(base, [features]);
    expect(set!.features.map(showFeature).sort()).toEqual(features.map(showFeature).sort());
    expect(set!.reduced).toMatchObject({ direction: 'uni', mrs: 1, sge: 1, batch: 32, queueDepth: 256 });
    expect(experiments).toBeLessThan(60);
  });

  it('says that a mix of short and long messages is needed', () => {
    const point = { ...base, sizes: [65536, 128, 128, 512] };
    const features: Feature[] = [
      { dimension: 'direction', in: ['bi'] },
      { dimension: 'mix', shortMax: 1024, longMin: 16384 },
    ];
    const { set } = extract(point, [features]);
    expect(set!.features.map(showFeature).sort()).toEqual(features.map(showFeature).sort());
    expect(meetsAll(set!.reduced, features)).toBe(true);
  });

  it('is found with full looks where what short ones show passes', () => {
    const upTo = (max: number): Feature[] => [
      { dimension: 'batch', min: 32 },
      { dimension: 'sizes', max },
    ];
    const passing = (point: Point, length: ExperimentLength) =>
      meetsAll(point, upTo(length === 'short' ? 8192 : 2048));
    const { set } = extract({ ...base, sizes: [512] }, passing);
    expect(set!.features.map(showFeature).sort()).toEqual(upTo(2048).map(showFeature).sort());
    expect(set!.reduced).toMatchObject({ batch: 32, sizes: [2048], sge: 1 });
  });

  it('has regions as long as usual again when the messages that needed long ones are shorter', () => {
    const known = { ...base, sizes: [4_194_304], mrBytes: 4_194_304, batch: 1, mtu: 4096 } as Point;
    const isMany = ({ qps, sizes }: Point) => qps >= 48 && sizes.every((size) => size >= 65536);
    const { set } = extract(known, isMany);
    expect(set!.reduced).toMatchObject({ sizes: [65536], mrBytes: 65536 });
  });

  it('looks for corners with many short messages, and then with the longest that show them', () => {
    // Fewer elements will do with deeper queues, if there are enough messages.
    const needed = ({ sge, queueDepth, sizes, batch }: Point) =>
      batch >= 32 && ((sge >= 8 && sizes[0] <= 16384) || (queueDepth >= 1024 && sizes[0] <= 4096));
    const point = { ...base, sge: 8, queueDepth: 128, sizes: [8192] } as Point;
    const { corners } = extract(point, needed).set!;
    expect(corners).toContainEqual(expect.objectContaining({ sge: 1, queueDepth: 1024, sizes: [4096] }));
  });

  it('names one of two amounts where either is enough', () => {
    // With SENDs it needs both, so that both are there when WRITEs turn out to show it too.
    const needed = ({ opcode, mrs, sge }: Point) =>
      opcode === 'SEND' ? mrs >= 64 && sge >= 8 : opcode === 'WRITE' && (mrs >= 64 || sge >= 8);
    const { reduced, features } = extract({ ...base, mrs: 256, sge: 16 }, needed).set!;
    expect([reduced.mrs, reduced.sge]).toContain(1);
    const named = features.filter(({ dimension }) => dimension === 'mrs' || dimension === 'sge');
    expect(named).toHaveLength(1);
    expect(meetsAll(reduced, features)).toBe(true);
  });

  it('takes a mix to the plainest that shows it', () => {
    const needed = ({ sizes, sge }: Point) =>
      sge > 1 && sizes.some((size) => size <= 1024) && sizes.some((size) => size >= 16384);
    const { set } = extract({ ...base, sizes: [262144, 512, 1048576, 16384] }, needed);
    expect(set!.reduced).toMatchObject({ sizes: [65536, 64], sge: 2 });
  });

  it('tells lists of short and long elements from short and long messages', () => {
    const listed: Feature[] = [{ dimension: 'mix', shortMax: 1024, longMin: 65536, of: 'elements' }];
    const point: Point = { ...base, sge: 3, layout: 'list', sizes: [128, 65536, 1024] };
    const { set } = extract(point, [listed]);
    expect(set!.features.map(showFeature)).toContain('mix of elements <= 1 KB and >= 64 KB');
    expect(set!.reduced).toMatchObject({ layout: 'list', sge: 2 });
  });

  it('merges a list into one element of its bytes where the elements are not needed', () => {
    const point: Point = { ...base, sge: 2, layout: 'list', sizes: [1024, 65536], mrBytes: 262_144 };
    const isLong = ({ sizes }: Point) => sizes.every((size) => size >= 65536);
    const { set } = extract(point, (each) => each.layout === 'list' || isLong(each));
    expect(set!.reduced).toMatchObject({ sge: 1, sizes: [65536] });
  });

  it('has no more of an amount than plenty where that will do', () => {
    // Fewer queue pairs would do with deeper queues.
    const point = { ...base, qps: 16, queueDepth: 2048, batch: 1, sge: 16, sizes: [512] } as Point;
    const { set } = extract(point, ({ qps, queueDepth }) => qps * queueDepth >= 16_384);
    expect(set!.reduced).toMatchObject({ qps: 16, queueDepth: 1024, sge: 1 });
  });

  it('does not lengthen a mix below the MTU into what an MTU that small is bad for', () => {
    const isLong = ({ sizes, mtu }: Point) => mtu === 1024 && Math.max(...sizes) >= 16384;
    const isShort = ({ sizes, sge }: Point) => sge > 1 && sizes.length > 1 && Math.max(...sizes) <= 1024;
    const { set } = extract({ ...base, sizes: [1024, 512] }, (point) => isLong(point) || isShort(point));
    expect(set!.reduced).toMatchObject({ sizes: [1024, 512], sge: 2 });
  });

  it('stays with what its counters tell of when traffic, direction and MTU are taken back', () => {
    const isRead = ({ opcode, batch }: Point) => opcode === 'READ' && batch >= 32;
    const isWrite = ({ opcode }: Point) => opcode === 'WRITE';
    const reads = { ...base, opcode: 'READ' as const };
    const anomalous = (point: Point) => isRead(point) || isWrite(point);
    const nameOf = (point: Point) => (isRead(point) ? 'misses' : 'stalls');
    expect(extract(reads, anomalous, nameOf).set!.reduced).toMatchObject({ opcode: 'READ', batch: 32 });
    // Without counters that tell them apart they are one.
    expect(extract(reads, anomalous).set!.reduced).toMatchObject({ opcode: 'WRITE', batch: 1 });
  });

  it('has deep queues in place of many queue pairs where either will do', () => {
    const { set } = extract({ ...base, qps: 256, queueDepth: 128, batch: 1 }, ({ qps, queueDepth, sge }) => {
      return sge > 1 && qps * queueDepth >= 2 ** 15;
    });
    expect(set!.reduced).toMatchObject({ qps: 32, queueDepth: 1024, batch: 1, sge: 2 });
  });

  it('gives upper bounds where more of something clears it', () => {
    const features: Feature[] = [
      { dimension: 'batch', max: 8 },
      { dimension: 'qps', min: 32 },
    ];
    const { set } = extract({ ...base, batch: 4 }, [features]);
    expect(set!.features.map(showFeature).sort()).toEqual(features.map(showFeature).sort());
    expect(set!.reduced).toMatchObject({ batch: 1, qps: 32, queueDepth: 128 });
  });

  it('keeps what several names share', () => {
    const { set } = extract(base, [
      [
        { dimension: 'opcode', in: ['WRITE', 'SEND'] },
        { dimension: 'batch', min: 16 },
      ],
    ]);
    expect(set!.features.map(showFeature).sort()).toEqual(['batch >= 16', 'opcode in WRITE, SEND']);
  });

  it('is null where the anomaly is gone in a full run', () => {
    const { set } = extract(base, []);
    expect(set).toBeNull();
  });

  it('is null where a longer run shows that it was only starting', () => {
    const slow = { symptom: 'throughput', why: '', counters: {} } as unknown as Observation;
    const extracted = (lasting: boolean) => {
      const course = new Extraction(base, {
        ...{ space, known: new Map(), symptom: 'throughput', ownerOf: () => undefined },
      }).run();
      const lengths = new Set<string>();
      let step = course.next();
      while (step.done !== true) {
        step = course.next(
          step.value.map(({ length }): Observation => {
            lengths.add(length);
            if (length === 'long' && !lasting) return { ...slow, symptom: null };
            return { ...slow, ...(length === 'full' ? { starting: true } : {}) };
          }),
        );
      }
      return { kind: step.value.kind, lengths: [...lengths].sort() };
    };
    expect(extracted(false)).toMatchObject({ kind: 'nothing', lengths: ['full', 'long', 'short'] });
    expect(extracted(true)).toMatchObject({ kind: 'set', lengths: ['full', 'long', 'short'] });
  });

  it('finds any box of the space from any point inside', () => {
    const bound = (name: 'qps' | 'mrs' | 'queueDepth' | 'batch' | 'sge') => {
      const { ladder, usualMax } = space.numbers[name];
      const inner = ladder.filter((rung) => rung > ladder[0] && rung <= usualMax);
      return fc.constantFrom(...inner).map((min): Feature => ({ dimension: name, min }));
    };
    const numbers = fc.uniqueArray(
      fc.oneof(bound('qps'), bound('mrs'), bound('queueDepth'), bound('batch'), bound('sge')),
      { minLength: 1, maxLength: 3, selector: ({ dimension }) => dimension },
    );
    const box = fc.tuple(
      numbers,
      fc.constantFrom<Feature[]>(
        [],
        [{ dimension: 'direction', in: ['bi'] }],
        [{ dimension: 'memoryB', in: ['gpu0'] }],
      ),
      fc.constantFrom<Feature[]>(
        [],
        [{ dimension: 'sizes', max: 1024 }],
        [{ dimension: 'sizes', min: 8192 }],
      ),
    );
    fc.assert(
      fc.property(box, fc.nat(1e6), ([lower, where, pattern], seed) => {
        const features = [...lower, ...where, ...pattern];
        // A queue holds a post at least: legality hides a bound of the depth below that of the batch.
        const min = (name: string) =>
          lower.flatMap((each) => (each.dimension === name && 'min' in each ? [each.min!] : []))[0];
        fc.pre(!((min('queueDepth') ?? Number.POSITIVE_INFINITY) <= (min('batch') ?? 0)));
        const point = pointInside(features, seed);
        if (point === null) return;
        const { set } = extract(point, [features]);
        if (set === null) throw new Error('nothing found');
        // The reduced point is inside, and every condition found is one of the box (or a consequence of legality).
        expect(meetsAll(set.reduced, features)).toBe(true);
        const found = set.features.filter((each) =>
          features.some((other) => other.dimension === each.dimension),
        );
        expect(isSameSet(found, features, space)).toBe(true);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it('has a corner for the least of each amount where amounts make up for each other', () => {
    // A cache of 16,384 entries: few deep queues fill it as many short ones do.
    const point = { ...base, qps: 128, queueDepth: 256, batch: 1, sge: 1, memoryA: 'memory0' } as Point;
    const { set } = extract(point, ({ qps, queueDepth }) => qps * queueDepth >= 16_384);
    const amounts = [set!.reduced, ...set!.corners].map(({ qps, queueDepth }) => [qps, queueDepth]);
    expect(amounts).toContainEqual([16, 1024]);
    expect(amounts).toContainEqual([512, 32]);
  });

  it('has a corner for the fewest elements where long posts leave no room for many queue pairs', () => {
    // Both ways, so that 16,384 entries are left for each: 256 queue pairs of 64.
    const point = { ...base, qps: 256, queueDepth: 64, batch: 4, sge: 16, sizes: [64], mtu: 1024 } as Point;
    const { set } = extract(
      { ...point, opcode: 'READ' },
      ({ qps, batch, sge, direction }) =>
        direction === 'bi' && qps * Math.min(batch, 64) * sge >= 16_384 && batch >= 2 && sge >= 2,
    );
    const amounts = [set!.reduced, ...set!.corners].map(({ batch, sge }) => [batch, sge]);
    expect(amounts).toContainEqual([64, 2]);
  });

  it('has a corner for the longest messages', () => {
    const needed = (size: number) => (size <= 256 ? 128 : size <= 1024 ? 256 : 4096);
    const point = { ...base, qps: 256, sizes: [64], batch: 1, sge: 1, queueDepth: 16 } as Point;
    const { set } = extract(point, ({ qps, sizes }) => sizes.every((size) => qps >= needed(size)));
    const amounts = [set!.reduced, ...set!.corners].map(({ qps, sizes }) => [qps, sizes[0]]);
    expect(amounts).toContainEqual([128, 256]);
    expect(amounts).toContainEqual([256, 1024]);
  });

  it('has a corner for the fewest elements', () => {
    // Entries of this many elements each: more of them make up for fewer elements.
    const point = { ...base, qps: 32, queueDepth: 512, batch: 1, sge: 4, sizes: [512] } as Point;
    const { set } = extract(
      point,
      ({ qps, queueDepth, sge }) => sge >= 2 && qps * queueDepth * sge >= 65_536,
    );
    const amounts = [set!.reduced, ...set!.corners].map(({ qps, queueDepth, sge }) => [qps, queueDepth, sge]);
    expect(amounts).toContainEqual([32, 1024, 2]);
  });

  it('has a corner with shorter messages where as long ones show it at first alone', () => {
    const shows = ({ qps, queueDepth, sge, sizes }: Point, length: ExperimentLength) => {
      const entries = qps * queueDepth;
      if (Math.max(...sizes) > 4096) return false;
      return sge >= 2 ? entries >= 8192 : entries >= 16_384 && (length === 'short' || sizes[0] <= 1024);
    };
    const point = { ...base, qps: 32, queueDepth: 512, batch: 1, sge: 4, sizes: [4096] } as Point;
    const { set } = extract(point, shows);
    const sights = [set!.reduced, ...set!.corners].map(({ sge, sizes }) => [sge, sizes[0]]);
    expect(sights).toContainEqual([2, 4096]);
    expect(sights).toContainEqual([1, 1024]);
  });

  it('is told with the mildest operation where any shows it, though counters tell of each in its own way', () => {
    const features: Feature[] = [{ dimension: 'qps', min: 64 }];
    const nameOf = ({ opcode }: Point) => opcode;
    const point = { ...base, qps: 128, queueDepth: 128, batch: 1 } as Point;
    const { set } = extract(point, [features], nameOf);
    expect(set!.features).toEqual(features);
    expect(set!.reduced).toMatchObject({ transport: 'RC', opcode: 'WRITE', qps: 64 });
  });

  it('has corners between its extremes', () => {
    const point = { ...base, qps: 64, queueDepth: 2048, batch: 1, sge: 4, sizes: [512] } as Point;
    const sights = (shows: (point: Point) => boolean, from = point) => {
      const { set } = extract(from, shows);
      return [set!.reduced, ...set!.corners].map(({ qps, queueDepth, sge }) => [qps, queueDepth, sge]);
    };
    // With more elements fewer queue pairs will do; here with as many as in the set.
    const entries = sights(({ qps, queueDepth, sge }) => sge >= 2 && qps * queueDepth * sge >= 65_536, {
      ...point,
      queueDepth: 512,
      sge: 2,
    });
    expect(entries).toContainEqual([32, 1024, 2]);
    // Deep queues of few queue pairs, and shallow ones of many: in between those of the usual depth of deep ones.
    const few = { ...point, qps: 8, sge: 1 };
    const depths = sights(({ qps, queueDepth }) => qps >= 8 && qps * queueDepth >= 16_384, few);
    expect(depths).toContainEqual([16, 1024, 1]);
  });

  it('has a corner for the fewest queue entries of all where more elements make up for them', () => {
    const point = { ...base, qps: 4, queueDepth: 128, batch: 1, sge: 4, sizes: [512] } as Point;
    // Too many queue pairs clear it.
    const shows = ({ qps, queueDepth, sge }: Point) =>
      qps <= 32 && sge >= 2 && qps * queueDepth * (sge - 1) >= 4;
    const { set } = extract(point, shows);
    const sights = [set!.reduced, ...set!.corners].map(({ qps, queueDepth, sge }) => [qps, queueDepth, sge]);
    expect(sights).toContainEqual([1, 2, 3]);
  });

  it('claims datagrams only where these show it, whatever the length of its messages', () => {
    const long: Feature[] = [
      { dimension: 'opcode', in: ['SEND'] },
      { dimension: 'batch', min: 32 },
      { dimension: 'sizes', max: 8192 },
    ];
    const connected: Feature[] = [...long, { dimension: 'transport', in: ['RC', 'UC'] }];
    const named = (features: Feature[]) => extract(base, [features]).set!.features.map(showFeature).sort();
    expect(named(long)).toEqual(long.map(showFeature).sort());
    expect(named(connected)).toEqual(connected.map(showFeature).sort());
  });

  it('does not take an MTU that no message reached for one that longer messages need', () => {
    const elements: Feature[] = [
      { dimension: 'sge', min: 4 },
      { dimension: 'sizes', max: 8192 },
    ];
    const packets: Feature[] = [
      { dimension: 'mtu', in: [1024] },
      { dimension: 'sizes', min: 16_384 },
    ];
    const point = { ...base, qps: 8, queueDepth: 16, batch: 1, sge: 4, mtu: 1024, sizes: [512] } as Point;
    const sets = [elements, packets];
    const anomalous = (each: Point) => sets.some((features) => meetsAll(each, features));
    const nameOf = (each: Point) => (meetsAll(each, elements) ? 'elements' : 'packets');
    const { set } = extract(point, anomalous, nameOf);
    expect(set!.features).toEqual(expect.arrayContaining(elements));
    expect(set!.features.map(({ dimension }) => dimension)).not.toContain('mtu');
  });

  it('takes the longest messages at the smallest MTU where longer ones show it in more packets alone', () => {
    const inOne: Feature[] = [
      { dimension: 'batch', min: 32 },
      { dimension: 'sizes', max: 2048 },
    ];
    const cut: Feature[] = [
      { dimension: 'mtu', in: [1024] },
      { dimension: 'batch', min: 32 },
      { dimension: 'sizes', max: 8192 },
    ];
    const point = { ...base, mtu: 1024, sizes: [512] } as Point;
    const { set } = extract(point, [inOne, cut]);
    expect(set!.features.map(showFeature).sort()).toEqual(cut.map(showFeature).sort());
    expect(set!.reduced).toMatchObject({ mtu: 1024, sizes: [8192], batch: 32 });
  });

  it('has no corners where each amount is needed by itself', () => {
    const features: Feature[] = [
      { dimension: 'qps', min: 64 },
      { dimension: 'queueDepth', min: 256 },
    ];
    const { corners } = extract(base, [features]).set!;
    expect(corners.filter(({ transport }) => transport !== 'UD')).toEqual([]);
  });

  it('is told with datagrams too where it claims them, and a full run shows it', () => {
    const features: Feature[] = [{ dimension: 'qps', min: 64 }];
    const datagrams = (shows: Parameters<typeof extract>[1]) =>
      extract(base, shows).set!.corners.filter(({ transport }) => transport === 'UD');
    expect(datagrams([features])).toMatchObject([{ qps: 64, opcode: 'SEND' }]);
    expect(datagrams([[...features, { dimension: 'opcode', in: ['WRITE', 'READ'] }]])).toEqual([]);
    const passing = (point: Point, length: ExperimentLength) =>
      meetsAll(point, features) && (point.transport !== 'UD' || length === 'short');
    expect(datagrams(passing)).toEqual([]);
  });
});

/** A random point that meets the conditions with room on every side, so that legality hides no bound. */
function pointInside(features: readonly Feature[], seed: number): Point | null {
  const random = new Random(seed);
  for (let attempt = 0; attempt < 3000; attempt++) {
    const drawn = { ...drawPoint(space, random), transport: 'RC' as const };
    for (const feature of features) {
      if ('in' in feature) Object.assign(drawn, { [feature.dimension]: feature.in[0] });
    }
    const point = repaired({ ...drawn, qps: Math.min(drawn.qps, 256), mrs: Math.min(drawn.mrs, 512) }, space);
    if (point !== null && meetsAll(point, features)) return point;
  }
  return null;
}

describe('a point beside a known anomaly', () => {
  const owner: KnownSet = {
    symptom: 'pause',
    features: [
      { dimension: 'batch', min: 32 },
      { dimension: 'sge', max: 2 },
    ],
  };
  const kindOf = (isAbout?: () => boolean) => {
    const known = new Map<string, Observation>();
    const course = new Extraction(base, {
      ...{ space, known, symptom: 'pause' as const, isAbout },
      ownerOf: (point: Point) => (meetsAll(point, owner.features) ? owner : undefined),
    }).run();
    let step = course.next();
    while (step.done !== true)
      step = course.next(
        step.value.map((trial) => {
          const pauses = [{ symptom: 'pause' as const, features: [owner.features[0]] }];
          const workload = workloadOf(trial.point, { length: trial.length });
          const seen = observe(syntheticMeasurement(workload, pauses), NO_BASELINE);
          known.set(trialKey(trial), seen);
          return seen;
        }),
      );
    return step.value.kind;
  };

  it('is another sight of it, unless its counters tell of something else', () => {
    expect(kindOf()).toBe('duplicate');
    expect(kindOf(() => true)).toBe('duplicate');
    expect(kindOf(() => false)).toBe('set');
  });
});
