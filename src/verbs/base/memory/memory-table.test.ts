import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { Access } from '../../access.js';
import { addressPlus, type RemoteAddress } from '../../remote-address.js';
import { NO_SLOT } from '../codes.js';
import { highWord, lowWord } from './address-words.js';
import { KeyCheck, MemoryTable } from './memory-table.js';

function makeTable(seed = 1): MemoryTable {
  const random = new Random(seed);
  return new MemoryTable(() => random.nextUint32());
}

const ALL =
  Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.MW_BIND;
const PD = 7;
const QPN = 17;

/** {@link MemoryTable.checkRemote} with an address in one. */
function remote(
  table: MemoryTable,
  pd: number,
  qpNum: number,
  key: number,
  addr: RemoteAddress,
  length: number,
  rights: number,
): number {
  return table.checkRemote(pd, qpNum, key, highWord(addr), lowWord(addr), length, rights);
}

describe('the memory table', () => {
  it('finds every region by its key, and nothing by any other key', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.array(fc.boolean(), { maxLength: 300 }),
        (seed, steps) => {
          const table = makeTable(seed);
          const live = new Map<number, number>();
          const dead = new Set<number>();
          for (const add of steps) {
            if (add || live.size === 0) {
              const slot = table.addRegion(PD, null, 4096, 4096, 8, ALL, -1);
              live.set(table.keyOf(slot), slot);
              dead.delete(table.keyOf(slot));
            } else {
              const [key, slot] = live.entries().next().value!;
              live.delete(key);
              dead.add(key);
              table.remove(slot);
            }
          }
          for (const [key, slot] of live) {
            expect(key).toBeGreaterThan(0);
            expect(table.slotOf(key)).toBe(slot);
            expect(table.slotOf((key & ~0xff) | ((key + 1) & 0xff))).toBe(NO_SLOT);
          }
          for (const key of dead) expect(table.slotOf(key >>> 0)).toBe(NO_SLOT);
          expect(table.used).toBe(live.size);
        },
      ),
    );
  });

  it('agrees with plain arithmetic about bounds, rights and domains', () => {
    const range = fc.record({
      offset: fc.integer({ min: -20, max: 120 }),
      length: fc.integer({ min: 0, max: 120 }),
      granted: fc.integer({ min: 0, max: 15 }),
      rights: fc.integer({ min: 0, max: 15 }),
      samePd: fc.boolean(),
      iova: fc.oneof(
        fc.constantFrom(9000, 2 ** 32 - 50, 2 ** 53 - 50, 2n ** 53n - 50n, 2n ** 63n - 50n, 2n ** 64n - 200n),
        fc.bigInt({ min: 20n, max: 2n ** 64n - 300n }),
      ),
    });
    fc.assert(
      fc.property(range, ({ offset, length, granted, rights, samePd, iova }) => {
        const table = makeTable();
        const slot = table.addRegion(PD, new Uint8Array(100), 5000, iova, 100, granted, -1);
        const key = table.keyOf(slot);
        const inside = offset >= 0 && offset + length <= 100;
        const expected = (allowed: boolean) => {
          if (!samePd) return KeyCheck.WRONG_DOMAIN;
          if (!inside) return KeyCheck.OUT_OF_BOUNDS;
          return allowed ? KeyCheck.OK : KeyCheck.NO_RIGHT;
        };
        const pd = samePd ? PD : PD + 1;
        const found = remote(table, pd, QPN, key, addressPlus(iova, offset), length, rights);
        expect(found).toBe(expected((granted & rights) === rights));
        if (found === KeyCheck.OK) expect([table.found, table.position]).toEqual([slot, offset]);
        expect(table.checkLocal(pd, key, 5000 + offset, length, false)).toBe(expected(true));
        const writable = (granted & Access.LOCAL_WRITE) !== 0;
        expect(table.checkLocal(pd, key, 5000 + offset, length, true)).toBe(expected(writable));
      }),
    );
  });

  it('a window covers its part of the region, on its own queue pair, until it is invalidated', () => {
    const table = makeTable();
    const region = table.addRegion(PD, new Uint8Array(100), 5000, 9000, 100, ALL, -1);
    const window = table.addWindow(PD);
    const key = ((table.keyOf(window) & ~0xff) | 0x42) >>> 0;
    expect(remote(table, PD, QPN, table.keyOf(window), 9010, 1, 0)).toBe(KeyCheck.BAD_KEY);
    expect(table.bind(window, key, region, 9010, 20, Access.REMOTE_READ, QPN)).toBe(true);
    expect(table.windows[region]).toBe(1);
    expect(remote(table, PD, QPN, key, 9010, 20, Access.REMOTE_READ)).toBe(KeyCheck.OK);
    expect(table.position).toBe(10);
    expect(remote(table, PD, QPN, key, 9010, 21, Access.REMOTE_READ)).toBe(KeyCheck.OUT_OF_BOUNDS);
    expect(remote(table, PD, QPN, key, 9009, 1, Access.REMOTE_READ)).toBe(KeyCheck.OUT_OF_BOUNDS);
    expect(remote(table, PD, QPN, key, 9010, 1, Access.REMOTE_WRITE)).toBe(KeyCheck.NO_RIGHT);
    expect(remote(table, PD, QPN + 1, key, 9010, 1, Access.REMOTE_READ)).toBe(KeyCheck.WRONG_DOMAIN);
    expect(table.checkLocal(PD, key, 5010, 1, false)).toBe(KeyCheck.BAD_KEY);
    expect(table.bind(window, key, region, 9010, 20, 0, QPN)).toBe(false);
    expect(table.invalidate(PD + 1, key)).toBe(false);
    expect(table.invalidate(PD, key)).toBe(true);
    expect(table.windows[region]).toBe(0);
    expect(remote(table, PD, QPN, key, 9010, 1, 0)).toBe(KeyCheck.BAD_KEY);
    expect(table.invalidate(PD, key)).toBe(false);
  });

  it('a zero-based window counts from zero', () => {
    const table = makeTable();
    const region = table.addRegion(PD, new Uint8Array(100), 5000, 9000, 100, ALL, -1);
    const window = table.addWindow(PD);
    const key = table.keyOf(window);
    expect(table.bind(window, key, region, 9040, 20, Access.REMOTE_READ | Access.ZERO_BASED, QPN)).toBe(true);
    expect(remote(table, PD, QPN, key, 19, 1, Access.REMOTE_READ)).toBe(KeyCheck.OK);
    expect(table.position).toBe(59);
    expect(remote(table, PD, QPN, key, 20, 1, Access.REMOTE_READ)).toBe(KeyCheck.OUT_OF_BOUNDS);
  });

  it.each([
    ['out of bounds', ALL, 9090, 11, Access.REMOTE_READ],
    ['before the region', ALL, 8999, 2, Access.REMOTE_READ],
    ['without MW_BIND', ALL & ~Access.MW_BIND, 9000, 1, Access.REMOTE_READ],
    ['for writes to a region that is read-only', Access.MW_BIND, 9000, 1, Access.REMOTE_WRITE],
  ])('refuses to bind %s', (_, granted, addr, length, access) => {
    const table = makeTable();
    const region = table.addRegion(PD, new Uint8Array(100), 5000, 9000, 100, granted, -1);
    const window = table.addWindow(PD);
    expect(table.bind(window, table.keyOf(window), region, addr, length, access, QPN)).toBe(false);
    expect(table.windows[region]).toBe(0);
  });

  it('a fast region is valid between registration and invalidation, with the key byte it was given', () => {
    const table = makeTable();
    const slot = table.addFastRegion(PD, 64);
    const first = table.keyOf(slot);
    const bytes = new Uint8Array(64);
    expect(remote(table, PD, QPN, first, 5000, 1, 0)).toBe(KeyCheck.BAD_KEY);
    const key = (first ^ 0x55) >>> 0;
    expect(table.fastRegister(slot, key, bytes, 5000, 6000, ALL)).toBe(true);
    expect(table.keyOf(slot)).toBe(key);
    expect(remote(table, PD, QPN, key, 6000, 64, Access.REMOTE_WRITE)).toBe(KeyCheck.OK);
    expect(remote(table, PD, QPN, first, 6000, 1, 0)).toBe(KeyCheck.BAD_KEY);
    expect(table.fastRegister(slot, key, bytes, 5000, 6000, ALL)).toBe(false);
    expect(table.invalidate(PD, key)).toBe(true);
    expect(table.fastRegister(slot, key, bytes, 5000, 5000, ALL)).toBe(true);
  });

  it('an ordinary region cannot be invalidated, a fast one not while windows are bound to it', () => {
    const table = makeTable();
    const region = table.addRegion(PD, null, 4096, 4096, 8, ALL, -1);
    expect(table.invalidate(PD, table.keyOf(region))).toBe(false);
    const fast = table.addFastRegion(PD, 64);
    table.fastRegister(fast, table.keyOf(fast), new Uint8Array(64), 5000, 5000, ALL);
    const window = table.addWindow(PD);
    table.bind(window, table.keyOf(window), fast, 5000, 8, 0, QPN);
    expect(table.invalidate(PD, table.keyOf(fast))).toBe(false);
    table.remove(window);
    expect(table.invalidate(PD, table.keyOf(fast))).toBe(true);
  });

  it('keys of two tables differ, keys of the same seed do not', () => {
    const keys = (seed: number) => {
      const table = makeTable(seed);
      return Array.from({ length: 50 }, () => table.keyOf(table.addWindow(PD)));
    };
    expect(keys(3)).toEqual(keys(3));
    expect(keys(3)).not.toEqual(keys(4));
    expect(new Set(keys(3)).size).toBe(50);
  });
});
