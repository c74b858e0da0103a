import { describe, expect, it } from 'vitest';
import type { Observation } from '../observation.js';
import { referencePoint } from '../space/reference.js';
import { collieSpace } from '../space/space.js';
import { guessesOf, Odds } from './guess.js';
import { type Course, type Known, measure, type Trial, trialKey } from './trial.js';

// Goal: what a course may ask for after what it waits for, for either outcome, the likelier one first.

const reference = referencePoint(collieSpace(['memory0']));
const trial = (qps: number): Trial => ({
  point: { ...reference, qps },
  length: 'short',
  purpose: 'search',
});
const seen = (symptom: Observation['symptom']) => ({ symptom, counters: {} }) as Observation;

/** Looks at 1; then at 2 and 4 where that was clean, and at 3 and 5 where not. */
function* course(known: Known): Course<void> {
  const { symptom } = yield* measure(known, trial(1));
  for (const qps of symptom === null ? [2, 4] : [3, 5]) yield* measure(known, trial(qps));
}

function guesses(odds: Odds, anomalous: Observation | null, known: Known = new Map()) {
  return [...guessesOf(course, known, anomalous, odds)].map(({ trial: { point }, chance }) => [
    point.qps,
    chance,
  ]);
}

function oddsAfter(clean: number, anomalous: number): Odds {
  const odds = new Odds();
  for (let each = 0; each < clean; each++) odds.note(trial(1), seen(null));
  for (let each = 0; each < anomalous; each++) odds.note(trial(1), seen('pause'));
  return odds;
}

describe('guesses', () => {
  it('are of both outcomes, as likely as such trials had them, and go on behind the likeliest', () => {
    expect(guesses(oddsAfter(2, 0), seen('pause'))).toEqual([
      [2, 0.75],
      [4, 0.5625],
      [3, 0.25],
    ]);
    expect(guesses(oddsAfter(0, 2), seen('pause'))).toEqual([
      [3, 0.75],
      [5, 0.5625],
      [2, 0.25],
    ]);
  });

  it('suppose clean outcomes alone while nobody knows what another would show', () => {
    expect(guesses(new Odds(), null)).toEqual([
      [2, 0.5],
      [4, 0.25],
    ]);
  });

  it('start from what is known', () => {
    const known = new Map([[trialKey(trial(1)), seen('pause')]]);
    // 3 is waited for, and whatever that shows, 5 is next.
    expect(guesses(new Odds(), seen('pause'), known)).toEqual([
      [5, 0.5],
      [5, 0.5],
    ]);
  });
});
