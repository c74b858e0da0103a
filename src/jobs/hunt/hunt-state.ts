import type { Random } from '../../engine/index.js';
import {
  type CounterKind,
  type GuidingCounter,
  isDiagnostic,
  isKin,
  rankCounters,
  tellingCounters,
  valueOfCounter,
} from './counters.js';
import type { Foresight } from './experiments/foresight.js';
import { type Course, type Known, measure, type Trial, together, trialKey } from './experiments/trial.js';
import { NO_BASELINE, type Observation } from './observation.js';
import { type Find, isSubset, KnownFinds, type KnownSet, type Suspect } from './reduce/known-finds.js';
import { Extraction, type ExtractionResult } from './reduce/minimal-feature-set.js';
import { crossPoints, drawPoint } from './search/draw.js';
import { exchanged, otherLengths, otherTraffic } from './search/relatives.js';
import { screenOf } from './search/screen.js';
import { Suspects } from './search/suspects.js';
import { keyOf, type Point } from './space/point.js';
import type { Space } from './space/space.js';

/** Share of the experiments that may go into what resembles known anomalies. */
const RESEMBLING_SHARE = 0.25;

/** Known anomalies that a suspect is first taken for, at most. */
const MOST_GUESSES = 2;
/** Part of the budget that is left when the search first works off what waits. */
const LAST_SHARE = 0.06;

/** How a search goes about what it has found. */
interface StateOptions {
  /** Whether minimal feature sets are found and known anomalies skipped. */
  mfs: boolean;
  /** Whether workloads that are much like a find are looked at after it: the baselines go by their own rule alone. */
  relatives: boolean;
  /** What other hunts have found: it is skipped and not reported. */
  known: readonly KnownSet[];
  /** Makes what may be wanted next before it is; null where there are no workers for it. */
  foresight: Foresight | null;
  /** The share of the budget that is left. */
  budgetLeft: () => number;
}

/** What all parts of a search share. */
export class HuntState {
  readonly space: Space;
  readonly random: Random;
  readonly mfs: boolean;
  private readonly relatives: boolean;
  private readonly foresight: Foresight | null;
  private readonly budgetLeft: () => number;
  private readonly knownFinds: KnownFinds;
  /** Every observation, by experiment. */
  readonly known = new Map<string, Observation>();
  /** Points that were looked at shortly, with what they showed, in order. */
  readonly sampled: { point: Point; observation: Observation }[] = [];
  /** Those of them that the search chose itself, without what a set was found with. */
  readonly chosen: { point: Point; observation: Observation }[] = [];
  /** Ranked, once the first random points are in. */
  counters: GuidingCounter[] = [];
  /** What clean workloads do. */
  baseline = NO_BASELINE;
  /** Experiments consumed so far. */
  experiments = 0;
  private readonly suspects: Suspects;
  /** The ends of the space. */
  private readonly screen: readonly Point[];
  /** Experiments that went into what resembles known anomalies. */
  private resembling = 0;
  private turn = 0;
  /** The number of the experiment that gave an observation, from 1. */
  private readonly numbers = new WeakMap<Observation, number>();
  /** Points that chains have started from, by counter. */
  private readonly given = new Map<string, Set<Point>>();

  constructor(space: Space, random: Random, { mfs, relatives, known, foresight, budgetLeft }: StateOptions) {
    this.space = space;
    this.random = random;
    this.mfs = mfs;
    this.relatives = relatives;
    this.foresight = foresight;
    this.budgetLeft = budgetLeft;
    this.knownFinds = new KnownFinds(space, known);
    this.suspects = new Suspects(this.knownFinds);
    this.screen = screenOf(space);
  }

  /** The anomalies found so far. */
  get finds(): readonly Find[] {
    return this.knownFinds.own;
  }

  /** Takes an experiment's outcome in. */
  record(trial: Trial, observation: Observation): void {
    this.known.set(trialKey(trial), observation);
    this.experiments++;
    this.numbers.set(observation, this.experiments);
    const sample = { point: trial.point, observation };
    if (trial.length === 'short') this.sampled.push(sample);
    if (trial.purpose === 'random' || trial.purpose === 'search') this.chosen.push(sample);
    this.welcome(observation);
  }

