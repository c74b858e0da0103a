import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { KelpieError } from '../error.js';
import { MemoryStore, type StoreKey } from '../jobs/index.js';
import { LmdbStore } from './lmdb-store.js';

// Goal: a store on disk answers as one in memory does, also to whoever opens it again, and never with what nobody put.

const folder = mkdtempSync(join(tmpdir(), 'kelpie-store-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = () => ({ path: join(folder, `${files++}`, 'store.mdb'), format: 'test/1' });

const key = fc.oneof(
  fc.constantFrom<StoreKey>(['a'], ['b']),
  fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 300 })),
) as fc.Arbitrary<StoreKey>;
/** What JSON can say: of both zeros it knows one. */
const value = fc.jsonValue().map((each) => JSON.parse(JSON.stringify(each)));
const call = fc.oneof(
  fc.record({ call: fc.constant('put' as const), key, value }),
  fc.record({ call: fc.constant('append' as const), key: fc.constantFrom<StoreKey>(['a'], ['b', 7]) }),
  fc.record({ call: fc.constantFrom('remove' as const, 'change' as const), key }),
);

describe('a store on disk', () => {
  it('holds what a store in memory holds, and still does when it is opened again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
        const place = fresh();
        const memory = new MemoryStore();
        let disk = await LmdbStore.open(place);
        for (const each of calls) {
          if (each.call === 'put') {
            await memory.put(each.key, each.value);
            await disk.put(each.key, each.value);
          } else if (each.call === 'remove') {
            await memory.remove(each.key);
            await disk.remove(each.key);
          } else if (each.call === 'change') {
            const make = (now: unknown) => ({
              was: now === undefined ? 'nothing' : JSON.stringify(now).length,
            });
            await memory.change(each.key, make);
            await disk.change(each.key, make);
          } else
            expect(await disk.append(each.key, (number) => ({ number }))).toBe(
              await memory.append(each.key, (number) => ({ number })),
            );
        }
        await disk.close();
        disk = await LmdbStore.open(place);
        for (const prefix of [['a'], ['b'], ['b', 7]] as StoreKey[]) {
          expect(await disk.list(prefix)).toEqual(await memory.list(prefix));
          expect(await disk.get(prefix)).toEqual(await memory.get(prefix));
        }
        await disk.close();
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  it('leaves a value as it was where its change throws', async () => {
    const store = await LmdbStore.open(fresh());
    await store.put(['owner'], 'one');
    const refuse = () => {
      throw new KelpieError('TAKEN', 'somebody has it');
    };
    await expect(store.change(['owner'], refuse)).rejects.toMatchObject({ code: 'TAKEN' });
    expect(await store.get(['owner'])).toBe('one');
    await store.close();
  });

  it('refuses a record that was changed, and says which', async () => {
    const place = fresh();
    const store = await LmdbStore.open(place);
    await store.put(['run', 3], { gbps: 123456 });
    await store.close();
    const bytes = readFileSync(place.path);
    const at = bytes.indexOf('"gbps":123456') + '"gbps":'.length;
    bytes[at] = '9'.charCodeAt(0);
    writeFileSync(place.path, bytes);
    const again = await LmdbStore.open({ ...place, field: '--place', noun: 'runs' });
    await expect(again.get(['run', 3])).rejects.toMatchObject({
      code: 'CANNOT_RUN',
      field: '--place',
      message: expect.stringMatching(/a record of these runs was changed.*record run 3/),
    });
    await again.close();
  });

  it('refuses a file of another format, and one that is none', async () => {
    const place = fresh();
    await (await LmdbStore.open(place)).close();
    await expect(LmdbStore.open({ ...place, format: 'test/2' })).rejects.toMatchObject({
      code: 'CANNOT_RUN',
      message: expect.stringContaining('kept by another version'),
    });
    const torn = fresh();
    await (await LmdbStore.open(torn)).close();
    writeFileSync(torn.path, 'no database at all'.repeat(500));
    await expect(LmdbStore.open(torn)).rejects.toMatchObject({
      code: 'CANNOT_RUN',
      message: expect.stringContaining('is damaged; it was left as it is'),
    });
  });
});
