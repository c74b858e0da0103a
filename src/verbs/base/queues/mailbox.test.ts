import { expect, it } from 'vitest';
import { Mailbox } from './mailbox.js';

it('gives events in order, to those who wait in order', async () => {
  const box = new Mailbox<number>();
  box.put(1);
  expect(await box.take()).toBe(1);
  const waits = Promise.all([box.take(), box.take()]);
  expect(box.awaited).toBe(true);
  box.put(2);
  box.put(3);
  box.put(4);
  expect(await waits).toEqual([2, 3]);
  expect(box.awaited).toBe(false);
  expect([box.tryTake(), box.tryTake()]).toEqual([4, null]);
});

it('an aborted wait takes no event, before or after it begins', async () => {
  const box = new Mailbox<number>();
  const stop = new AbortController();
  const wait = box.take(stop.signal);
  stop.abort(new Error('enough'));
  await expect(wait).rejects.toThrow('enough');
  box.put(1);
  await expect(box.take(stop.signal)).rejects.toThrow('enough');
  expect(box.tryTake()).toBe(1);
});

it('drops events about what is gone and refuses those who wait', async () => {
  const box = new Mailbox<number>();
  for (const item of [1, 2, 3]) box.put(item);
  box.drop((item) => item === 2);
  expect([box.tryTake(), box.tryTake(), box.tryTake()]).toEqual([1, 3, null]);
  const wait = box.take();
  box.refuseAll(new Error('closed'));
  await expect(wait).rejects.toThrow('closed');
});

it('keeps as many events as it has room for, the newest', () => {
  const box = new Mailbox<number>(2);
  for (const item of [1, 2, 3]) box.put(item);
  expect([box.size, box.dropped, box.tryTake(), box.tryTake(), box.tryTake()]).toEqual([2, 1, 2, 3, null]);
});
