import type { Random } from '../../../engine/index.js';
import { type GuidingCounter, valueOfCounter } from '../counters.js';
import { type Course, confirm, type Known, measure, together } from '../experiments/trial.js';
import type { HuntState } from '../hunt-state.js';
import type { Observation } from '../observation.js';
import { keyOf, type Point } from '../space/point.js';
import { mutatePoint } from './draw.js';

/** Algorithm 1's schedule: relaxed, so that a chain leaves a region even late (§5.1), and short: a new start shows more. */
const SCHEDULE = { start: 1, end: 0.1, decay: 0.25, stepsPerTemperature: 2 };
/** New points of which a chain starts at the one that has its counter nearest to where it is driven, or at a known one. */
const STARTS = 3;
/** Mutations that fall into known anomalies before the chain starts elsewhere. */
const SKIPS = 40;

/**
 * The change of energy from A to B (§5.1): (B - A) / A for a performance counter, which is driven low, and (A - B) / B for
 * a diagnostic counter, which is driven high. Below zero is better.
 */
export function energyChange({ kind }: Pick<GuidingCounter, 'kind'>, from: number, to: number): number {
  if (from === to) return 0;
  const [change, unit] = kind === 'performance' ? [to - from, from] : [from - to, to];
  return unit === 0 ? Math.sign(change) * Number.MAX_VALUE : change / unit;
}

/** Whether a chain goes from one value to another (Algorithm 1, lines 8 to 12): always when better, else by temperature. */
export function accepts(deltaEnergy: number, temperature: number, random: Random): boolean {
  return deltaEnergy < 0 || random.nextFloat() < Math.exp(-deltaEnergy / temperature);
}

/** One chain after the other, each driving the next counter of the ranking, until nobody asks for more. */
export function* anneal(state: HuntState, random: Random): Course<void> {
  for (;;) {
    yield* state.workOff();
    const started = yield* chain(state, state.nextCounter(), random);
    if (!started) return;
  }
}

interface Place {
  point: Point;
  observation: Observation;
}

/** One chain of Algorithm 1; false where the space has nothing left to start from. */
function* chain(state: HuntState, counter: GuidingCounter, random: Random): Course<boolean> {
  let here = yield* start(state, counter, random, state.bestKnown(counter));
  for (let heat = SCHEDULE.start; here !== null && heat > SCHEDULE.end; heat *= SCHEDULE.decay) {
    const from = here;
    // The neighbours of one temperature are looked at together: that takes half the time.
    const points = neighbours(state, from, random);
    const places = yield* lookAt(state, counter, points, (seen) => {
      const drawing = random.copy();
      const next = isLeft(state, seen) ? null : moved(from, seen, counter, heat, drawing);
      return next === null ? startPoints(state, 1, drawing) : neighbours(state, next, drawing);
    });
    for (const { point, observation } of places)
      if (observation.symptom !== null) yield* state.examine(point, observation);
    here = isLeft(state, places)
      ? yield* start(state, counter, random, null)
      : moved(from, places, counter, heat, random);
  }
  return here !== null;
}

/** Whether a chain goes on elsewhere: it has nowhere to go, or came upon what is known now. */
function isLeft({ mfs }: HuntState, places: readonly Place[]): boolean {
  return places.length === 0 || (mfs && places.some(({ observation }) => observation.symptom !== null));
}

/** Where a chain is after it has seen some neighbours. */
function moved(
  from: Place,
  places: readonly Place[],
  counter: GuidingCounter,
  heat: number,
  random: Random,
): Place {
  return places.reduce(
    (here, place) => (accepts(changeFrom(here, place.observation, counter), heat, random) ? place : here),
    from,
  );
}

/**
 * The best of some clean points, drawn in several ways, and the place that is given; null where the space has no other.
 * Anomalies on the way are examined.
 */
function* start(
  state: HuntState,
  counter: GuidingCounter,
  random: Random,
  given: Place | null,
): Course<Place | null> {
  let best = given;
  for (let missing = given === null ? 1 : STARTS; missing > 0; ) {
    const points = startPoints(state, missing, random);
    if (points.length === 0) return null;
    const before = best;
    const places = yield* lookAt(state, counter, points, (seen) =>
      isLeft(state, seen)
        ? startPoints(state, 1, random.copy())
        : neighbours(state, bestOf(before, seen, counter)!, random.copy()),
    );
    for (const { point, observation } of places)
      if (observation.symptom !== null) yield* state.examine(point, observation);
    const good = places.filter(({ observation }) => observation.symptom === null || !state.mfs);
    missing -= good.length;
    best = bestOf(best, good, counter);
  }
  return best;
}

/** The one that has the counter nearest to where it is driven. */
function bestOf(given: Place | null, places: readonly Place[], counter: GuidingCounter): Place | null {
  return places.reduce<Place | null>(
    (best, place) => (best === null || changeFrom(best, place.observation, counter) < 0 ? place : best),
    given,
  );
}

function startPoints(state: HuntState, count: number, random: Random): Point[] {
  return drawn(count, () => startPoint(state, random));
}

function neighbours(state: HuntState, { point }: Place, random: Random): Point[] {
  return drawn(SCHEDULE.stepsPerTemperature, () => nextPoint(state, point, random));
}

/** This many points, without those that are equal. */
function drawn(count: number, draw: () => Point | null): Point[] {
  const points = Array.from({ length: count }, draw).filter((point) => point !== null);
  return [...new Map(points.map((point) => [keyOf(point), point])).values()];
}

/** What points show, all looked at together. `ahead` says what will be looked at next if they show this. */
function* lookAt(
  state: HuntState,
  counter: GuidingCounter,
  points: readonly Point[],
  ahead: (seen: readonly Place[]) => readonly Point[],
): Course<Place[]> {
  const look = (each: readonly Point[], known: Known): Course<Place[]> =>
    together(
      each.map(function* (point): Course<Place> {
        return { point, observation: yield* measure(known, trialOf(point, counter)) };
      }),
    );
  return yield* state.along(look(points, state.known), function* (known) {
    const seen = yield* look(points, known);
    const anomalous = seen.filter(({ observation }) => observation.symptom !== null);
    yield* together(anomalous.map(({ point }) => confirm(known, point)));
    yield* look(ahead(seen), known);
  });
}

/**
 * An end of the space every other time, as long as there are any; else a random point, every other one bred from a known
 * anomaly. The ends come early: what needs much of several things takes longest to reduce.
 */
function startPoint(state: HuntState, random: Random): Point | null {
  const end = random.nextInt(2) === 0 ? state.screenPoint(random) : null;
  if (end !== null) return end;
  const bred = random.nextInt(2) === 0 ? state.bredPoint(random) : null;
  return bred ?? state.freshPoint(random);
}

function changeFrom(here: Place, observation: Observation, counter: GuidingCounter): number {
  return energyChange(
    counter,
    valueOfCounter(counter, here.observation),
    valueOfCounter(counter, observation),
  );
}

function nextPoint(state: HuntState, point: Point, random: Random): Point | null {
  for (let skip = 0; skip < SKIPS; skip++) {
    const next = mutatePoint(point, state.space, random);
    if (next === null) return null;
    if (!state.isTaken(next)) return next;
  }
  return null;
}

function trialOf(point: Point, counter: GuidingCounter) {
  return { point, length: 'short', purpose: 'search', counter: counter.name } as const;
}
