import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTurn, InProcessPool, MemoryStore, type StoreKey } from './index.js';

describe('a pool in this process', () => {
  it('runs tasks one at a time in their order, and goes on after one that fails', async () => {
    const order: string[] = [];
    const pool = new InProcessPool(async (task: number) => {
      order.push(`begin ${task}`);
      await eventTurn();
      order.push(`end ${task}`);
      if (task === 2) throw new Error('two');
      return task * 10;
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((task) => pool.run(task)));
    expect(outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message))).toEqual([
      10,
      'two',
      30,
    ]);
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  it('refuses what has not begun when it is closed', async () => {
    const pool = new InProcessPool(async (task: number) => task);
    const [first, second] = [pool.run(1), pool.run(2)];
    await first;
    await pool.close();
    await second.catch(() => {});
    await expect(pool.run(3)).rejects.toThrow('the pool was closed');
  });
});

describe('a turn of the event loop', () => {
  it('lets timers and messages through', async () => {
    let heard = false;
    setTimeout(() => {
      heard = true;
    }, 0);
    const start = Date.now();
    while (!heard && Date.now() - start < 5000) await eventTurn();
    expect(heard).toBe(true);
  });
});

describe('a store in memory', () => {
  it('has what was put, by name and numbers, and numbers what is appended', async () => {
    const store = new MemoryStore();
    const made = await Promise.all([1, 2, 3].map(() => store.append(['hunt'], (id) => ({ id }))));
    expect(made).toEqual([1, 2, 3]);
    await store.put(['hunt', 1, 7], 'deeper');
    expect(await store.list(['hunt'])).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(await store.list(['hunt', 1])).toEqual(['deeper']);
    expect(await store.get(['hunt', 9])).toBeUndefined();
  });

  it('lists in the order of numbers, whatever the order in which they came', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(1000)), async (numbers) => {
        const store = new MemoryStore();
        for (const number of numbers) await store.put(['record', number] as StoreKey, number);
        expect(await store.list(['record'])).toEqual([...numbers].sort((one, other) => one - other));
      }),
    );
  });
});
