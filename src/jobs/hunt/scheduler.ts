import type { Observation } from './observation.js';
import type { Course, Trial } from './trial.js';

/** How trials are run. */
export interface SchedulerOptions {
  /** Runs a trial, or null where the search is over and it is not wanted any more. */
  dispatch: (trial: Trial) => Promise<Observation> | null;
  /** Takes an outcome in, in the order in which trials were dispatched. */
  consume: (trial: Trial, observation: Observation) => void;
}

/** What a course waits for. */
interface Wish {
  course: Course<unknown>;
  observations: Observation[];
  missing: number;
}

/**
 * Runs courses side by side. Outcomes are taken in the order of dispatch, whichever is ready first. So what a course knows
 * when it asks for its next trials depends on the courses and not on how many workers there are or how fast they are.
 * Courses that are not finished when the search ends stay as they are.
 */
export async function runCourses(
  courses: readonly Course<unknown>[],
  { dispatch, consume }: SchedulerOptions,
): Promise<void> {
  const flights: { wish: Wish; trial: Trial; outcome: Promise<Observation> }[] = [];
  const take = (course: Course<unknown>, step: IteratorResult<readonly Trial[], unknown>) => {
    if (step.done === true) return;
    const wish: Wish = { course, observations: [], missing: step.value.length };
    for (const trial of step.value) {
      const outcome = dispatch(trial);
      if (outcome === null) return;
      // Failures are met when their turn comes.
      outcome.catch(() => {});
      flights.push({ wish, trial, outcome });
    }
  };
  for (const course of courses) take(course, course.next());
  for (let flight = flights.shift(); flight !== undefined; flight = flights.shift()) {
    const { wish, trial, outcome } = flight;
    const observation = await outcome;
    consume(trial, observation);
    wish.observations.push(observation);
    if (--wish.missing === 0) take(wish.course, wish.course.next(wish.observations));
  }
}
