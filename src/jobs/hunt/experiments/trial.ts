import type { Observation } from '../observation.js';
import { keyOf, type Point } from '../space/point.js';
import type { ExperimentLength } from '../space/point-workload.js';

/** Why an experiment is made. */
export type Purpose = 'baseline' | 'random' | 'search' | 'features' | 'confirm' | 'advice';

/** An experiment that somebody wants. */
export interface Trial {
  point: Point;
  length: ExperimentLength;
  purpose: Purpose;
  /** Host settings over those of the subsystem. */
  settings?: Readonly<Record<string, string>>;
  /** The counter that the search drives with it. */
  counter?: string;
}

/**
 * A part of a hunt that asks for experiments, several at a time where they do not depend on each other, and goes on with
 * what they show. Being a generator, it can be run beside others on any number of workers, and run again from kept
 * observations.
 */
export type Course<Result> = Generator<readonly Trial[], Result, readonly Observation[]>;

/** A text that is equal for equal experiments. */
export function trialKey({ point, length, settings = {} }: Trial): string {
  const changes = Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  return [keyOf(point), length, ...changes].join(' ');
}

/** What was observed so far, by experiment: nothing is measured twice. */
export interface Known {
  get(key: string): Observation | undefined;
}

/** The observation of a trial: the known one, or a new one. */
export function* measure(known: Known, trial: Trial): Course<Observation> {
  const before = known.get(trialKey(trial));
  if (before !== undefined) return before;
  const [observation] = yield [trial];
  return observation;
}

/** What a point shows for good: in a full run, and in a long one where that ended before the workload was under way. */
export function* confirm(known: Known, point: Point): Course<Observation> {
  const seen = yield* measure(known, { point, length: 'full', purpose: 'confirm' });
  if (seen.symptom === null || seen.starting !== true) return seen;
  return yield* measure(known, { point, length: 'long', purpose: 'confirm' });
}

/** Runs courses side by side as one: what all of them want at a time is asked for together. */
export function* together<Result>(courses: readonly Course<Result>[]): Course<Result[]> {
  const steps = courses.map((course) => course.next());
  for (;;) {
    const wanting = steps.flatMap((step, index) => (step.done === true ? [] : [index]));
    if (wanting.length === 0) return steps.map((step) => step.value as Result);
    const observations = yield wanting.flatMap((index) => steps[index].value as readonly Trial[]);
    let taken = 0;
    for (const index of wanting) {
      const count = (steps[index].value as readonly Trial[]).length;
      steps[index] = courses[index].next(observations.slice(taken, taken + count));
      taken += count;
    }
  }
}
