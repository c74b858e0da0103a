import type { Random } from '../../../engine/index.js';
import { type GuidingCounter, valueOfCounter } from '../counters.js';
import type { HuntState } from '../hunt-state.js';
import type { Observation } from '../observation.js';
import type { Point } from '../space/point.js';
import { type Course, measure } from '../trial.js';
import { mutatePoint } from './draw.js';

/** Algorithm 1's schedule: relaxed, so that a chain leaves a region even late (§5.1), and short: a new start shows more. */
const SCHEDULE = { start: 1, end: 0.1, decay: 0.5, stepsPerTemperature: 2 };
/** New points of which a chain starts at the one that has its counter nearest to where it is driven, or at a known one. */
const STARTS = 2;
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
  let here: Place | null = state.bestKnown(counter);
  for (let each = 0; each < STARTS; each++) {
    const place: Place | null = yield* start(state, counter, random);
    if (place === null) return false;
    if (here === null || changeFrom(here, place.observation, counter) < 0) here = place;
  }
  if (here === null) return false;
  for (let heat = SCHEDULE.start; heat > SCHEDULE.end; heat *= SCHEDULE.decay) {
    for (let step = 0; step < SCHEDULE.stepsPerTemperature; step++) {
      const next = nextPoint(state, here.point, random);
      if (next === null) {
        here = yield* start(state, counter, random);
        if (here === null) return false;
        continue;
      }
      const observation = yield* measure(state.known, trialOf(next, counter));
      if (observation.symptom !== null) {
        yield* state.examine(next, observation);
        if (state.mfs) {
          here = yield* start(state, counter, random);
          if (here === null) return false;
          continue;
        }
      }
      if (accepts(changeFrom(here, observation, counter), heat, random)) here = { point: next, observation };
    }
  }
  return true;
}

/** A random clean point, every other one bred from a known anomaly; anomalies on the way are examined. */
function* start(state: HuntState, counter: GuidingCounter, random: Random): Course<Place | null> {
  for (;;) {
    const bred = random.nextInt(2) === 0 ? state.bredPoint(random) : null;
    const point = bred ?? state.freshPoint(random);
    if (point === null) return null;
    const observation = yield* measure(state.known, trialOf(point, counter));
    if (observation.symptom === null || !state.mfs) {
      if (observation.symptom !== null) yield* state.examine(point, observation);
      return { point, observation };
    }
    yield* state.examine(point, observation);
  }
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
