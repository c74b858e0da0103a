import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

function from(last: number): Uint8Array {
  const source = new Uint8Array(16);
  source[15] = last;
  return source;
}

function drained(queue: FairQueue): string[] {
  const taken: string[] = [];
  while (queue.shift()) taken.push(`${queue.source[15]}:${queue.bytes.subarray(0, queue.length).join()}`);
  return taken;
}

it('lets senders take turns and keeps the order of each', () => {
  const queue = new FairQueue(16, 8, 4);
  for (const each of [1, 2, 3]) queue.push(Uint8Array.of(0, each, each), 1, 3, from(1));
  queue.push(Uint8Array.of(9), 0, 1, from(2));
  expect(queue.size).toBe(4);
  expect(drained(queue)).toEqual(['1:1,1', '2:9', '1:2,2', '1:3,3']);
  expect(queue.size).toBe(0);
});

it('drops what one sender has too much of, what is too long, and keeps room for others', () => {
  const queue = new FairQueue(16, 100, 4);
  const push = (sender: number) => queue.push(Uint8Array.of(sender), 0, 1, from(sender));
  expect(Array.from({ length: 20 }, () => push(1)).filter(Boolean)).toHaveLength(8);
  expect(Array.from({ length: 20 }, () => push(2)).filter(Boolean)).toHaveLength(4);
  expect(push(3)).toBe(true);
  expect(queue.push(new Uint8Array(5), 0, 5, from(4))).toBe(false);
  expect(drained(queue)).toHaveLength(13);
  expect(push(1)).toBe(true);
  expect(drained(queue)).toEqual(['1:1']);
  for (let sender = 1; sender <= 20; sender++) expect(push(sender)).toBe(sender <= 16);
});
