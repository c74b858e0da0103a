import { type Course, confirm, type Known, measure, trialKey } from '../experiments/trial.js';
import type { Observation, Symptom } from '../observation.js';
import { isUniform, keyOf, type Point } from '../space/point.js';
import type { ExperimentLength } from '../space/point-workload.js';
import { DEEP_QUEUE, referencePoint, takenBack, UNITS, type Unit } from '../space/reference.js';
import {
  fitted,
  illegality,
  longestMessage,
  mergedSizes,
  type NumberName,
  repaired,
  type Space,
  spaceAround,
} from '../space/space.js';
import type { Feature } from './feature.js';
import { PLENTY, TRADED } from './plenty.js';

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
  /** The known anomaly that a reduced point, with what a full run showed, is another corner of; none unless set. */
  siblingOf?: (point: Point, observation: Observation) => Owner | undefined;
  /** Whether a reduced point is the first sight of a known anomaly with its kind of traffic; no unless set. */
  isFirst?: (owner: Owner, point: Point) => boolean;
  /** Whether what a full run of a point beside a known anomaly showed tells of that one; yes by default. */
  isAbout?: (owner: Owner, observation: Observation) => boolean;
  /** Known anomalies that the point may be another sight of; none unless set. */
  likes?: readonly Owner[];
  /** Whether what tells of one anomaly shows in the other too; yes by default. */
  isKin?: (one: Observation, other: Observation) => boolean;
}

/** Dimensions that differ from a point. */
export type Change = Partial<Point>;

/** Numbers that make up for each other: they are lowered in proportion, then one after the other. */
const AMOUNTS = ['qps', 'sge', 'batch', 'queueDepth'] as const satisfies readonly NumberName[];

/**
 * An anomalous point on its way back to a clean reference, as far as it stays anomalous: memory and regions, then the
 * amounts, together and one by one, then lengths, and names at the end. What is left is what it needs.
 */
export class Reduction<Owner extends KnownSet> {
  /** The points that it has been, the current one last. */
  protected readonly trail: Point[] = [];
  protected readonly options: ExtractionOptions<Owner>;
  protected readonly reference: Point;
  /** Known anomalies that it came upon. */
  protected readonly owners = new Set<Owner>();
  protected symptom: Symptom;
  protected length: ExperimentLength = 'short';

  constructor(point: Point, options: ExtractionOptions<Owner>) {
    this.trail.push(point);
    this.options = options;
    this.symptom = options.symptom;
    const reference = referencePoint(options.space);
    // Fewer queue pairs than the reference has are milder still: they stay.
    this.reference = { ...reference, qps: Math.min(reference.qps, point.qps) };
  }

  protected get current(): Point {
    return this.trail[this.trail.length - 1];
  }

  protected set current(point: Point) {
    this.trail.push(point);
  }

  /**
   * Takes back everything that is not needed. Names come last: with fewer of everything else it shows best which are needed.
   */
  protected *takeAllBack(): Course<void> {
    yield* this.guess();
    yield* this.takeBack(['memoryA', 'memoryB', 'regionLength', 'regions']);
    // UC is RC without acknowledgements: most of what it shows RC shows too.
    if (this.current.transport === 'UC') yield* this.become(this.changed({ transport: 'RC' }));
    // A queue shorter than usual is no less of a burden: it is seldom what an anomaly needs.
    if (this.current.queueDepth < this.reference.queueDepth) yield* this.takeBack(['queueDepth']);
    yield* this.temper();
    yield* this.deepen();
    yield* this.lowerAll();
    for (const name of AMOUNTS) yield* this.lower(name);
    const wasDatagram = this.current.transport === 'UD';
    yield* this.takeLengthsBack();
    // With nothing else there in plenty, the counters tell of what it needs: a name that changes what they tell is
    // another's.
    yield* this.takeBack(['direction', 'mtu'], true);
    yield* this.takeBack(['traffic'], true);
    // What is no datagram any more can have messages of any length.
    if (wasDatagram && this.current.transport !== 'UD') yield* this.takeLengthsBack();
  }

  /** Lengths of messages, and of regions that long ones needed. */
  private *takeLengthsBack(): Course<void> {
    const { sizes } = this.current;
    yield* this.takeBack(['sizes']);
    yield* this.takePlainMix();
    if (this.current.sizes !== sizes) yield* this.takeBack(['regionLength']);
  }

