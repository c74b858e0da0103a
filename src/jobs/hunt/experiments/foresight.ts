import type { Observation } from '../observation.js';
import type { ExperimentOptions, Outcome } from './experiment.js';
import { type Guess, guessesOf, Odds, type Rehearsal } from './guess.js';
import type { Flight } from './scheduler.js';
import { type Course, type Known, type Trial, trialKey } from './trial.js';

/** Experiments that were made early and that nobody has asked for yet, at most. */
const MOST_KEPT = 2000;

/** Who makes experiments early. */
export interface ForesightOptions {
  /** Workers that have nothing to do now. */
  idle: () => number;
  make: (trial: Trial, options: ExperimentOptions) => Promise<Outcome>;
  /** What was observed so far. */
  known: Known;
}

/** A course that is under way, and what it may ask for next. */
interface Scout {
  rehearsal: Rehearsal;
  /** What its trials showed when they showed an anomaly. */
  anomalous: Observation | null;
  /** The trials ahead of it, the likeliest first; null where it has moved since. */
  guesses: Iterator<Guess> | null;
  /** The first of them, while nobody has made it. */
  guess: Guess | null;
}

/** An experiment that is made before anybody asks for it. */
interface Early extends Flight {
  key: string;
  scout: Scout;
  giveUp: AbortController;
  ended: boolean;
  onCost: (leastCost: number) => void;
}

/**
 * Makes experiments that courses are likely to ask for next on workers that have nothing to do. An experiment gives the
 * same outcome whenever it is made, so one that was made early is there at once when it is asked for; one that nobody asks
 * for is neither kept nor counted. What is ahead of a course is found by running it beforehand from what is known, once as
 * though its trials were clean and once as though they were not. Of all courses the likeliest experiment is made first.
 */
export class Foresight {
  private readonly options: ForesightOptions;
  private readonly scouts: Scout[] = [];
  private readonly early = new Map<string, Early>();
  /** Trials that courses wait for, with the course. */
  private readonly asked = new Map<string, Scout | null>();
  /** What ended and nobody has learned of yet. */
  private readonly landed = new Map<string, Observation>();
  private readonly odds = new Odds();

  constructor(options: ForesightOptions) {
    this.options = options;
  }

  /** Runs a course, with an eye on what is ahead of it; `rehearsal` does what it does, from whatever is known. */
  *along<Result>(course: Course<Result>, rehearsal: Rehearsal): Course<Result> {
    const scout: Scout = { rehearsal, anomalous: null, guesses: null, guess: null };
    this.scouts.push(scout);
    let step = course.next();
    while (step.done !== true) {
      scout.guesses = null;
      for (const trial of step.value) this.asked.set(trialKey(trial), scout);
      const observations = yield step.value;
      scout.anomalous = observations.findLast(({ symptom }) => symptom !== null) ?? scout.anomalous;
      step = course.next(observations);
    }
    this.scouts.splice(this.scouts.indexOf(scout), 1);
    return step.value;
  }

  /** The experiment that a course asks for, where it was made or begun before. */
  take(trial: Trial, onCost: (leastCost: number) => void): Flight | null {
    const key = trialKey(trial);
    if (!this.asked.has(key)) this.asked.set(key, null);
    const found = this.early.get(key);
    if (found === undefined) {
      this.makeRoom();
      return null;
    }
    this.early.delete(key);
    found.onCost = onCost;
    return found;
  }

  /** An experiment that a course asked for has ended. */
  land(trial: Trial, { observation }: Outcome): void {
    const key = trialKey(trial);
    this.odds.note(trial, observation);
    this.learn(key, observation, this.asked.get(key) ?? null);
  }

  /** The course has learned of it. */
  taken(trial: Trial): void {
    const key = trialKey(trial);
    this.asked.delete(key);
    this.landed.delete(key);
  }

  /** Gives idle workers something to do. */
  fill(): void {
    while (this.options.idle() > 0) {
      let likeliest: Scout | null = null;
      let best: Guess | null = null;
      for (const scout of this.scouts) {
        const guess = this.guessOf(scout);
        if (guess === null || (best !== null && guess.chance <= best.chance)) continue;
        likeliest = scout;
        best = guess;
      }
      if (likeliest === null || best === null) return;
      likeliest.guess = null;
      this.begin(likeliest, best.trial);
    }
  }

  /** Forgets everything: another part of the search begins. */
  end(): void {
    for (const each of this.early.values()) each.giveUp.abort();
    this.early.clear();
    this.asked.clear();
    this.landed.clear();
    this.scouts.length = 0;
  }

  /** The likeliest trial ahead of a course that nobody has made. */
  private guessOf(scout: Scout): Guess | null {
    const { known } = this.options;
    if (scout.guesses === null) {
      const { rehearsal, anomalous } = scout;
      const get = (key: string) => known.get(key) ?? this.landed.get(key);
      scout.guesses = guessesOf(rehearsal, { get }, anomalous, this.odds);
      scout.guess = null;
    }
    while (scout.guess === null || this.isMade(scout.guess.trial)) {
      const step = scout.guesses.next();
      if (step.done === true) return null;
      scout.guess = step.value;
    }
    return scout.guess;
  }

  private isMade(trial: Trial): boolean {
    const key = trialKey(trial);
    return this.asked.has(key) || this.early.has(key) || this.options.known.get(key) !== undefined;
  }

  private begin(scout: Scout, trial: Trial): void {
    const key = trialKey(trial);
    const giveUp = new AbortController();
    const early: Early = {
      ...{ key, scout, giveUp, ended: false, leastCost: 0, onCost: () => {} },
      outcome: this.options.make(trial, {
        onCost: (leastCost) => {
          early.leastCost = leastCost;
          early.onCost(leastCost);
        },
        signal: giveUp.signal,
      }),
    };
    this.early.set(key, early);
    early.outcome.then(
      ({ observation }) => {
        early.ended = true;
        this.learn(key, observation, scout);
        this.fill();
      },
      () => {
        // One that failed is made again when it is asked for, and fails there.
        if (this.early.get(key) === early) this.early.delete(key);
        this.fill();
      },
    );
    if (this.early.size > MOST_KEPT) this.forgetOldest();
  }

  private learn(key: string, observation: Observation, scout: Scout | null): void {
    this.landed.set(key, observation);
    if (scout === null) return;
    if (observation.symptom !== null) scout.anomalous = observation;
    scout.guesses = null;
  }

  private forgetOldest(): void {
    for (const [key, { ended }] of this.early) {
      if (!ended) continue;
      this.early.delete(key);
      this.landed.delete(key);
      return;
    }
  }

  /** What a course asks for goes before what it may ask for: one of those gives way, the last that was begun. */
  private makeRoom(): void {
    if (this.options.idle() > 0) return;
    const last = [...this.early.values()].findLast(({ ended }) => !ended);
    if (last === undefined) return;
    this.early.delete(last.key);
    last.giveUp.abort();
  }
}
