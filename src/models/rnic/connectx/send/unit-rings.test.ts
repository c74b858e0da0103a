import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnitRings } from './unit-rings.js';

const UNITS = 3;

describe('rings of bound units', () => {
  it('give what is bound to a free unit, and keep what is bound to a busy one', () => {
    const rings = new UnitRings(UNITS);
    rings.take(1);
    rings.push(1, 10, 0);
    rings.push(2, 20, 0);
    expect([rings.shift(), rings.shift(), rings.length]).toEqual([20, -1, 1]);
    rings.give(1);
    expect([rings.shift(), rings.shift(), rings.length]).toEqual([10, -1, 0]);
  });

  it('let the classes of a unit take turns', () => {
    const rings = new UnitRings(UNITS);
    for (const entry of [1, 2, 3]) rings.push(0, entry, 0);
    rings.push(0, 9, 5);
    expect([rings.shift(), rings.shift(), rings.shift(), rings.shift()]).toEqual([1, 9, 2, 3]);
  });

  it('give every entry once, in the order of its unit, whatever is taken and given', () => {
    const step = fc.tuple(fc.constantFrom('push', 'shift', 'take', 'give'), fc.nat(UNITS - 1));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const rings = new UnitRings(UNITS);
        const waiting: number[][] = Array.from({ length: UNITS }, () => []);
        const check = () => {
          const entry = rings.shift();
          const free = waiting.filter((queue, unit) => rings.isFree(unit) && queue.length > 0);
          if (entry < 0) expect(free).toEqual([]);
          else expect(waiting[entry % UNITS].shift()).toBe(entry);
        };
        for (const [index, [action, unit]] of steps.entries()) {
          if (action === 'push') {
            const entry = UNITS * index + unit;
            rings.push(unit, entry, 0);
            waiting[unit].push(entry);
          } else if (action === 'shift') check();
          else if (action === 'take') rings.take(unit);
          else rings.give(unit);
          expect(rings.length).toBe(waiting.reduce((sum, queue) => sum + queue.length, 0));
        }
        for (let unit = 0; unit < UNITS; unit++) rings.give(unit);
        while (rings.length > 0) check();
      }),
    );
  });
});
