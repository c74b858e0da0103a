import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AddressSpace } from './address-space.js';

it('gives a buffer one address forever, and views their place in it', () => {
  const space = new AddressSpace();
  const buffer = new ArrayBuffer(10_000);
  const base = space.addressOf(new Uint8Array(buffer));
  space.addressOf(new Uint8Array(5));
  expect(space.addressOf(new Uint8Array(buffer, 123, 7))).toBe(base + 123);
  expect(space.addressOf(new Uint8Array(new SharedArrayBuffer(8)))).toBeGreaterThan(base);
});

it('keeps buffers apart, page aligned, above zero and below 2^47', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 20 }), (sizes) => {
      const space = new AddressSpace();
      let end = 0;
      for (const size of sizes) {
        const base = space.addressOf(new Uint8Array(size));
        expect(base % 4096).toBe(0);
        expect(base).toBeGreaterThan(end);
        end = base + size;
      }
      expect(end).toBeLessThan(2 ** 47);
    }),
  );
});

it('leaves room for a buffer that can grow, and gives unbacked memory an address of its own', () => {
  const space = new AddressSpace();
  // The types of ES2023 do not know resizable buffers yet.
  const Resizable = ArrayBuffer as unknown as new (
    length: number,
    options: { maxByteLength: number },
  ) => ArrayBuffer;
  const base = space.addressOf(new Uint8Array(new Resizable(16, { maxByteLength: 1 << 20 })));
  const unbacked = space.reserve(2 ** 40);
  expect(unbacked).toBeGreaterThanOrEqual(base + (1 << 20));
  expect(space.reserve(1)).toBeGreaterThanOrEqual(unbacked + 2 ** 40);
  expect(space.addressOf(new Uint8Array(1))).toBeGreaterThanOrEqual(unbacked + 2 ** 40);
});
