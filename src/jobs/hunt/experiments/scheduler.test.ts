import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualPool } from '../testing/virtual-pool.js';
import type { Outcome } from './experiment.js';
import { runCourses } from './scheduler.js';
import type { Course, Trial } from './trial.js';

// Goal: the order in which outcomes are taken depends on costs alone: not on workers, nor on how long experiments take, nor
// on what is told of them meanwhile.
// Method: courses with given costs run on pools of several sizes in virtual time, where every task takes as long as another
// list says, and the order is held against the one that the rule gives.

/** For each course its wishes, for each wish the costs of its trials. */
type Costs = readonly (readonly (readonly number[])[])[];

interface Numbered extends Trial {
  course: number;
  wish: number;
  place: number;
}

function* course(index: number, wishes: Costs[number], heard: string[]): Course<void> {
  for (const [wish, costs] of wishes.entries()) {
    const trials = costs.map((_, place) => ({ course: index, wish, place }) as Numbered);
    const observations = yield trials;
    heard.push(observations.map(({ why }) => why).join());
  }
}

const nameOf = ({ course: index, wish, place }: Numbered) => `${index}/${wish}/${place}`;

/** `told`: at which parts of its way an experiment tells what it has cost so far. */
async function taken(costs: Costs, workers: number, msOf: (name: string) => number, told: readonly number[]) {
  const order: string[] = [];
  const heard: string[] = [];
  const pool = new VirtualPool(workers, (trial: Numbered) => {
    const cost = costs[trial.course][trial.wish][trial.place];
    const ms = msOf(nameOf(trial));
    const progress = told.map((share) => ({ ms: share * ms, progress: share * cost }));
    const observation = { why: nameOf(trial) } as Outcome['observation'];
    return { ms, answer: (): Outcome => ({ observation, cost }), progress };
  });
  const all = costs.map((wishes, index) => course(index, wishes, heard));
  await pool.drive(
    runCourses(all, {
      dispatch: (trial, _, onProgress) => ({
        outcome: pool.run(trial as Numbered, { onProgress }),
        leastCost: 0,
      }),
      consume: (trial) => void order.push(nameOf(trial as Numbered)),
    }),
  );
  return { order, heard, ms: pool.nowMs };
}

/** The rule itself: every trial begins when its course asks and ends a cost later; those that end first come first. */
function expected(costs: Costs): string[] {
  const order: string[] = [];
  let dispatched = 0;
  const flying: { name: string; course: number; wish: number; end: number; number: number }[] = [];
  const ask = (index: number, wish: number, begin: number) => {
    const trials = costs[index][wish] ?? [];
    for (const [place, cost] of trials.entries())
      flying.push({
        name: `${index}/${wish}/${place}`,
        ...{ course: index, wish, end: begin + cost, number: dispatched++ },
      });
  };
  for (const index of costs.keys()) ask(index, 0, 0);
  while (flying.length > 0) {
    flying.sort((one, other) => one.end - other.end || one.number - other.number);
    const { name, course: index, wish, end } = flying.shift()!;
    order.push(name);
    if (!flying.some((each) => each.course === index)) ask(index, wish + 1, end);
  }
  return order;
}

const costs = fc.array(
  fc.array(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  }),
  { minLength: 1, maxLength: 5 },
);
const shares = fc.constantFrom([], [0.5], [0.25, 0.5, 0.9]);
const times = fc.func(fc.integer({ min: 1, max: 50 }));

describe('courses side by side', () => {
  it('take outcomes in the order of the virtual clock, on any number of workers', async () => {
    await fc.assert(
      fc.asyncProperty(costs, times, shares, async (given, msOf, told) => {
        const rule = expected(given);
        for (const workers of [1, 2, 4, 8]) {
          const { order, heard } = await taken(given, workers, msOf, told);
          expect(order).toEqual(rule);
          expect(heard.flatMap((each) => each.split(',')).sort()).toEqual([...rule].sort());
        }
      }),
      { numRuns: 60 },
    );
  });

  it('do not wait for each other where costs are what experiments take', async () => {
    // Four courses of 50 single trials of very different lengths.
    const given = Array.from({ length: 4 }, (_, index) =>
      Array.from({ length: 50 }, (__, wish) => [1 + ((index * 7919 + wish * 104729) % 97)]),
    );
    const msOf = (name: string) => {
      const [index, wish] = name.split('/').map(Number);
      return given[index][wish][0];
    };
    const longest = Math.max(...given.map((wishes) => wishes.flat().reduce((sum, each) => sum + each, 0)));
    const often = Array.from({ length: 1000 }, (_, index) => index / 1000);
    expect((await taken(given, 4, msOf, often)).ms).toBeLessThan(1.02 * longest);
    // Without word from those under way everybody waits for the slowest again and again.
    expect((await taken(given, 4, msOf, [])).ms).toBeGreaterThan(1.5 * longest);
  });

  it('fail as soon as an experiment does', async () => {
    const failing = runCourses([course(0, [[1]], []), course(1, [[5]], [])], {
      dispatch: (trial) => ({
        outcome:
          (trial as Numbered).course === 1 ? Promise.reject(new Error('one failed')) : new Promise(() => {}),
        leastCost: 0,
      }),
      consume: () => {},
    });
    await expect(failing).rejects.toThrow('one failed');
  });
});
