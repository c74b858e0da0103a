import type { Feature } from './feature.js';
import type { Symptom } from './observation.js';
import { isUniform, keyOf, type Point } from './point.js';
import { referencePoint, takenBack, UNITS, type Unit } from './reference.js';
import {
  CHOICES,
  type ChoiceName,
  fitted,
  illegality,
  NUMBERS,
  type NumberName,
  type Space,
} from './space.js';
import { type Course, type Known, measure, together } from './trial.js';

/** An anomaly that is known already, as far as an extraction looks at it. */
export interface KnownSet {
  symptom: Symptom;
  features: readonly Feature[];
}

/** What extracting a set needs to know. */
export interface ExtractionOptions<Owner extends KnownSet> {
  space: Space;
  known: Known;
  symptom: Symptom;
  /** The known anomaly to which a point belongs. */
  ownerOf: (point: Point) => Owner | undefined;
}

/** What came of an extraction. */
export type ExtractionResult<Owner> =
  /** A set, and the mildest workload that shows its anomaly in a full run, with the symptom that it has there. */
  | { kind: 'set'; features: Feature[]; reduced: Point; symptom: Symptom }
  /** Without what it does not need the point belongs to a known anomaly: it is another sight of that one. */
  | { kind: 'duplicate'; owner: Owner }
  /** The anomaly was gone in a full run. */
  | { kind: 'nothing' };

type Change = Partial<Point>;

/** Groups that are taken back together first: most anomalies need little of what a random workload has. */
const GROUPS: readonly (readonly Unit[])[] = [
  ['regions', 'memoryA', 'memoryB', 'direction'],
  ['elements', 'sizes', 'mtu'],
  ['batch', 'queueDepth', 'qps', 'traffic'],
];

/** Numbers of which some anomalies need little: their ends are tried even where the reference's value shows the anomaly. */
const BOTH_ENDS: readonly NumberName[] = ['batch', 'queueDepth', 'qps'];
/** Most conditions that another kind of traffic is tried without. */
const MOST_WITHOUT = 3;
const ALWAYS_TRIED: readonly ChoiceName[] = ['transport', 'opcode', 'mtu'];

/** Where on a ladder an anomaly shows, and where the ladder ends. */
interface Region {
  least: number;
  most: number;
  lowest: number;
  highest: number;
}

/** What came of examining one dimension: a condition, and the mildest value that meets it. */
interface Outcome {
  feature?: Feature;
  bound?: Change;
}

/**
 * The minimal feature set of an anomalous point (Collie §5.2): which of its properties are needed. First the point is
 * taken back to a clean reference, group by group and in halves, as far as it stays anomalous: what is left is what it
 * needs. Of that, names are tried against the other names, and numbers are bisected, so that the set says `batch >= 32` and
 * not `batch = 57`; and of the numbers that are not needed both ends are tried, for some anomalies need little of
 * something. Pause or throughput, either counts: one fault shows itself in both ways.
 *
 * @example
 * const result = yield* new Extraction(point, { space, known, symptom: 'pause', ownerOf }).run();
 */
export class Extraction<Owner extends KnownSet> {
  private current: Point;
  private readonly options: ExtractionOptions<Owner>;
  private readonly reference: Point;
  private owner: Owner | undefined;

  constructor(point: Point, options: ExtractionOptions<Owner>) {
    this.current = point;
    this.options = options;
    const reference = referencePoint(options.space);
    // Fewer queue pairs than the reference has are milder still: they stay.
    this.reference = { ...reference, qps: Math.min(reference.qps, point.qps) };
  }

  *run(): Course<ExtractionResult<Owner>> {
    const wasDatagram = this.current.transport === 'UD';
    for (const group of GROUPS) yield* this.takeBack(group);
    // What is no datagram any more can have messages of any length.
    if (wasDatagram && this.current.transport !== 'UD') yield* this.takeBack(['sizes']);
    if (this.owner !== undefined) return { kind: 'duplicate', owner: this.owner };
    const outcomes = yield* together([
      ...this.names().map((name) => this.choice(name)),
      this.pattern(),
      ...NUMBERS.filter((name) => name !== 'queueDepth').map((name) => this.number(name)),
    ]);
    const bounds: Change = Object.assign({}, ...outcomes.map(({ bound }) => bound));
    // Posts decide how short a queue can be: its bound is found with the shortest of them that are needed.
    if (yield* this.staysAnomalous(this.changed(bounds))) this.current = this.changed(bounds);
    outcomes.push(yield* this.number('queueDepth'));
    const features = outcomes.flatMap(({ feature }) => feature ?? []);
    return yield* this.verify(features, outcomes[outcomes.length - 1].bound ?? {});
  }

