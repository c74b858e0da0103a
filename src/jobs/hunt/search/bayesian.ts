import type { Random } from '../../../engine/index.js';
import { type GuidingCounter, valueOfCounter } from '../counters.js';
import { type Course, measure } from '../experiments/trial.js';
import type { HuntState } from '../hunt-state.js';
import type { Point } from '../space/point.js';
import { CHOICES, NUMBERS, type Space } from '../space/space.js';
import { GaussianProcess } from './gaussian-process.js';

/** Experiments for a counter before the next one's turn. */
const EXPERIMENTS_A_COUNTER = 25;
/** Points that the model is made from: the last ones that it chose itself. */
const MEMORY = 120;
/** Random points of which the most promising is tried. */
const CANDIDATES = 150;
/** Deviations that a point may be better than its mean: the bound that the tool of §7.2 has unless set. */
const CONFIDENCE = 2.576;

/**
 * Bayesian optimisation after Collie's baseline (§7.2, by Nogueira's BayesianOptimization): a Gaussian process models each
 * counter in turn, and the random point with the greatest upper confidence bound is tried next.
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
  const samples = state.chosen.slice(-MEMORY);
  // Performance is driven low.
  const sign = counter.kind === 'performance' ? -1 : 1;
  const model = new GaussianProcess(
    samples.map(({ point }) => encode(point, state.space)),
    samples.map(({ observation }) => sign * valueOfCounter(counter, observation)),
  );
  let chosen: Point | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (let candidate = 0; candidate < CANDIDATES; candidate++) {
    const point = state.freshPoint(random);
    if (point === null) break;
    const { mean, deviation } = model.predict(encode(point, state.space));
    const bound = mean + CONFIDENCE * deviation;
    if (bound > most) {
      most = bound;
      chosen = point;
    }
  }
  return chosen;
}

/**
 * A point as coordinates, in the units in which a space gives its bounds, as the tool of §7.2 takes them: names by their
 * number, numbers as they are, the request vector by its shortest and longest.
 */
function encode(point: Point, { choices }: Space): Float64Array {
  return Float64Array.of(
    ...CHOICES.map((name) => choices[name].values.indexOf(point[name])),
    ...NUMBERS.map((name) => point[name]),
    Math.min(...point.sizes),
    Math.max(...point.sizes),
  );
}
