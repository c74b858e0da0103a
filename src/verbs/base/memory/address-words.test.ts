import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressDistance, addressPlus, isRemoteAddress, type RemoteAddress } from '../../remote-address.js';
import { carryOf, highWord, lowWord, wordDistance } from './address-words.js';

const wide = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const address: fc.Arbitrary<RemoteAddress> = fc.oneof(wide, fc.maxSafeNat());

it('splits numbers and bigints alike, and loses no bit', () => {
  fc.assert(
    fc.property(address, (given) => {
      expect((BigInt(highWord(given)) << 32n) | BigInt(lowWord(given))).toBe(BigInt(given));
      if (typeof given === 'number') expect(highWord(given)).toBe(highWord(BigInt(given)));
    }),
  );
});

it('measures distances exactly up to 2^53 bytes, and never takes a far address for a near one', () => {
  const step = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n });
  fc.assert(
    fc.property(wide, fc.oneof(step, wide), (from, away) => {
      const to = from + away;
      fc.pre(to >= 0n && to < 2n ** 64n);
      const found = wordDistance(highWord(from), lowWord(from), highWord(to), lowWord(to));
      if (away >= -(2n ** 53n) && away <= 2n ** 53n) expect(found).toBe(Number(away));
      else expect(Math.abs(found)).toBeGreaterThanOrEqual(2 ** 53);
      expect(found).toBe(addressDistance(from, to));
    }),
  );
});

it('adds to the words as to the whole', () => {
  fc.assert(
    fc.property(wide, fc.nat(2 ** 31), (from, bytes) => {
      const low = lowWord(from) + bytes;
      const words = Uint32Array.of(highWord(from) + carryOf(low), low);
      expect((BigInt(words[0]) << 32n) | BigInt(words[1])).toBe(BigInt(addressPlus(from, bytes)));
    }),
  );
});

it('stays with numbers for as long as they are exact', () => {
  expect(addressPlus(4096, 100)).toBe(4196);
  expect(addressPlus(4096n, 100)).toBe(4196n);
  expect(addressPlus(Number.MAX_SAFE_INTEGER, 1)).toBe(2n ** 53n);
  expect(addressPlus(0, -1)).toBe(2n ** 64n - 1n);
  expect(addressPlus(2n ** 64n - 1n, 2)).toBe(1n);
});

it('takes what has 64 bits for an address, and nothing else', () => {
  for (const good of [0, Number.MAX_SAFE_INTEGER, 0n, 2n ** 64n - 1n])
    expect(isRemoteAddress(good)).toBe(true);
  for (const bad of [-1, 0.5, 2 ** 53, Number.NaN, -1n, 2n ** 64n, '0', null, undefined])
    expect(isRemoteAddress(bad)).toBe(false);
});
