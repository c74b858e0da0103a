import { expect, it } from 'vitest';
import { ResponseKind, ResponseQueue } from './response-queue.js';

it('joins acknowledgements at its end only, and keeps order while it grows', () => {
  const queue = new ResponseQueue();
  queue.acknowledge(1, 1);
  queue.acknowledge(2, 2);
  expect(queue.count).toBe(1);
  queue.shift();
  for (let psn = 10; psn < 30; psn++) {
    const slot = queue.push(ResponseKind.READ, psn, psn);
    queue.bytes[slot] = psn * 2;
  }
  queue.acknowledge(31, 21);
  queue.acknowledge(32, 22);
  for (let psn = 10; psn < 30; psn++) {
    expect([queue.psn[queue.head], queue.bytes[queue.head]]).toEqual([psn, psn * 2]);
    queue.shift();
  }
  expect([queue.count, queue.kind[queue.head], queue.psn[queue.head]]).toEqual([1, ResponseKind.ACK, 32]);
});

it('puts in front what goes before all others, also while it grows', () => {
  const queue = new ResponseQueue();
  for (let psn = 0; psn < 5; psn++) queue.push(ResponseKind.READ, psn, 0);
  queue.shift();
  for (let psn = 10; psn < 20; psn++) queue.pushFront(ResponseKind.READ, psn, 0);
  const psns = Array.from({ length: queue.count }, (_, place) => queue.psn[queue.at(place)]);
  expect(psns).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 1, 2, 3, 4]);
});
