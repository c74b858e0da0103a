import { describe, expect, it } from 'vitest';
import type { Observation } from '../observation.js';
import { referencePoint } from '../space/reference.js';
import { collieSpace } from '../space/space.js';
import { VirtualPool } from '../testing/virtual-pool.js';
import type { Outcome } from './experiment.js';
import { Foresight } from './foresight.js';
import { type Course, type Known, measure, type Trial, trialKey } from './trial.js';

// Goal: idle workers make what a course may ask for next, for either outcome; what it asks for then is there, what it does
// not gives way.

const reference = referencePoint(collieSpace(['memory0']));
const trial = (qps: number): Trial => ({
  point: { ...reference, qps },
  length: 'short',
  purpose: 'features',
});
const seen = (symptom: Observation['symptom']) => ({ symptom, counters: {} }) as Observation;

/** How few queue pairs show an anomaly: halves of what is left. */
function* bisection(known: Known): Course<number> {
  let [good, bad] = [1024, 0];
  while (good - bad > 1) {
    const middle = (good + bad) >> 1;
    if ((yield* measure(known, trial(middle))).symptom === null) bad = middle;
    else good = middle;
  }
  return good;
}

function bench(workers: number, least: number) {
  const known = new Map<string, Observation>();
  const made: number[] = [];
  const pool = new VirtualPool(workers, ({ point }: Trial) => {
    made.push(point.qps);
    const observation = seen(point.qps >= least ? 'pause' : null);
    return { ms: 10, answer: (): Outcome => ({ observation, cost: 1 }) };
  });
  const foresight = new Foresight({
    idle: () => pool.idle,
    make: (each, { signal }) => pool.run(each, { signal }),
    known,
  });
  /** As a hunt would: a trial at a time, from what was made early where it was. */
  const drive = async () => {
    const course = foresight.along(bisection(known), bisection);
    let step = course.next();
    while (step.done !== true) {
      const [wanted] = step.value;
      const flight = foresight.take(wanted, () => {});
      const outcome = flight?.outcome ?? pool.run(wanted);
      foresight.fill();
      const result = await outcome;
      foresight.land(wanted, result);
      foresight.taken(wanted);
      known.set(trialKey(wanted), result.observation);
      step = course.next([result.observation]);
    }
    foresight.end();
    return step.value;
  };
  return { pool, made, drive };
}

describe('foresight', () => {
  it("makes both outcomes' next trials on idle workers, so that a bisection takes half as long", async () => {
    const [alone, helped] = [bench(1, 300), bench(8, 300)];
    expect(await alone.pool.drive(alone.drive())).toBe(300);
    expect(await helped.pool.drive(helped.drive())).toBe(300);
    expect(alone.made.length).toBe(10);
    expect(helped.made.length).toBeGreaterThan(10);
    expect(helped.made.length).toBe(new Set(helped.made).size);
    expect(helped.pool.nowMs).toBeLessThanOrEqual(0.6 * alone.pool.nowMs);
  });

  it('gives way to what a course asks for', async () => {
    const { pool, made, drive } = bench(2, 300);
    expect(await pool.drive(drive())).toBe(300);
    // Two workers: one for what is asked for, one for a guess. A wrong guess costs no more than the time to give it up.
    expect(pool.nowMs).toBeLessThan(150);
    expect(made.length).toBeGreaterThan(10);
  });

  it('has nothing to say where nobody is idle', async () => {
    const { pool, made, drive } = bench(1, 2);
    expect(await pool.drive(drive())).toBe(2);
    expect(made.length).toBe(10);
    expect(pool.nowMs).toBe(100);
  });
});
