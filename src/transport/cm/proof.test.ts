import { expect, it } from 'vitest';
import { parseGid } from '../../wire/ib/gid.js';
import { halfSipHash, Proofs, Questions } from './proof.js';

it('is HalfSipHash-2-4', () => {
  // The reference's vectors: key 00 01 … 07, message 00 01 … in little-endian words.
  const [key0, key1] = [0x03020100, 0x07060504];
  expect(halfSipHash(key0, key1, new Uint32Array(0))).toBe(0x5b9f35a9);
  expect(halfSipHash(key0, key1, Uint32Array.of(0x03020100))).toBe(0x89466e2a);
});

it('asks each address about each request with a number of its own, which is good for a while', () => {
  let drawn = 7;
  const questions = new Questions(() => (drawn = (drawn * 0x9e3779b1 + 1) >>> 0), 2e9);
  const [one, other] = [parseGid('::ffff:10.0.0.1'), parseGid('::ffff:10.0.0.2')];
  const number = questions.numberFor(one, 5, 1e9);
  expect(questions.isAnswer(one, 5, number, 1e9)).toBe(true);
  expect(questions.isAnswer(one, 5, number, 3e9)).toBe(true);
  expect(questions.isAnswer(one, 5, number, 6e9)).toBe(false);
  expect(questions.isAnswer(one, 6, number, 1e9)).toBe(false);
  expect(questions.isAnswer(other, 5, number, 1e9)).toBe(false);
});

it('keeps few proofs, each for a while and for one use', () => {
  const proofs = new Proofs();
  for (let id = 1; id <= 65; id++) proofs.add(id, 0);
  expect([1, 2, 65].map((id) => proofs.has(id, 1e9))).toEqual([false, true, true]);
  expect(proofs.has(65, 11e9)).toBe(false);
  expect([proofs.take(2, 1e9), proofs.take(2, 1e9)]).toEqual([true, false]);
});
