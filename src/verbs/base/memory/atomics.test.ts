import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Op } from '../codes.js';
import { executeAtomic } from './atomics.js';

const word = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

function run(op: number, before: bigint, compareAdd: bigint, swap: bigint): [bigint, bigint] {
  const bytes = new Uint8Array(24);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(9, before, true);
  const operands = new Uint32Array(BigUint64Array.of(0n, compareAdd, swap).buffer);
  const result = new Uint8Array(8);
  executeAtomic(op, bytes, 9, operands, 2, result);
  expect([...bytes.subarray(0, 9), ...bytes.subarray(17)].every((value) => value === 0)).toBe(true);
  return [view.getBigUint64(9, true), new DataView(result.buffer).getBigUint64(0, true)];
}

it('fetch-and-add adds modulo 2^64 and returns the old value', () => {
  fc.assert(
    fc.property(word, word, (before, add) => {
      expect(run(Op.ATOMIC_FETCH_AND_ADD, before, add, 0n)).toEqual([
        BigInt.asUintN(64, before + add),
        before,
      ]);
    }),
  );
});

it('compare-and-swap swaps exactly on equality and returns the old value', () => {
  fc.assert(
    fc.property(word, fc.option(word), word, (before, other, swap) => {
      const compare = other ?? before;
      expect(run(Op.ATOMIC_CMP_AND_SWP, before, compare, swap)).toEqual([
        compare === before ? swap : before,
        before,
      ]);
    }),
  );
});

it('memory without bytes holds zero', () => {
  const result = new Uint8Array(8).fill(1);
  executeAtomic(Op.ATOMIC_FETCH_AND_ADD, null, 0, new Uint32Array(4), 0, result);
  expect(result.every((value) => value === 0)).toBe(true);
});