  /** Takes units back to the reference, all at once or else in halves. */
  private *takeBack(units: readonly Unit[]): Course<void> {
    if (this.owner !== undefined) return;
    const { space } = this.options;
    const point = takenBack(this.current, units, this.reference, space);
    if (point !== null && keyOf(point) === keyOf(this.current)) return;
    if (point !== null && (yield* this.staysAnomalous(point))) {
      this.current = point;
      return;
    }
    if (units.length === 1) return;
    const half = units.length >> 1;
    yield* this.takeBack(units.slice(0, half));
    yield* this.takeBack(units.slice(half));
  }

  /** Whether the point may become this one. What belongs to a known anomaly with the same symptom ends the extraction. */
  private *staysAnomalous(point: Point): Course<boolean> {
    const { known, ownerOf, symptom } = this.options;
    const owner = ownerOf(point);
    if (owner !== undefined) {
      if (owner.symptom === symptom) this.owner = owner;
      return false;
    }
    const observation = yield* measure(known, { point, length: 'short', purpose: 'features' });
    return observation.symptom !== null;
  }

  /** Names to try against others: transport, operation and MTU always, the rest where the point is not mild in them. */
  private names(): ChoiceName[] {
    const rest = CHOICES.filter(
      (name) => !ALWAYS_TRIED.includes(name) && this.current[name] !== this.reference[name],
    );
    return [...ALWAYS_TRIED, ...rest];
  }

  private *choice(name: ChoiceName): Course<Outcome> {
    const { space } = this.options;
    const { values } = space.choices[name];
    const here = this.current[name];
    // UD has SEND alone: whether SEND is needed shows on a transport that has the others.
    const change = (value: string | number): Change =>
      name === 'opcode' && this.current.transport === 'UD'
        ? { opcode: value as Point['opcode'], transport: 'RC' }
        : { [name]: value };
    const others = values.filter(
      (value) => value !== here && illegality(this.changed(change(value)), space) === null,
    );
    const isTraffic = name === 'transport' || name === 'opcode';
    const shown = yield* together(
      others.map((value) => (isTraffic ? this.isSame(change(value)) : this.isAnomalous(change(value)))),
    );
    const showing = values.filter((value) => value === here || shown[others.indexOf(value)]);
    // Where nothing else is possible, as with SEND on UD, another condition says so already.
    if (showing.length === others.length + 1) return {};
    return { feature: { dimension: name, in: showing } };
  }

  /**
   * Whether another kind of traffic shows the same anomaly: it is anomalous, and needs what this one needs. One that stays
   * anomalous without it has an anomaly of its own.
   */
  private *isSame(change: Change): Course<boolean> {
    if (!(yield* this.isAnomalous(change))) return false;
    const { space, known, ownerOf } = this.options;
    const point = this.changed(change);
    const needed = (Object.keys(UNITS) as Unit[]).filter(
      (unit) =>
        unit !== 'traffic' &&
        UNITS[unit].some((name) => String(this.current[name]) !== String(this.reference[name])),
    );
    const without = needed
      .slice(0, MOST_WITHOUT)
      .flatMap((unit) => takenBack(point, [unit], this.reference, space) ?? []);
    const shown = yield* together(
      without
        .filter((each) => keyOf(each) !== keyOf(point))
        .map(function* (each): Course<boolean> {
          if (ownerOf(each) !== undefined) return true;
          return (
            (yield* measure(known, { point: each, length: 'short', purpose: 'features' })).symptom !== null
          );
        }),
    );
    return !shown.includes(true);
  }

