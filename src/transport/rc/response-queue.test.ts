import { expect, it } from 'vitest';
import { ResponseKind, ResponsePool, ResponseQueue } from './response-queue.js';

it('joins acknowledgements at its end only, and keeps order while it grows', () => {
  const pool = new ResponsePool();
  const queue = new ResponseQueue(pool);
  queue.acknowledge(1, 1);
  queue.acknowledge(2, 2);
  expect(queue.count).toBe(1);
  queue.shift();
  for (let psn = 10; psn < 30; psn++) {
    const slot = queue.push(ResponseKind.READ, psn, psn);
    pool.bytes[slot] = psn * 2;
  }
  queue.acknowledge(31, 21);
  queue.acknowledge(32, 22);
  for (let psn = 10; psn < 30; psn++) {
    expect([pool.psn[queue.head], pool.bytes[queue.head]]).toEqual([psn, psn * 2]);
    queue.shift();
  }
  expect([queue.count, pool.kind[queue.head], pool.psn[queue.head]]).toEqual([1, ResponseKind.ACK, 32]);
  queue.clear();
  expect(pool.used).toBe(0);
});

it('puts in front what goes before all others, also while it grows', () => {
  const pool = new ResponsePool();
  const queue = new ResponseQueue(pool);
  for (let psn = 0; psn < 5; psn++) queue.push(ResponseKind.READ, psn, 0);
  queue.shift();
  for (let psn = 10; psn < 20; psn++) queue.pushFront(ResponseKind.READ, psn, 0);
  const psns: number[] = [];
  for (; queue.count > 0; queue.shift()) psns.push(pool.psn[queue.head]);
  expect(psns).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 1, 2, 3, 4]);
});

it('shares its columns with other queues, each in its own order', () => {
  const pool = new ResponsePool();
  const [one, other] = [new ResponseQueue(pool), new ResponseQueue(pool)];
  for (let psn = 0; psn < 100; psn++) (psn % 3 === 0 ? one : other).push(ResponseKind.NAK, psn, 0);
  one.clear();
  for (let psn = 0; psn < 10; psn++) one.push(ResponseKind.READ, psn, 0);
  const psns: number[] = [];
  for (; other.count > 0; other.shift()) psns.push(pool.psn[other.head]);
  expect(psns).toEqual(Array.from({ length: 100 }, (_, psn) => psn).filter((psn) => psn % 3 !== 0));
  expect(pool.used).toBe(10);
});
