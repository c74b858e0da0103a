import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexQueue } from './index-queue.js';

describe('an index queue', () => {
  it('behaves as an array does, however it wraps and grows', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 1000 })), { maxLength: 300 }), (steps) => {
        const queue = new IndexQueue();
        const model: number[] = [];
        for (const step of steps) {
          if (step === null) expect(queue.shift()).toBe(model.shift() ?? -1);
          else {
            queue.push(step);
            model.push(step);
          }
          expect(queue.length).toBe(model.length);
          expect(queue.peek()).toBe(model[0] ?? -1);
        }
        queue.clear();
        expect([queue.length, queue.shift()]).toEqual([0, -1]);
      }),
    );
  });
});
