import type { Feature } from './feature.js';
import type { Symptom } from './observation.js';
import { isUniform, keyOf, type Point } from './point.js';
import type { ExperimentLength } from './point-workload.js';
import { referencePoint, takenBack, type Unit } from './reference.js';
import { fitted, illegality, type Space } from './space.js';
import { type Course, type Known, measure } from './trial.js';

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

/** Dimensions that differ from a point. */
export type Change = Partial<Point>;

/**
 * Groups that are taken back together first, in this order: most anomalies need little of what a random workload has.
 * Names come last, for with fewer of everything else it shows best which of them are needed.
 */
const GROUPS: readonly (readonly Unit[])[] = [
  ['sizes', 'elements'],
  ['regionLength', 'regions'],
  ['queueDepth', 'batch'],
  ['direction', 'mtu'],
  ['traffic'],
];

/** What can be had in place of queue pairs: much of it, but not as much as the space has. */
const PLENTY = { queueDepth: 1024, batch: 128 };

/**
 * An anomalous point on its way back to a clean reference, as far as it stays anomalous: the memory, then as few queue
 * pairs as show it (they cost most to set up), then group by group and in halves. What is left is what it needs.
 */
export class Reduction<Owner extends KnownSet> {
  protected current: Point;
  protected readonly options: ExtractionOptions<Owner>;
  protected readonly reference: Point;
  /** Known anomalies that it came upon. */
  protected readonly owners = new Set<Owner>();
  protected symptom: Symptom;
  protected length: ExperimentLength = 'short';

  constructor(point: Point, options: ExtractionOptions<Owner>) {
    this.current = point;
    this.options = options;
    this.symptom = options.symptom;
    const reference = referencePoint(options.space);
    // Fewer queue pairs than the reference has are milder still: they stay.
    this.reference = { ...reference, qps: Math.min(reference.qps, point.qps) };
  }

  /** Takes everything back that is not needed. */
  protected *takeAllBack(): Course<void> {
    yield* this.takeBack(['memoryA', 'memoryB']);
    // UC is RC without acknowledgements: most of what it shows RC shows too.
    if (this.current.transport === 'UC') yield* this.become(this.changed({ transport: 'RC' }));
    yield* this.takeGroupsBack();
    if (yield* this.exchange()) yield* this.takeGroupsBack();
  }

  private *takeGroupsBack(): Course<void> {
    const wasDatagram = this.current.transport === 'UD';
    yield* this.takeFewQps();
    for (const group of GROUPS) {
      yield* this.takeBack(group);
      if (group.includes('sizes')) yield* this.takePlainMix();
    }
    // What is no datagram any more can have messages of any length.
    if (wasDatagram && this.current.transport !== 'UD') yield* this.takeBack(['sizes']);
  }

  /** Whether the point is anomalous in a full run. */
  protected *isLasting(): Course<boolean> {
    const { known } = this.options;
    const full = yield* measure(known, { point: this.current, length: 'full', purpose: 'confirm' });
    return full.symptom !== null;
  }

  /** Takes units back to the reference, all at once or else in halves. */
  protected *takeBack(units: readonly Unit[]): Course<void> {
    const { space } = this.options;
    const point = takenBack(this.current, units, this.reference, space);
    if (point !== null && keyOf(point) === keyOf(this.current)) return;
    if (point !== null && (yield* this.become(point))) return;
    if (units.length === 1) return;
    const half = units.length >> 1;
    yield* this.takeBack(units.slice(0, half));
    yield* this.takeBack(units.slice(half));
  }

  /**
   * As few queue pairs as show the anomaly, down to the reference. They keep pausing, or not: what pauses with fewer only
   * is another anomaly.
   */
  private *takeFewQps(): Course<void> {
    const { qps } = this.current;
    const usual = this.reference.qps;
    const { ladder } = this.options.space.numbers.qps;
    const below = ladder.filter((rung) => rung > usual && rung < qps).reverse();
    const keeps = (rung: number) => this.keepsKind(this.changed({ qps: rung }));
    if (qps <= usual) return;
    let few = usual;
    if (!(yield* keeps(usual))) {
      few = yield* this.bisect(below, qps, keeps);
    }
    this.current = this.changed({ qps: few });
  }

  /** Whether a point is anomalous, and pauses where this one does and not where it does not. */
  protected *keepsKind(point: Point): Course<boolean> {
    if (illegality(point, this.options.space) !== null) return false;
    const symptom = yield* this.symptomOf(point);
    return symptom !== null && (symptom === 'pause') === (this.symptom === 'pause');
  }

  /**
   * Queue pairs cost most to set up. Where a point needs many of them, or deep queues or long posts, a quarter of them may
   * do with deep queues or long posts: what is the same fault at a smaller size is then told as one.
   */
  private *exchange(): Course<boolean> {
    const { current, reference } = this;
    const { qps } = current;
    const needy =
      qps > reference.qps || current.queueDepth !== reference.queueDepth || current.batch !== reference.batch;
    const fewer = Math.max(current.direction === 'loopback' ? 2 : 1, qps >> 2);
    if (!needy || fewer === qps) return false;
    const { queueDepth, batch } = PLENTY;
    for (const change of [{ queueDepth, batch }, { queueDepth }, { batch }]) {
      const point = this.changed({ qps: fewer, ...change });
      if (!(yield* this.keepsKind(point))) continue;
      this.current = point;
      return true;
    }
    return false;
  }

  /** Where short messages beside long ones are needed, the plainest of such patterns: the reference's and the shortest. */
  private *takePlainMix(): Course<void> {
    if (isUniform(this.current.sizes)) return;
    const point = this.changed({ sizes: [this.reference.sizes[0], this.options.space.sizes.ladder[0]] });
    if (keyOf(point) !== keyOf(this.current)) yield* this.become(point);
  }

  /** Makes the point this one where it stays anomalous, whatever its symptom is then. */
  private *become(point: Point): Course<boolean> {
    if (illegality(point, this.options.space) !== null) return false;
    const symptom = yield* this.symptomOf(point);
    if (symptom === null) return false;
    this.current = point;
    this.symptom = symptom;
    return true;
  }

  /** The symptom of a point. It stays out of known anomalies, which have none of their own: what is beside them would be lost. */
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
    return fitted({ ...this.current, ...change }, this.options.space);
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
