import { expect, it } from 'vitest';
import { RequestRing } from './request-ring.js';

it('keeps its entries in order while it wraps and grows', () => {
  const ring = new RequestRing();
  let next = 0;
  for (let round = 0; round < 50; round++) {
    for (let count = 0; count < 3; count++) ring.push(next, next * 10, next + 1, next, next++);
    ring.head += 2;
    for (let position = ring.head; position !== ring.tail; position++) {
      const at = position & ring.mask;
      expect([ring.wqe[at], ring.firstPsn[at], ring.packets[at]]).toEqual([
        position,
        position * 10,
        position + 1,
      ]);
    }
  }
  expect(ring.tail - ring.head).toBe(50);
});
