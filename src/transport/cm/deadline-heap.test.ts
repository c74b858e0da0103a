import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DeadlineHeap } from './deadline-heap.js';

it('keeps the earliest first, whatever is moved and taken away', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.option(fc.nat(100))), { maxLength: 60 }), (steps) => {
      const items = Array.from({ length: 10 }, () => ({ deadlineNs: 0, heapIndex: -1 }));
      const heap = new DeadlineHeap<(typeof items)[0]>();
      const model = new Map<number, number>();
      for (const [index, deadline] of steps) {
        if (deadline === null) {
          heap.delete(items[index]);
          model.delete(index);
        } else {
          heap.set(items[index], deadline);
          model.set(index, deadline);
        }
        expect(heap.size).toBe(model.size);
        expect(heap.first?.deadlineNs).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
      }
    }),
  );
});
