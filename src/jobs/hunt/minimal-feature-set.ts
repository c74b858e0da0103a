import { bears, type Sign } from './cause.js';
import type { Feature } from './feature.js';
import type { Symptom } from './observation.js';
import { canonical, isUniform, keyOf, type Point } from './point.js';
import { type ChoiceName, illegality, type NumberName, type Space } from './space.js';
import { type Course, type Known, measure, together } from './trial.js';

/** What extracting a set needs to know. */
export interface ExtractionOptions {
  space: Space;
  known: Known;
  /** By which the anomaly is told from others. */
  sign: Sign;
  /** Whether a point belongs to an anomaly that is known already. */
  isTaken: (point: Point) => boolean;
}

/** A set, and the mildest workload that shows its anomaly. */
export interface FeatureSet {
  features: Feature[];
  /** Verified by a full run, with the symptom that it has there. */
  reduced: Point;
  symptom: Symptom;
}

type Change = Partial<Point>;

/** What came of examining one dimension. */
interface Outcome {
  /** The condition, where it is needed. */
  feature?: Feature;
  /** What it becomes where it is not, or where only less of it is needed. */
  mild?: Change;
  /** Its mildest value that still shows the anomaly, where it is needed. */
  bound?: Change;
  /** Examines it again from the point as it is then. */
  again: () => Course<Outcome>;
}

/** Names of which every other value is tried; of the others the mildest was tried already. */
const TRIED_IN_FULL: readonly ChoiceName[] = ['mtu', 'transport', 'opcode'];
const TRIED_FOR_MILD: readonly ChoiceName[] = ['direction', 'memoryA', 'memoryB', 'layout'];

/**
 * The minimal feature set of an anomalous point (Collie §5.2): which of its properties are needed. A dimension with names
 * is needed where another name clears the anomaly; a number is needed where an end of its ladder clears it, and its bound
 * is found by bisecting. What is not needed takes its mildest value, which is tried for all of them at once and, where
 * they stand in for each other, one after the other.
 *
 * Pause or throughput, either counts: one fault shows itself in both ways. What must stay is the counter that the anomaly
 * moved most: where that rests, another anomaly has taken over. The point itself never goes into the set of an anomaly
 * that is known, but what lies beyond it is as anomalous as anything.
 *
 * @example
 * const set = yield* new Extraction(point, { space, known, sign, isTaken }).run();
 */
export class Extraction {
  private current: Point;
  private readonly options: ExtractionOptions;
  private readonly features: Feature[] = [];
  private bounds: Change = {};

  constructor(point: Point, options: ExtractionOptions) {
    this.current = point;
    this.options = options;
  }

  /** Null where what is left does not show the anomaly in a full run. */
  *run(): Course<FeatureSet | null> {
    yield* this.simplify();
    const first = yield* together([
      ...TRIED_FOR_MILD.map((name) => this.choice(name)),
      this.pattern(),
      ...(['mrBytes', 'mrs', 'sge', 'batch'] as const).map((name) => this.number(name)),
    ]);
    yield* this.settle(first);
    // A shorter post allows a shorter queue, and a shorter message other transports.
    const second = yield* together([
      ...TRIED_IN_FULL.map((name) => this.choice(name)),
      ...(['queueDepth', 'qps'] as const).map((name) => this.number(name)),
    ]);
    yield* this.settle(second);
    return yield* this.verify();
  }

  /** Takes whole groups of dimensions back to what is mildest, before each is examined. */
  private *simplify(): Course<void> {
    const { choices } = this.options.space;
    const { sizes } = this.current;
    const local: Change = {
      memoryA: choices.memoryA.values[0] as string,
      memoryB: choices.memoryB.values[0] as string,
    };
    const changes: Change[] = [local, { direction: choices.direction.values[0] as Point['direction'] }];
    if (!isUniform(sizes)) changes.push({ sizes: [Math.max(...sizes)] }, { sizes: [Math.min(...sizes)] });
    const showing = yield* this.showing(changes);
    // The longest message alone is preferred to the shortest.
    const both = showing.filter((change) => change.sizes !== undefined).length === 2;
    yield* this.apply(both ? showing.slice(0, -1) : showing);
  }

