import type { Random } from '../../engine/index.js';
import { type GuidingCounter, valueOfCounter } from './counters.js';
import { expectedImprovement, GaussianProcess } from './gaussian-process.js';
import type { HuntState } from './hunt-state.js';
import type { Point } from './point.js';
import { CHOICES, NUMBERS, type Space } from './space.js';
import { type Course, measure } from './trial.js';

/** Experiments for a counter before the next one's turn. */
const EXPERIMENTS_A_COUNTER = 25;
/** Points that the model is made from: the last ones. */
const MEMORY = 120;
/** Random points of which the most promising is tried. */
const CANDIDATES = 150;

/**
 * Bayesian optimisation (Collie §7.2): a Gaussian process models each counter in turn, and the random point with the
 * greatest expected improvement is tried next.
 */
export function* optimise(state: HuntState, random: Random): Course<void> {
  for (;;) {
    const counter = state.nextCounter();
    for (let turn = 0; turn < EXPERIMENTS_A_COUNTER; turn++) {
      const point = promising(state, counter, random);
      if (point === null) return;
      const observation = yield* measure(state.known, {
        point,
        length: 'short',
        purpose: 'search',
        counter: counter.name,
      });
      yield* state.examine(point, observation);
    }
  }
}

function promising(state: HuntState, counter: GuidingCounter, random: Random): Point | null {
  const samples = state.sampled.slice(-MEMORY);
  // Logarithms, for counters span decades; performance is driven low.
  const goal = (value: number) => (counter.kind === 'performance' ? -1 : 1) * Math.log1p(Math.max(0, value));
  const values = samples.map(({ observation }) => goal(valueOfCounter(counter, observation)));
  const model = new GaussianProcess(
    samples.map(({ point }) => encode(point, state.space)),
    values,
  );
  const best = Math.max(...values);
  let chosen: Point | null = null;
  let most = -1;
  for (let candidate = 0; candidate < CANDIDATES; candidate++) {
    const point = state.freshPoint(random);
    if (point === null) break;
    const { mean, deviation } = model.predict(encode(point, state.space));
    const gain = expectedImprovement(mean, deviation, best);
    if (gain > most) {
      most = gain;
      chosen = point;
    }
  }
  return chosen;
}

/** A point in the unit cube: names as one coordinate each, numbers by their rung. */
export function encode(point: Point, space: Space): Float64Array {
  const coordinates: number[] = [];
  for (const name of CHOICES)
    for (const value of space.choices[name].values)
      coordinates.push(point[name] === value ? Math.SQRT1_2 : 0);
  const rung = (ladder: readonly number[], value: number) =>
    ladder.length === 1 ? 0 : ladder.findLastIndex((each) => each <= value) / (ladder.length - 1);
  for (const name of NUMBERS) coordinates.push(rung(space.numbers[name].ladder, point[name]));
  coordinates.push(rung(space.sizes.ladder, Math.min(...point.sizes)));
  coordinates.push(rung(space.sizes.ladder, Math.max(...point.sizes)));
  return Float64Array.from(coordinates);
}
