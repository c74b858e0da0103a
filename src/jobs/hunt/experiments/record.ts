import type { Observation } from '../observation.js';
import { hardwareSeconds, type Point } from '../space/point.js';
import type { Outcome } from './experiment.js';
import { type Purpose, type Trial, trialKey } from './trial.js';

/** An experiment that a search has learned of. */
export interface ExperimentRecord {
  /** Its place among all, in the order in which the search learned of them. */
  index: number;
  key: string;
  purpose: Purpose;
  counter: string | null;
  point: Point;
  observation: Observation;
  /** Seconds that it would take on real machines. */
  hardwareSeconds: number;
  /** What it asked of a simulator: by this outcomes are put in order. */
  cost: number;
}

/** An experiment as it is kept: when it ends nobody knows yet what the search will learn of before it. */
export interface KeptExperiment extends Omit<ExperimentRecord, 'index'> {
  /** Its place among all, in the order in which the search asked for them. */
  dispatch: number;
  /** When it ends on the clock of the search. */
  end: number;
}

/** A trial with its outcome. */
export function recordOf(trial: Trial, { observation, cost }: Outcome): Omit<ExperimentRecord, 'index'> {
  const { point, purpose, counter = null } = trial;
  return {
    ...{ key: trialKey(trial), purpose, counter, point, observation, cost },
    hardwareSeconds: hardwareSeconds(point),
  };
}

/** Kept experiments as the search learned of them. */
export function recordsOf(kept: readonly KeptExperiment[]): ExperimentRecord[] {
  return [...kept]
    .sort((one, other) => one.end - other.end || one.dispatch - other.dispatch)
    .map(({ dispatch: _, end: __, ...record }, index) => ({ index, ...record }));
}
