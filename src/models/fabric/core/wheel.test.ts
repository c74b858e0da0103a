import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Records } from './records.js';
import { Wheel } from './wheel.js';

// Goal: records come out in order of time, those of one nanosecond in order of scheduling, whether they went into the
// wheel or had to wait in the heap.

/** Schedules from within events: record n plans the next of `delays`, as handlers do. */
function drain(
  delays: readonly number[],
  seeds: number,
): { got: [number, number][]; planned: [number, number][] } {
  const records = new Records(0, 0);
  const wheel = new Wheel(records, 0);
  const planned: [number, number][] = [];
  const label = new Map<number, number>();
  let next = 0;
  const plan = () => {
    if (next >= delays.length) return;
    records.ensure();
    const record = records.take();
    label.set(record, next);
    planned.push([wheel.nowNs + delays[next], next]);
    wheel.after(delays[next], record);
    next++;
  };
  for (let seed = 0; seed < seeds; seed++) plan();
  const got: [number, number][] = [];
  while (wheel.advance(Number.MAX_SAFE_INTEGER))
    for (let record = wheel.take(); record >= 0; record = wheel.take()) {
      got.push([wheel.nowNs, label.get(record)!]);
      records.free(record);
      plan();
      if (got.length % 3 === 0) plan();
    }
  return { got, planned };
}

describe('the wheel', () => {
  it('gives records in order of time, then of scheduling', () => {
    const delay = fc.oneof(
      fc.nat(3),
      fc.nat(2000),
      fc.constantFrom(16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_536),
      fc.nat(200_000),
      fc.nat(50_000_000),
    );
    fc.assert(
      fc.property(
        fc.array(delay, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 20 }),
        (delays, seeds) => {
          const { got, planned } = drain(delays, seeds);
          const inOrder = [...planned].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
          expect(got).toEqual(inOrder);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('stops at the limit and goes on from there', () => {
    const records = new Records(0, 0);
    const wheel = new Wheel(records, 0);
    for (const delay of [5, 40_000, 3_000_000]) {
      records.ensure();
      wheel.after(delay, records.take());
    }
    expect(wheel.advance(4)).toBe(false);
    expect(wheel.nowNs).toBe(4);
    expect(wheel.advance(40_000)).toBe(true);
    expect(wheel.nowNs).toBe(5);
    expect(wheel.take()).toBeGreaterThanOrEqual(0);
    expect(wheel.take()).toBe(-1);
    expect(wheel.advance(40_000)).toBe(true);
    expect(wheel.nowNs).toBe(40_000);
    wheel.take();
    wheel.take();
    expect(wheel.advance(2_999_999)).toBe(false);
    expect(wheel.advance(3_000_000)).toBe(true);
    expect(wheel.nowNs).toBe(3_000_000);
  });

  it('is large enough for the longest link', () => {
    const records = new Records(0, 0);
    const wheel = new Wheel(records, 400_000);
    const first = records.take();
    const second = records.take();
    wheel.after(450_000, first);
    wheel.after(450_000, second);
    expect(wheel.advance(1e9)).toBe(true);
    expect([wheel.nowNs, wheel.take(), wheel.take(), wheel.take()]).toEqual([450_000, first, second, -1]);
  });
});
