import type { Observation } from '../observation.js';
import { type Course, type Known, type Purpose, type Trial, trialKey } from './trial.js';

/** A part of a course that can be run beforehand: it changes nothing but itself. */
export type Rehearsal = (known: Known) => Course<unknown>;

/** A trial that a course may ask for, and how likely that is. */
export interface Guess {
  trial: Trial;
  chance: number;
}

/** What is less likely than this is not worth an experiment: of 0.03 to 0.3 all serve 8 workers alike. */
const LEAST_CHANCE = 0.2;

const CLEAN: Observation = {
  ...{ symptom: null, why: 'supposed', pauseRatio: 0, wireGbps: 0, packetsPerSecond: 0 },
  ...{ boundShare: null, latencyNs: null, lossShare: 0, counters: {} },
};

/** How often trials are anomalous, by what they are made for: even odds before any was made. */
export class Odds {
  private readonly counts = new Map<Purpose, { anomalous: number; all: number }>();

  /** A trial has ended. */
  note({ purpose }: Trial, { symptom }: Observation): void {
    const { anomalous, all } = this.countsOf(purpose);
    this.counts.set(purpose, { anomalous: anomalous + (symptom === null ? 0 : 1), all: all + 1 });
  }

  /** How likely the next one is anomalous. */
  of({ purpose }: Trial): number {
    const { anomalous, all } = this.countsOf(purpose);
    return anomalous / all;
  }

  private countsOf(purpose: Purpose): { anomalous: number; all: number } {
    return this.counts.get(purpose) ?? { anomalous: 1, all: 2 };
  }
}

/** What is known, and what is supposed. */
class Supposed implements Known {
  private readonly known: Known;
  private readonly supposed: ReadonlyMap<string, Observation>;

  constructor(known: Known, supposed: ReadonlyMap<string, Observation> = new Map()) {
    this.known = known;
    this.supposed = supposed;
  }

  get(key: string): Observation | undefined {
    return this.supposed.get(key) ?? this.known.get(key);
  }

  /** Also supposing that all of these show the same. */
  and(trials: readonly Trial[], observation: Observation): Supposed {
    const more = new Map(this.supposed);
    for (const trial of trials) more.set(trialKey(trial), observation);
    return new Supposed(this.known, more);
  }
}

/** What a course may have learned when it asks for its next trials. */
interface Future {
  supposed: Supposed;
  chance: number;
}

/**
 * The trials that a course may ask for after those that it waits for, the likeliest first. What an anomalous one would
 * show is unknown as long as none of the course was: then only clean ones are supposed.
 */
export function* guessesOf(
  rehearsal: Rehearsal,
  known: Known,
  anomalous: Observation | null,
  odds: Odds,
): Generator<Guess, void> {
  const now: Future = { supposed: new Supposed(known), chance: 1 };
  const futures = [now];
  while (futures.length > 0) {
    const future = futures.reduce((best, each) => (each.chance > best.chance ? each : best));
    futures.splice(futures.indexOf(future), 1);
    const { supposed, chance } = future;
    const step = rehearsal(supposed).next();
    if (step.done === true) continue;
    const trials = step.value;
    if (future !== now) for (const trial of trials) yield { trial, chance };
    const share = odds.of(trials[0]);
    const next = [{ supposed: supposed.and(trials, CLEAN), chance: chance * (1 - share) }];
    if (anomalous !== null) next.push({ supposed: supposed.and(trials, anomalous), chance: chance * share });
    futures.push(...next.filter((each) => each.chance >= LEAST_CHANCE));
  }
}