  private *pattern(): Course<Outcome> {
    const { ladder } = this.options.space.sizes;
    const { sizes } = this.current;
    if (!isUniform(sizes)) return yield* this.mixedPattern(sizes, ladder);
    const region = yield* this.region(ladder, sizes[0], (size) => ({ sizes: [size] }));
    return outcomeOf(region, 'sizes', (size) => ({ sizes: [size] }), this.reference.sizes[0]);
  }

  /** One of the sizes may be enough; else short and long messages are needed together: how short and how long. */
  private *mixedPattern(sizes: readonly number[], ladder: readonly number[]): Course<Outcome> {
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    for (const size of [most, least]) {
      if (!(yield* this.isAnomalous({ sizes: [size] }))) continue;
      const region = yield* this.region(ladder, size, (each) => ({ sizes: [each] }));
      const outcome = outcomeOf(region, 'sizes', (each) => ({ sizes: [each] }), this.reference.sizes[0]);
      return { feature: outcome.feature, bound: outcome.bound ?? { sizes: [size] } };
    }
    const middle = Math.sqrt(most) * Math.sqrt(least);
    const between = ladder.filter((rung) => rung > least && rung < most);
    const [shortMax, longMin] = yield* together([
      this.farthest(between, least, (limit) => ({
        sizes: sizes.map((size) => (size <= middle ? limit : size)),
      })),
      this.farthest([...between].reverse(), most, (limit) => ({
        sizes: sizes.map((size) => (size > middle ? limit : size)),
      })),
    ]);
    return { feature: { dimension: 'mix', shortMax, longMin } };
  }

  private *number(name: NumberName): Course<Outcome> {
    const { ladder, usualMax } = this.options.space.numbers[name];
    const value = this.current[name];
    if (value === this.reference[name] && !BOTH_ENDS.includes(name)) return {};
    const usual = ladder.filter((rung) => rung <= Math.max(usualMax, value));
    const region = yield* this.region(usual, value, (rung) => ({ [name]: rung }));
    return outcomeOf(region, name, (rung) => ({ [name]: rung }), this.reference[name]);
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
      this.farthest(below, value, change),
      this.farthest(above, value, change),
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
    rungs: readonly number[],
    start: number,
    change: (rung: number) => Change,
  ): Course<number> {
    if (rungs.length === 0) return start;
    let bad = rungs.length - 1;
    if (yield* this.isAnomalous(change(rungs[bad]))) return rungs[bad];
    let good = -1;
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      if (yield* this.isAnomalous(change(rungs[middle]))) good = middle;
      else bad = middle;
    }
    return good < 0 ? start : rungs[good];
  }

  private changed(change: Change): Point {
    return fitted({ ...this.current, ...change }, this.options.space);
  }

  /** Whether a neighbour of the point is anomalous; what belongs to a known anomaly is, and need not be tried. */
  private *isAnomalous(change: Change): Course<boolean> {
    const { space, known, ownerOf } = this.options;
    const point = this.changed(change);
    if (illegality(point, space) !== null) return false;
    if (ownerOf(point) !== undefined) return true;
    const observation = yield* measure(known, { point, length: 'short', purpose: 'features' });
    return observation.symptom !== null;
  }

  /** The point at its bounds where that shows an anomaly in a full run, or else the reduced one. */
  private *verify(features: Feature[], bounds: Change): Course<ExtractionResult<Owner>> {
    const { space, known, ownerOf } = this.options;
    for (const reduced of [this.changed(bounds), this.current]) {
      if (illegality(reduced, space) !== null || ownerOf(reduced) !== undefined) continue;
      const { symptom } = yield* measure(known, { point: reduced, length: 'full', purpose: 'confirm' });
      if (symptom !== null) return { kind: 'set', features, reduced, symptom };
    }
    return { kind: 'nothing' };
  }
}

/** The condition that a region of a ladder means, and its value nearest to the reference. */
function outcomeOf(
  { least, most, lowest, highest }: Region,
  dimension: NumberName | 'sizes',
  change: (rung: number) => Change,
  reference: number,
): Outcome {
  if (least === lowest && most === highest) return {};
  const feature: Feature = {
    dimension,
    ...(least > lowest ? { min: least } : {}),
    ...(most < highest ? { max: most } : {}),
  };
  const nearest = Math.min(most, Math.max(least, reference));
  return { feature, bound: change(nearest) };
}