  /** Where the point is like a known anomaly, all that this one does not need is taken back at once. */
  private *guess(): Course<void> {
    const space = spaceAround(this.current, this.options.space);
    for (const { features } of this.options.likes ?? []) {
      const needs = (name: keyof Point) =>
        features.some(({ dimension }) => dimension === name || (dimension === 'mix' && name === 'sizes'));
      const spare = (Object.keys(UNITS) as Unit[]).filter((unit) => !UNITS[unit].some(needs));
      const point = takenBack(this.current, spare, this.reference, space);
      if (point !== null && keyOf(point) !== keyOf(this.current) && (yield* this.become(point, true))) return;
    }
  }

  /** What the point shows for good. */
  protected *fullLook(): Course<Observation> {
    return yield* confirm(this.options.known, this.current);
  }

  /** Takes units back to the reference, all at once or else in halves. */
  protected *takeBack(units: readonly Unit[], staysKin = false): Course<void> {
    const space = spaceAround(this.current, this.options.space);
    const point = takenBack(this.current, units, this.reference, space);
    if (point !== null && keyOf(point) === keyOf(this.current)) return;
    if (point !== null && (yield* this.become(point, staysKin))) return;
    if (units.length === 1) return;
    const half = units.length >> 1;
    yield* this.takeBack(units.slice(0, half), staysKin);
    yield* this.takeBack(units.slice(half), staysKin);
  }

  /** Where plenty of an amount will do, more of it stands for nothing: all that is beyond it at once, or else one by one. */
  private *temper(): Course<void> {
    const { current } = this;
    const beyond = TRADED.filter((name) => current[name] > PLENTY[name]);
    if (beyond.length === 0 || (yield* this.lowerToPlenty(beyond)) || beyond.length === 1) return;
    for (const name of beyond) yield* this.lowerToPlenty([name]);
  }

  private *lowerToPlenty(names: typeof TRADED): Course<boolean> {
    const lowered = this.changed(Object.fromEntries(names.map((name) => [name, PLENTY[name]])));
    const point = repaired(lowered, this.options.space);
    if (!(yield* this.keepsKind(point))) return false;
    this.current = point!;
    return true;
  }

  /** Queue pairs cost most to set up: where a quarter of them with deep queues will do, it is told with those. */
  private *deepen(): Course<void> {
    const { qps, queueDepth, direction } = this.current;
    const fewer = Math.max(direction === 'loopback' ? 2 : 1, qps >> 2);
    if (queueDepth >= DEEP_QUEUE || fewer === qps) return;
    const deep = this.changed({ qps: fewer, queueDepth: DEEP_QUEUE });
    const point = repaired(deep, spaceAround(this.current, this.options.space));
    if (point !== null && (yield* this.keepsKind(point))) this.current = point;
  }

  /** All amounts at a time, each by as large a part of its way to the reference as any other. */
  private *lowerAll(): Course<void> {
    const ways = AMOUNTS.map((name) => [this.current[name], ...this.rungsBack(name)]);
    const steps = Math.max(...ways.map((way) => way.length)) - 1;
    if (steps === 0) return;
    const at = (step: number): Point | null => {
      const amounts = AMOUNTS.map((name, index) => {
        const way = ways[index];
        return [name, way[Math.round((step * (way.length - 1)) / steps)]];
      });
      return repaired(this.changed(Object.fromEntries(amounts)), this.options.space);
    };
    const numbers = Array.from({ length: steps }, (_, index) => index + 1);
    const most = yield* this.farthestOf(numbers, 0, (step) => this.keepsKind(at(step)));
    if (most > 0) this.current = at(most)!;
  }

  /**
   * As little of an amount as shows the anomaly, down to the reference. It keeps pausing, or not: else it is another one.
   */
  private *lower(name: (typeof AMOUNTS)[number]): Course<void> {
    const value = this.current[name];
    const rungs = this.rungsBack(name);
    const keeps = (rung: number) => this.keepsKind(this.changed({ [name]: rung }));
    let least = yield* this.farthestOf(rungs, value, keeps);
    // Queue pairs decide between faults more often than anything else: half a rung more.
    const half = (3 * least) / 4;
    if (name === 'qps' && least > this.reference.qps && Number.isInteger(half) && (yield* keeps(half)))
      least = half;
    this.current = this.changed({ [name]: least });
  }

