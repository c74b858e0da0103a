import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStore, type Store } from '../../pool/index.js';
import { HistoryKeeper } from './history-keeper.js';
import { RunHistory } from './run-history.js';
import { planNamed, recordWith } from './testing/records.js';

// Goal: runs that were added are there after any end of the process, old ones go, and a store that fails ends nothing.

const plan = planNamed('single-rnic');
const at = (atMs: number) => recordWith(plan, { atMs });
const times = async (history: RunHistory) => (await history.last(1e6)).map(({ atMs }) => atMs);
const DAY = 86_400_000;

/** A store over another one that fails from its this many-th write on, as a process that ends does. */
function dyingAfter(store: Store, writes: number): Store {
  let left = writes;
  const counted =
    <Given extends unknown[]>(write: (...given: Given) => Promise<void>) =>
    async (...given: Given) => {
      if (left-- <= 0) throw new Error('gone');
      await write(...given);
    };
  return {
    get: (key) => store.get(key),
    list: (key) => store.list(key),
    each: (key) => store.each(key),
    append: (key, make) => store.append(key, make),
    put: counted(store.put.bind(store)),
    putAll: counted(store.putAll.bind(store)),
    change: counted(store.change.bind(store)),
    remove: counted(store.remove.bind(store)),
    close: async () => {},
  };
}

describe('a history of runs', () => {
  it('forgets by age and by size, and never the newest', async () => {
    const bytes = JSON.stringify(at(DAY)).length;
    const aged = await RunHistory.open(new MemoryStore(), plan, { maxAgeMs: 3 * DAY, maxBytes: 1e9 });
    for (let day = 1; day <= 10; day++) await aged.append(at(day * DAY));
    expect(await times(aged)).toEqual([7, 8, 9, 10].map((day) => day * DAY));
    const store = new MemoryStore();
    const sized = await RunHistory.open(store, plan, { maxAgeMs: 1e15, maxBytes: 3.5 * bytes });
    for (let day = 1; day <= 10; day++) await sized.append(at(day * DAY));
    expect(await times(sized)).toHaveLength(3);
    expect(await store.list(['run'])).toHaveLength(3);
    const tiny = await RunHistory.open(new MemoryStore(), plan, { maxAgeMs: 1, maxBytes: 1 });
    for (let day = 1; day <= 3; day++) await tiny.append(at(day * DAY));
    expect(await times(tiny)).toEqual([3 * DAY]);
  });

  it('loses at most the run in progress wherever a process ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 8 }), async (lives) => {
        const store = new MemoryStore();
        const retention = { maxAgeMs: 4, maxBytes: 1e9 };
        let nowMs = 0;
        let added: number[] = [];
        for (const writes of [...lives, 20]) {
          try {
            const history = await RunHistory.open(dyingAfter(store, writes), plan, retention);
            for (;;) {
              await history.append(at(++nowMs));
              added.push(nowMs);
              if (writes === 20 && added.length > 5) break;
            }
          } catch {
            // The process ended here.
          }
          const again = await RunHistory.open(store, plan, retention);
          const kept = await times(again);
          added = added.filter((ms) => ms >= nowMs - 4);
          expect(kept).toEqual(expect.arrayContaining(added));
          // What is there beyond that is the run in progress, once, and what is not yet forgotten.
          expect(kept).toEqual([...new Set(kept)].sort((one, other) => one - other));
          expect(await store.list(['run'])).toHaveLength(kept.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is that of one host', async () => {
    const store = new MemoryStore();
    await RunHistory.open(store, plan);
    await expect(RunHistory.open(store, planNamed('hostping'))).rejects.toMatchObject({
      code: 'OTHER_HOST',
      message: expect.stringContaining('single-rnic'),
    });
    expect(await RunHistory.read(new MemoryStore())).toBeNull();
  });
});

describe('a keeper of runs', () => {
  it('says once that nothing can be written, goes on, and says when it can again', async () => {
    const store = new MemoryStore();
    let isFull = false;
    const put = store.put.bind(store);
    store.put = async (key, value) => {
      if (isFull) throw new Error('No space left on device');
      await put(key, value);
    };
    const said: string[] = [];
    const keeper = new HistoryKeeper(
      () => RunHistory.open(store, plan),
      (text) => void said.push(text),
    );
    await keeper.begin([]);
    await keeper.keep(at(1));
    isFull = true;
    for (let ms = 2; ms < 300; ms++) await keeper.keep(at(ms));
    expect(said).toEqual(['runs are not kept, probing goes on: No space left on device']);
    expect(keeper.recent).toHaveLength(96);
    isFull = false;
    await keeper.keep(at(300));
    expect(said[1]).toBe('runs are kept again; 298 were not');
    expect(await times(keeper.kept!)).toEqual([1, 300]);
  });

  it('opens again at the next run what could not be opened, unless it belongs to somebody else', async () => {
    let tries = 0;
    const said: string[] = [];
    const open = async () => {
      if (++tries < 3) throw Object.assign(new Error('read-only'), { code: 'CANNOT_RUN' });
      return RunHistory.open(new MemoryStore(), plan);
    };
    const keeper = new HistoryKeeper(open, (text) => void said.push(text));
    await keeper.begin(['FOLDER_TAKEN']);
    await keeper.keep(at(1));
    await keeper.keep(at(2));
    expect(said).toEqual([
      'runs are not kept, probing goes on: read-only',
      'runs are kept again; 1 were not',
    ]);
    const taken = new HistoryKeeper(
      () => Promise.reject(Object.assign(new Error('taken'), { code: 'FOLDER_TAKEN' })),
      () => {},
    );
    await expect(taken.begin(['FOLDER_TAKEN'])).rejects.toThrow('taken');
  });
});