  /** A diagnostic counter that moves for the first time after the ranking is driven next. */
  private welcome({ counters }: Observation): void {
    if (!this.counters.some(({ kind }) => kind === 'diagnostic')) return;
    const fresh = Object.keys(counters)
      .filter((name) => isDiagnostic(name) && !this.counters.some((each) => each.name === name))
      .sort();
    for (const name of fresh)
      this.counters.splice(this.turn % this.counters.length, 0, { kind: 'diagnostic', name });
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

  /**
   * Whether a point belongs to an anomaly that is known, or is a step beside it and would be taken for another sight of it:
   * it need not be tried (Algorithm 1, line 5).
   */
  isTaken(point: Point): boolean {
    return this.mfs && this.knownFinds.nearestOf(point) !== undefined;
  }

  /** The clean point, nobody's and not given before for this counter, that has it nearest to where it is driven. */
  bestKnown(counter: GuidingCounter): { point: Point; observation: Observation } | null {
    const sign = counter.kind === 'performance' ? -1 : 1;
    let given = this.given.get(counter.name);
    if (given === undefined) {
      given = new Set();
      this.given.set(counter.name, given);
    }
    let best: { point: Point; observation: Observation } | null = null;
    let most = Number.NEGATIVE_INFINITY;
    for (const each of this.sampled) {
      const value = sign * valueOfCounter(counter, each.observation);
      if (each.observation.symptom !== null || value <= most || given.has(each.point)) continue;
      if (this.isTaken(each.point)) continue;
      best = each;
      most = value;
    }
    if (best !== null) given.add(best.point);
    return best;
  }

  /** A random point that is nobody's and was not tried; null where the space seems to have no other. */
  freshPoint(random: Random): Point | null {
    for (let attempt = 0; attempt < 300; attempt++) {
      const point = drawPoint(this.space, random);
      if (this.isFresh(point)) return point;
    }
    return null;
  }

  /** One of the ends of the space that is nobody's and was not tried; null where none is left. */
  screenPoint(random: Random): Point | null {
    const left = this.screen.filter((point) => this.isFresh(point));
    return left.length === 0 ? null : random.pick(left);
  }

  private isFresh(point: Point): boolean {
    return !this.isTaken(point) && !this.known.has(trialKey({ point, length: 'short', purpose: 'search' }));
  }

  /**
   * A point with some of its dimensions from a known anomaly and the others at random, nobody's and not tried: what one
   * anomaly needs is often half of what another does. Null where nothing is known yet.
   */
  bredPoint(random: Random): Point | null {
    const known = this.knownFinds.complete;
    if (known.length === 0) return null;
    for (let attempt = 0; attempt < 300; attempt++) {
      const point = crossPoints(random.pick(known).point, drawPoint(this.space, random), this.space, random);
      if (point !== null && this.isFresh(point)) return point;
    }
    return null;
  }

  /**
   * What follows when a point of the search shows an anomaly: confirm it and find its set, unless another does that now.
   * What resembles a known one waits, and gets a part of the experiments.
   */
  *examine(point: Point, observation: Observation): Course<void> {
    const first = this.suspect(point, observation);
    if (first === null) return;
    if (!this.mfs) {
      this.knownFinds.addRaw(first);
      return;
    }
    let next: Suspect | undefined = first;
    while (next !== undefined) {
      const admitted = this.suspects.admit(next);
      if (admitted !== null) yield* this.extract(admitted);
      next = this.suspects.nextWaiting();
    }
    if (this.resembling > RESEMBLING_SHARE * this.experiments) return;
    const resembling = this.suspects.nextResembling();
    if (resembling === undefined) return;
    const course = this.extract(resembling);
    for (let step = course.next(); step.done !== true; ) {
      this.resembling += step.value.length;
      step = course.next(yield step.value);
    }
  }

  /** Near the end what waits goes before new points: a set that is not found in time is none. */
  *workOff(): Course<void> {
    if (!this.mfs || this.budgetLeft() > LAST_SHARE) return;
    for (;;) {
      const next = this.suspects.nextWaiting() ?? this.suspects.nextResembling();
      if (next === undefined) return;
      yield* this.extract(next);
    }
  }

  private suspect(point: Point, observation: Observation): Suspect | null {
    const { symptom } = observation;
    if (symptom === null) return null;
    const moved = tellingCounters(observation, this.baseline);
    return { point, symptom, experiment: this.numbers.get(observation) ?? this.experiments, moved };
  }

  /**
   * Runs a part of the search that changes nothing of this state, with an eye on what it may want next. `rehearsal` does
   * the same from whatever is known.
   */
  *along<Result>(course: Course<Result>, rehearsal: (known: Known) => Course<unknown>): Course<Result> {
    return yield* this.foresight === null ? course : this.foresight.along(course, rehearsal);
  }

  private *extract(suspect: Suspect): Course<void> {
    const { experiment } = suspect;
    const { known, knownFinds } = this;
    // Before anything is measured: others that might be the same are to wait.
    this.suspects.begin(suspect);
    const [course, look] = [this.extraction.bind(this), this.lookAtRelatives.bind(this)];
    const result = yield* this.along(course(suspect, known), function* (supposed) {
      const foreseen = yield* course(suspect, supposed);
      yield* look(suspect, foreseen, supposed);
    });
    this.suspects.end(suspect);
    if (result.kind === 'nothing') return;
    if (result.kind === 'duplicate') {
      const { owner, reduced, symptom } = result;
      owner.times++;
      knownFinds.addCorner(owner, reduced, symptom, experiment);
      for (const corner of result.corners) knownFinds.addCorner(owner, corner, owner.symptom, experiment);
    }
    if (result.kind === 'set') {
      const { features, reduced, symptom, seen } = result;
      const moved = tellingCounters(seen, this.baseline);
      const find = { symptom, features, point: reduced, complete: true, experiment, moved };
      const added = knownFinds.add({ ...find, corners: [], times: 1 });
      for (const corner of result.corners) knownFinds.addCorner(added, corner, symptom, experiment);
    }
    for (const { point, observation } of yield* look(suspect, result, known)) {
      const relative = this.suspect(point, observation);
      if (relative !== null) this.suspects.wait(relative);
    }
  }

  /** The set of a suspect. */
  private extraction(suspect: Suspect, known: Known): Course<ExtractionResult<Find>> {
    const { space, knownFinds } = this;
    const { point, symptom } = suspect;
    return new Extraction<Find>(point, {
      ...{ space, known, symptom },
      likes: knownFinds.likes(suspect).slice(0, MOST_GUESSES),
      ownerOf: (each) => knownFinds.ownerOf(each),
      isFirst: (owner, each) => knownFinds.isFirst(owner, each),
      isKin: (one, other) => isKin(one, other, this.baseline),
      isAbout: ({ moved }, seen) => isSubset(tellingCounters(seen, this.baseline), moved),
      siblingOf: (each, seen) => {
        const reduced = this.suspect(each, seen);
        return reduced === null ? undefined : knownFinds.siblingOf(reduced);
      },
    }).run();
  }

  /** Workloads that are much like one that showed an anomaly and like what is left of it, with what they show. */
  private *lookAtRelatives(
    { point }: Suspect,
    result: ExtractionResult<Find>,
    known: Known,
  ): Course<{ point: Point; observation: Observation }[]> {
    if (!this.relatives || result.kind === 'nothing') return [];
    const { space } = this;
    const reduced = result.kind === 'set' ? [result.reduced] : [];
    const relatives = [
      ...reduced.flatMap((each) => [...exchanged(each, space), ...otherLengths(each, space)]),
      ...otherTraffic(point, space),
    ];
    const fresh = new Map(relatives.filter((each) => this.isFresh(each)).map((each) => [keyOf(each), each]));
    return yield* together(
      [...fresh.values()].map(function* (each) {
        const observation = yield* measure(known, { point: each, length: 'short', purpose: 'search' });
        return { point: each, observation };
      }),
    );
  }

  /** What the search was at when it ended: anomalies whose sets are not complete, one of each kind. */
  unfinished(): Find[] {
    return this.suspects.left().map((suspect) => this.knownFinds.incomplete(suspect));
  }
}
