import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutNs, cutTransmissionNs, WireTimes } from './rounding.js';

/** ns-3's arithmetic by the book: 64 fractional bits, cut, times the unit, cut. */
function byTheBook(value: number, unitNs: number): number {
  const whole = Math.floor(value);
  const fraction = BigInt(Math.floor((value - whole) * 2 ** 64));
  return whole * unitNs + Number((fraction * BigInt(unitNs)) >> 64n);
}

describe('cutting', () => {
  it('is ns-3 fixed-point arithmetic for any time', () => {
    const value = fc.oneof(
      fc.double({ min: 0, max: 10, noNaN: true }),
      // Times as a flow file has them: nine digits.
      fc.integer({ min: 0, max: 4_000_000_000 }).map((ns) => Number((ns / 1e9).toFixed(9))),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(1, 1000, 1_000_000, 1_000_000_000), (time, unit) => {
        expect(cutNs(time, unit)).toBe(byTheBook(time, unit));
      }),
      { numRuns: 5000 },
    );
  });

  it('cuts a start time that a double holds a little too small', () => {
    expect(cutNs(2.000001833, 1e9)).toBe(2_000_001_832);
    expect(cutNs(0.001, 1e6)).toBe(1000);
  });

  it('cuts transmissions', () => {
    expect(cutTransmissionNs(1048, 100e9)).toBe(83);
    expect(cutTransmissionNs(1048, 400e9)).toBe(20);
    expect(cutTransmissionNs(60, 100e9)).toBe(4);
    expect(cutTransmissionNs(60, 400e9)).toBe(1);
    expect(cutTransmissionNs(1250, 100e9)).toBe(byTheBook((1250 * 8) / 100e9, 1e9));
  });
});

describe('the table of transmission times', () => {
  it('has nanoseconds that are cut, or picoseconds that are not', () => {
    const rates = [100e9, 400e9, 100e9];
    const cut = new WireTimes(rates, 1048, 'ns3');
    expect(cut.table[cut.base(100e9) + 1048]).toBe(83);
    expect(cut.table[cut.base(400e9) + 60]).toBe(1);
    const exact = new WireTimes(rates, 1048, 'exact');
    expect(exact.table[exact.base(100e9) + 1048]).toBe(83_840);
    expect(exact.table[exact.base(400e9) + 60]).toBe(1200);
  });
});
