import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnQueue } from './turn-queue.js';

describe('a turn queue', () => {
  it('gives the smallest key first and equal ones as they came, however it grows', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(9)), { maxLength: 200 }), (steps) => {
        const queue = new TurnQueue();
        const model: { item: number; key: number }[] = [];
        for (const [item, key] of steps.entries()) {
          if (key === null) expect(queue.shift()).toBe(model.shift()?.item ?? -1);
          else {
            queue.push(item, key);
            model.push({ item, key });
            model.sort((one, other) => one.key - other.key);
          }
          expect([queue.length, queue.peek()]).toEqual([model.length, model[0]?.item ?? -1]);
        }
      }),
    );
  });
});
