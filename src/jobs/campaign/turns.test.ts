import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Turns } from './turns.js';

// Goal: every task has one turn, and no machine has two at a time, whatever ends when.

it('every task has one turn, no machine two at a time, and nobody waits while a task could begin', async () => {
  const machines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(machines, { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.nat()),
      async (all, workers, choices) => {
        const turns = new Turns(all.keys(), (index) => all[index]);
        const taken: number[] = [];
        const running: number[] = [];
        let ended = 0;
        const take = () =>
          void turns.take().then((index) => {
            if (index === null) {
              ended++;
              return;
            }
            taken.push(index);
            running.push(index);
          });
        for (let worker = 0; worker < workers; worker++) take();
        for (;;) {
          await Promise.resolve();
          const busy = running.flatMap((index) => [...new Set(all[index])]);
          expect(new Set(busy).size).toBe(busy.length);
          const left = [...all.keys()].filter((index) => !taken.includes(index));
          const could = left.some((index) => all[index].every((machine) => !busy.includes(machine)));
          if (running.length < workers - ended) expect(could).toBe(false);
          if (running.length === 0) break;
          const [index] = running.splice(choices.next().value % running.length, 1);
          turns.end(index);
          take();
        }
        await Promise.resolve();
        expect(taken.toSorted((one, other) => one - other)).toEqual([...all.keys()]);
      },
    ),
  );
});

it('those who wait are sent away when it stops', async () => {
  const turns = new Turns([0, 1], () => ['a']);
  expect(await turns.take()).toBe(0);
  const waiting = turns.take();
  turns.stop();
  expect(await waiting).toBeNull();
});
