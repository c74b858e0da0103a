import type { Outcome } from './experiment.js';
import type { Course, Trial } from './trial.js';

/** A trial that is under way. */
export interface Flight {
  outcome: Promise<Outcome>;
  /** What it will cost at least. */
  leastCost: number;
}

/** How trials are run. */
export interface SchedulerOptions {
  /** The time of the clock when all courses begin; 0 unless set. */
  begin?: number;
  /**
   * Runs a trial, or null where the search is over and it is not wanted any more. `onCost` is to be called when the least
   * that it will cost has risen.
   */
  dispatch: (trial: Trial, begin: number, onCost: (leastCost: number) => void) => Flight | null;
  /** Takes an outcome in. */
  consume: (trial: Trial, outcome: Outcome) => void;
  /** Called when nothing is to be done until an outcome is in. */
  onIdle?: () => void;
}

/** What a course waits for. */
interface Wish {
  course: Course<unknown>;
  outcomes: (Outcome | undefined)[];
  missing: number;
}

/** A trial under way, on the clock of all courses. */
interface Entry {
  wish: Wish;
  /** Its place among the trials of the wish. */
  place: number;
  trial: Trial;
  begin: number;
  /** When it ends at the earliest; when it ends, once it has. */
  end: number;
  outcome: Outcome | null;
}

/**
 * Runs courses side by side on a virtual clock: a trial begins when its course asks for it and ends as much later as it
 * costs. Outcomes are taken in the order of these ends, those dispatched first where two are equal, and each only when
 * nothing under way can end before it. So what a course knows when it asks for its next trials depends on the experiments
 * alone, and not on how many workers there are; and as costs are about what experiments take, hardly anybody waits for
 * another course. Courses that are not finished when the search ends stay as they are. Gives the time of the clock at the
 * end.
 */
export async function runCourses(
  courses: readonly Course<unknown>[],
  options: SchedulerOptions,
): Promise<number> {
  return new Scheduler(options).run(courses);
}

class Scheduler {
  private readonly options: SchedulerOptions;
  /** In the order of dispatch. */
  private readonly entries: Entry[] = [];
  private now: number;
  private failure: { error: unknown } | null = null;
  private wake: () => void = () => {};

  constructor(options: SchedulerOptions) {
    this.options = options;
    this.now = options.begin ?? 0;
  }

  async run(courses: readonly Course<unknown>[]): Promise<number> {
    for (const course of courses) this.take(course, course.next());
    while (this.entries.length > 0) {
      const first = this.first();
      if (this.failure !== null) throw this.failure.error;
      if (first.outcome === null) {
        this.options.onIdle?.();
        await this.news();
      } else this.land(first, first.outcome);
    }
    return this.now;
  }

  /** Dispatches what a course asks for. */
  private take(course: Course<unknown>, step: IteratorResult<readonly Trial[], unknown>): void {
    if (step.done === true) return;
    const begin = this.now;
    const wish: Wish = { course, outcomes: step.value.map(() => undefined), missing: step.value.length };
    for (const [place, trial] of step.value.entries()) {
      const entry: Entry = { wish, place, trial, begin, end: begin, outcome: null };
      const flight = this.options.dispatch(trial, begin, (leastCost) => this.raise(entry, leastCost));
      if (flight === null) return;
      entry.end = begin + flight.leastCost;
      this.entries.push(entry);
      flight.outcome.then(
        (outcome) => {
          entry.outcome = outcome;
          entry.end = begin + outcome.cost;
          this.wake();
        },
        (error: unknown) => {
          this.failure ??= { error };
          this.wake();
        },
      );
    }
  }

  private raise(entry: Entry, leastCost: number): void {
    const end = entry.begin + leastCost;
    if (entry.outcome !== null || end <= entry.end) return;
    entry.end = end;
    this.wake();
  }

  /** The one that ends first, as far as is known. */
  private first(): Entry {
    return this.entries.reduce((first, each) => (each.end < first.end ? each : first));
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private land(entry: Entry, outcome: Outcome): void {
    const { wish, place, trial } = entry;
    this.now = entry.end;
    this.entries.splice(this.entries.indexOf(entry), 1);
    this.options.consume(trial, outcome);
    wish.outcomes[place] = outcome;
    if (--wish.missing > 0) return;
    const observations = wish.outcomes.map((each) => each!.observation);
    this.take(wish.course, wish.course.next(observations));
  }
}