  /** Those changes of the current point that show the anomaly, each by itself. */
  private *showing(changes: readonly Change[]): Course<Change[]> {
    const open = changes.filter((change) => keyOf(this.changed(change)) !== keyOf(this.current));
    const shown = yield* together(open.map((change) => this.shows(change)));
    return open.filter((_, index) => shown[index]);
  }

  /** Makes changes that each show the anomaly: all at once, or where that clears it as many as possible; the rest are returned. */
  private *apply(changes: readonly Change[]): Course<Change[]> {
    if (changes.length === 0) return [];
    const all: Change = Object.assign({}, ...changes);
    if (changes.length === 1 || (yield* this.shows(all))) {
      this.current = this.changed(all);
      return [];
    }
    const refused: Change[] = [];
    for (const change of changes) {
      if (yield* this.shows(change)) this.current = this.changed(change);
      else refused.push(change);
    }
    return refused;
  }

  private *settle(outcomes: readonly Outcome[]): Course<void> {
    const milds = outcomes.filter(({ mild }) => mild !== undefined);
    const refused = yield* this.apply(milds.map(({ mild }) => mild!));
    const settled = outcomes.filter(({ mild }) => mild === undefined || !refused.includes(mild));
    // What is needed only because others are mild now: examined again, one after the other.
    for (const { again } of milds.filter(({ mild }) => refused.includes(mild!))) {
      const outcome = yield* again();
      if (outcome.mild !== undefined) yield* this.apply([outcome.mild]);
      settled.push(outcome);
    }
    for (const { feature, bound } of settled) {
      if (feature !== undefined) this.features.push(feature);
      this.bounds = { ...this.bounds, ...bound };
    }
  }

  private *choice(name: ChoiceName): Course<Outcome> {
    const again = () => this.choice(name);
    const { space } = this.options;
    const { values } = space.choices[name];
    const here = this.current[name];
    if (TRIED_FOR_MILD.includes(name) && here === values[0]) return { again };
    const others = values.filter((value) => {
      const point = this.changed({ [name]: value });
      return keyOf(point) !== keyOf(this.current) && illegality(point, space) === null;
    });
    const shown = yield* together(others.map((value) => this.isAnomalous({ [name]: value })));
    const showing = [here, ...others.filter((_, index) => shown[index])];
    const { isTaken } = this.options;
    const free = (value: string | number) => value === here || !isTaken(this.changed({ [name]: value }));
    const mild = { [name]: values.find((value) => showing.includes(value) && free(value)) } as Change;
    // A UD point cannot be tried as anything but SEND: the transport says it.
    if (showing.length === others.length + 1) return { mild, again };
    return { feature: { dimension: name, in: values.filter((value) => showing.includes(value)) }, again };
  }

  private *pattern(): Course<Outcome> {
    const again = () => this.pattern();
    const { ladder } = this.options.space.sizes;
    const { sizes } = this.current;
    if (!isUniform(sizes)) return { feature: yield* this.mix(sizes, ladder), again };
    const region = yield* this.region(ladder, sizes[0], (size) => ({ sizes: [size] }));
    return { ...outcomeOf(region, 'sizes', (size) => ({ sizes: [size] })), again };
  }

  /** Short and long messages are needed together: how short and how long. */
  private *mix(sizes: readonly number[], ladder: readonly number[]): Course<Feature> {
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    const middle = Math.sqrt(most) * Math.sqrt(least);
    const between = ladder.filter((rung) => rung > least && rung < most);
    const [shortMax, longMin] = yield* together([
      this.farthest('isAnomalous', between, least, (limit) => ({
        sizes: sizes.map((size) => (size <= middle ? limit : size)),
      })),
      this.farthest('isAnomalous', [...between].reverse(), most, (limit) => ({
        sizes: sizes.map((size) => (size > middle ? limit : size)),
      })),
    ]);
    return { dimension: 'mix', shortMax, longMin };
  }