  /** The rungs from the point's amount, without it, down to the reference's. */
  private rungsBack(name: (typeof AMOUNTS)[number]): number[] {
    const { ladder } = this.options.space.numbers[name];
    return ladder.filter((rung) => rung >= this.reference[name] && rung < this.current[name]).reverse();
  }

  /** The farthest of the rungs, near to far, that still shows the anomaly; the last is tried first. */
  protected *farthestOf(
    rungs: readonly number[],
    start: number,
    shows: (rung: number) => Course<boolean>,
    steps = Number.POSITIVE_INFINITY,
  ): Course<number> {
    if (rungs.length === 0) return start;
    const last = rungs[rungs.length - 1];
    if (yield* shows(last)) return last;
    return yield* this.bisect(rungs.slice(0, -1), start, shows, steps);
  }

  /** Whether a point is anomalous, and pauses where this one does and not where it does not. */
  protected *keepsKind(point: Point | null): Course<boolean> {
    if (point === null || illegality(point, this.options.space) !== null) return false;
    const symptom = yield* this.symptomOf(point);
    return symptom !== null && (symptom === 'pause') === (this.symptom === 'pause');
  }

  /** Where short messages beside long ones are needed, the plainest of such patterns: the reference's and the shortest. */
  private *takePlainMix(): Course<void> {
    if (isUniform(this.current.sizes)) return;
    const sizes = [this.reference.sizes[0], this.options.space.sizes.ladder[0]];
    // An MTU that no message reached so far is none that longer ones need.
    const mtu = longestMessage(this.current) <= this.current.mtu ? this.reference.mtu : this.current.mtu;
    const point = this.changed({ sizes, mtu });
    if (keyOf(point) !== keyOf(this.current)) yield* this.become(point);
  }

  /** Makes the point this one where it stays anomalous, whatever its symptom is then. */
  private *become(point: Point, staysKin = false): Course<boolean> {
    if (illegality(point, this.options.space) !== null) return false;
    const symptom = yield* this.symptomOf(point);
    if (symptom === null || (staysKin && !this.isKin(point))) return false;
    this.current = point;
    this.symptom = symptom;
    return true;
  }

  /** Whether what this point is about shows at another too: else that one has an anomaly of its own. */
  protected isKin(point: Point): boolean {
    const seenAt = (at: Point) =>
      this.options.known.get(trialKey({ point: at, length: this.length, purpose: 'features' }));
    const [here, there] = [seenAt(this.current), seenAt(point)];
    return here === undefined || there === undefined || this.options.isKin?.(here, there) !== false;
  }

  /**
   * The symptom of a point. It stays out of known anomalies, which have none of their own: what is beside them would be
   * lost.
   */
  protected *symptomOf(point: Point): Course<Symptom | null> {
    const { known, ownerOf } = this.options;
    const owner = ownerOf(point);
    if (owner !== undefined) {
      if (owner.symptom === this.symptom) this.owners.add(owner);
      return null;
    }
    return (yield* measure(known, { point, length: this.length, purpose: 'features' })).symptom;
  }

  /** The farthest of the rungs that still shows the anomaly, where one beyond them does not. */
  protected *bisect(
    rungs: readonly number[],
    start: number,
    shows: (rung: number) => Course<boolean>,
    steps = Number.POSITIVE_INFINITY,
  ): Course<number> {
    let good = -1;
    let bad = rungs.length;
    for (let step = 0; bad - good > 1 && step < steps; step++) {
      const middle = (good + bad) >> 1;
      if (yield* shows(rungs[middle])) good = middle;
      else bad = middle;
    }
    return good < 0 ? start : rungs[good];
  }

  protected changed(change: Change): Point {
    const { current } = this;
    const { space } = this.options;
    const merged =
      change.sge === 1 && current.layout === 'list' ? { sizes: mergedSizes(current, space) } : {};
    return fitted({ ...current, ...merged, ...change }, space);
  }

  /** Whether a neighbour of the point is anomalous by itself and not by another, known anomaly. */
  protected *isAnomalous(change: Change): Course<boolean> {
    const { space, known, ownerOf } = this.options;
    const point = this.changed(change);
    if (illegality(point, space) !== null || ownerOf(point) !== undefined) return false;
    const observation = yield* measure(known, { point, length: this.length, purpose: 'features' });
    return observation.symptom !== null;
  }
}
