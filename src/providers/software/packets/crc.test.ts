import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRC32_START, crc32Update } from '../../../wire/index.js';
import { fastestCrc, nodeCrc } from './crc.js';

describe('the CRC-32 of a software device', () => {
  it('is the same whatever computes it, and goes on where it stopped', async () => {
    const all = [nodeCrc, await fastestCrc()].map((each) => each.create());
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index * 31 + (index >> 5));
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), fc.nat(5000), (one, two, three) => {
        const [from, middle, to] = [one, two, three].sort((left, right) => left - right);
        const expected = crc32Update(CRC32_START, bytes, from, to) >>> 0;
        for (const update of all) {
          const half = update(CRC32_START, bytes, from, middle);
          expect(update(half, bytes, middle, to) >>> 0).toBe(expected);
        }
      }),
    );
  });
});