  private *number(name: NumberName): Course<Outcome> {
    const { ladder, usualMax } = this.options.space.numbers[name];
    const value = this.current[name];
    const usual = ladder.filter((rung) => rung <= Math.max(usualMax, value));
    const region = yield* this.region(usual, value, (rung) => ({ [name]: rung }));
    return { ...outcomeOf(region, name, (rung) => ({ [name]: rung })), again: () => this.number(name) };
  }

  /** How far down and up a ladder from `value` the anomaly shows. */
  private *region(
    ladder: readonly number[],
    value: number,
    change: (rung: number) => Change,
  ): Course<Region> {
    const { space } = this.options;
    const legal = ladder.filter((rung) => illegality(this.changed(change(rung)), space) === null);
    const below = legal.filter((rung) => rung < value).reverse();
    const above = legal.filter((rung) => rung > value);
    const [least, most] = yield* together([
      this.farthest('shows', below, value, change),
      this.farthest('isAnomalous', above, value, change),
    ]);
    return {
      least,
      most,
      lowest: below[below.length - 1] ?? value,
      highest: above[above.length - 1] ?? value,
    };
  }

  /** The farthest of the rungs, near to far, that still shows the anomaly. The last is tried first: most dimensions are not needed. */
  private *farthest(
    test: 'shows' | 'isAnomalous',
    rungs: readonly number[],
    start: number,
    change: (rung: number) => Change,
  ): Course<number> {
    if (rungs.length === 0) return start;
    let bad = rungs.length - 1;
    if (yield* this[test](change(rungs[bad]))) return rungs[bad];
    let good = -1;
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      if (yield* this[test](change(rungs[middle]))) good = middle;
      else bad = middle;
    }
    return good < 0 ? start : rungs[good];
  }

  private changed(change: Change): Point {
    return canonical({ ...this.current, ...change });
  }

  /** Whether the point may become this: anomalous, and nobody else's. */
  private *shows(change: Change): Course<boolean> {
    return !this.options.isTaken(this.changed(change)) && (yield* this.isAnomalous(change));
  }

  private *isAnomalous(change: Change): Course<boolean> {
    const { space, known, sign, isTaken } = this.options;
    const point = this.changed(change);
    if (illegality(point, space) !== null) return false;
    if (isTaken(point)) return true;
    const observation = yield* measure(known, { point, length: 'short', purpose: 'features' });
    return bears(observation, sign);
  }

  /** The point at its bounds where that shows an anomaly in a full run, or else the simplified one. */
  private *verify(): Course<FeatureSet | null> {
    const { space, known } = this.options;
    for (const reduced of [this.changed(this.bounds), this.current]) {
      if (illegality(reduced, space) !== null) continue;
      const { symptom } = yield* measure(known, { point: reduced, length: 'full', purpose: 'confirm' });
      if (symptom !== null) return { features: this.features, reduced, symptom };
    }
    return null;
  }
}

/** Where on a ladder an anomaly shows, and where the ladder ends. */
interface Region {
  least: number;
  most: number;
  lowest: number;
  highest: number;
}

function outcomeOf(
  { least, most, lowest, highest }: Region,
  dimension: NumberName | 'sizes',
  change: (rung: number) => Change,
): Omit<Outcome, 'again'> {
  if (least === lowest && most === highest) return { mild: change(lowest) };
  const feature: Feature = {
    dimension,
    ...(least > lowest ? { min: least } : {}),
    ...(most < highest ? { max: most } : {}),
  };
  return least === lowest ? { feature, mild: change(lowest) } : { feature, bound: change(least) };
}
