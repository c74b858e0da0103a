import type { Random } from '../../engine/index.js';
import { type CounterKind, type GuidingCounter, rankCounters } from './counters.js';
import { crossPoints, drawPoint } from './draw.js';
import { cornerAt, exactFeatures, type Feature, isSameSet, meetsAll, nearlyMeetsAll } from './feature.js';
import { Extraction } from './minimal-feature-set.js';
import { NO_BASELINE, type Observation, type Symptom } from './observation.js';
import type { Point } from './point.js';
import { OPERATIONS, repaired, type Space } from './space.js';
import { type Course, measure, type Trial, trialKey } from './trial.js';

/** An anomaly as the search knows it. */
export interface Find {
  symptom: Symptom;
  features: readonly Feature[];
  /** Other sets that belong to it, from other sights of it. */
  corners: (readonly Feature[])[];
  /** The mildest workload known to show it. */
  point: Point;
  /** Whether the set was found and the point verified by a full run; else the search ended before. */
  complete: boolean;
  /** Number of the experiment that showed it first. */
  experiment: number;
  /** How often it was found. */
  times: number;
}

/** An anomalous point that waits until another with which it might be one has its set. */
interface Suspect {
  point: Point;
  symptom: Symptom;
  experiment: number;
}

/** What all parts of a search share. */
export class HuntState {
  readonly space: Space;
  readonly random: Random;
  readonly mfs: boolean;
  readonly finds: Find[] = [];
  /** Every observation, by experiment. */
  readonly known = new Map<string, Observation>();
  /** Points of the search with what they showed, in order. */
  readonly sampled: { point: Point; observation: Observation }[] = [];
  /** Ranked, once the first random points are in. */
  counters: GuidingCounter[] = [];
  /** What clean workloads do. */
  baseline = NO_BASELINE;
  /** Experiments consumed so far. */
  experiments = 0;
  private readonly underway = new Set<Suspect>();
  private readonly waiting: Suspect[] = [];
  private turn = 0;

  constructor(space: Space, random: Random, mfs: boolean) {
    this.space = space;
    this.random = random;
    this.mfs = mfs;
  }

  /** Takes an experiment's outcome in. */
  record(trial: Trial, observation: Observation): void {
    this.known.set(trialKey(trial), observation);
    this.experiments++;
    if (trial.length === 'short') this.sampled.push({ point: trial.point, observation });
  }

  rank(kinds: readonly CounterKind[]): void {
    this.counters = rankCounters(
      this.sampled.map(({ observation }) => observation),
      kinds,
    );
  }

  /** The next counter to drive, in the order of the ranking, round and round. */
  nextCounter(): GuidingCounter {
    return this.counters[this.turn++ % this.counters.length];
  }

  /** Whether a point belongs to an anomaly that is known: it need not be tried (Algorithm 1, line 5). */
  isTaken(point: Point): boolean {
    return this.mfs && this.ownerOf(point) !== undefined;
  }

  private ownerOf(point: Point): Find | undefined {
    return this.finds.find(
      ({ features, corners, complete }) =>
        complete && [features, ...corners].some((set) => meetsAll(point, set)),
    );
  }

  /** Whether an anomalous point is another sight of a known anomaly: within its set, or a step of a ladder beside it. */
  private isNearKnown(point: Point): boolean {
    const find = this.finds.find(
      ({ features, corners, complete }) =>
        complete && [features, ...corners].some((set) => nearlyMeetsAll(point, set, this.space)),
    );
    if (find === undefined) return false;
    find.times++;
    return true;
  }

  /** A random point that is nobody's and was not tried; null where the space seems to have no other. */
  freshPoint(random: Random): Point | null {
    for (let attempt = 0; attempt < 300; attempt++) {
      const point = drawPoint(this.space, random);
      if (this.isFresh(point)) return point;
    }
    return null;
  }

  private isFresh(point: Point): boolean {
    return !this.isTaken(point) && !this.known.has(trialKey({ point, length: 'short', purpose: 'search' }));
  }

  /**
   * A point with some of its dimensions from a known anomaly and the others at random, nobody's and not tried: what one
   * anomaly needs is often half of what another does. Null where nothing is known yet.
   */
  bredPoint(random: Random): Point | null {
    const known = this.finds.filter(({ complete }) => complete);
    if (known.length === 0) return null;
    for (let attempt = 0; attempt < 300; attempt++) {
      const point = crossPoints(random.pick(known).point, drawPoint(this.space, random), this.space, random);
      if (point !== null && this.isFresh(point)) return point;
    }
    return null;
  }

  /** What follows when a point of the search shows an anomaly: confirm it and find its set, unless another does that now. */
  *examine(point: Point, { symptom }: Observation): Course<void> {
    if (symptom === null) return;
    const experiment = this.experiments;
    if (!this.mfs) {
      this.addRaw({ point, symptom, experiment });
      return;
    }
    let next: Suspect | undefined = { point, symptom, experiment };
    while (next !== undefined) {
      if (!this.isNearKnown(next.point)) {
        if (this.mayBeUnderway(next)) this.waiting.push(next);
        else yield* this.extract(next);
      }
      next = this.nextWaiting();
    }
  }

  private *extract(suspect: Suspect): Course<void> {
    const { point, experiment } = suspect;
    const { space, known } = this;
    // Before anything is measured: others that might be the same are to wait.
    this.underway.add(suspect);
    const confirmed = yield* measure(known, { point, length: 'full', purpose: 'confirm' });
    if (confirmed.symptom === null) {
      this.underway.delete(suspect);
      return;
    }
    const ownerOf = (each: Point) => this.ownerOf(each);
    const options = { space, known, symptom: confirmed.symptom, ownerOf };
    const result = yield* new Extraction<Find>(point, options).run();
    this.underway.delete(suspect);
    if (result.kind === 'duplicate') {
      const { owner, reduced } = result;
      owner.times++;
      owner.corners.push(cornerAt(reduced, owner.features, owner.point));
    } else if (result.kind === 'set') {
      const { features, reduced, symptom } = result;
      this.add({ symptom, features, point: reduced, corners: [], complete: true, experiment, times: 1 });
      yield* this.tryOtherTraffic(point);
    }
  }

  /** What one kind of traffic stumbles over another often does, if not in the same way: the same workload with each of them. */
  private *tryOtherTraffic(point: Point): Course<void> {
    const { space, known } = this;
    for (const [transport, operations] of Object.entries(OPERATIONS))
      for (const opcode of operations) {
        const other = { ...point, transport: transport as Point['transport'], opcode };
        const legal = isWithin(other, space) ? repaired(other, space) : null;
        if (legal === null || !this.isFresh(legal)) continue;
        const { symptom } = yield* measure(known, { point: legal, length: 'short', purpose: 'search' });
        if (symptom !== null) this.waiting.push({ point: legal, symptom, experiment: this.experiments });
      }
  }

  /** Two finds with the same set are one anomaly; the earlier one stays. */
  private add(find: Find): void {
    const twin = this.finds.find(
      (each) => each.symptom === find.symptom && isSameSet(each.features, find.features, this.space),
    );
    if (twin === undefined) this.finds.push(find);
    else twin.times++;
  }

  /** Without sets a find is its point; points that differ in numbers alone are kept as one. */
  private addRaw({ point, symptom, experiment }: Suspect): void {
    const features = exactFeatures(point, this.space);
    this.finds.push({ symptom, features, point, corners: [], complete: false, experiment, times: 1 });
  }

  private mayBeUnderway({ point, symptom }: Suspect): boolean {
    return [...this.underway].some(
      (other) =>
        other.symptom === symptom &&
        (other.point.direction === point.direction ||
          (other.point.transport === point.transport && other.point.opcode === point.opcode)),
    );
  }

  private nextWaiting(): Suspect | undefined {
    for (let index = 0; index < this.waiting.length; index++) {
      const suspect = this.waiting[index];
      if (this.isNearKnown(suspect.point)) this.waiting.splice(index--, 1);
      else if (!this.mayBeUnderway(suspect)) return this.waiting.splice(index, 1)[0];
    }
    return undefined;
  }

  /** What the search was at when it ended: anomalies whose sets are not complete, one of each kind. */
  unfinished(): Find[] {
    const suspects = [...this.underway, ...this.waiting].filter(({ point }) => !this.isNearKnown(point));
    const kinds = new Set<string>();
    return suspects.flatMap((suspect) => {
      const { point, symptom, experiment } = suspect;
      const kind = [symptom, point.transport, point.opcode, point.direction].join();
      if (kinds.has(kind)) return [];
      kinds.add(kind);
      return [
        {
          ...{ symptom, features: exactFeatures(point, this.space), point },
          ...{ corners: [], complete: false, experiment, times: 1 },
        },
      ];
    });
  }
}

function isWithin({ transport, opcode }: Point, { choices }: Space): boolean {
  return choices.transport.values.includes(transport) && choices.opcode.values.includes(opcode);
}
