import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PRIORITIES } from '../../../fabric/cable-side.js';
import { ReadyRing } from './ready-ring.js';

describe('a ready ring', () => {
  it('is first in, first out within a class', () => {
    const ring = new ReadyRing();
    for (let entry = 0; entry < 100; entry++) ring.push(entry, 3);
    expect(ring.length).toBe(100);
    expect(Array.from({ length: 100 }, () => ring.shift())).toEqual(
      Array.from({ length: 100 }, (_, index) => index),
    );
    expect([ring.length, ring.shift()]).toEqual([0, -1]);
  });

  it('lets the classes that have something take turns', () => {
    const ring = new ReadyRing();
    for (const trafficClass of [0, 5, 7])
      for (let turn = 0; turn < 3; turn++) ring.push(trafficClass, trafficClass);
    ring.push(2, 2);
    const served = Array.from({ length: 10 }, () => ring.shift());
    expect(served).toEqual([0, 2, 5, 7, 0, 5, 7, 0, 5, 7]);
  });

  it('gives out each entry once and starves no class', () => {
    const step = fc.option(fc.integer({ min: 0, max: PRIORITIES - 1 }), { nil: -1 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const ring = new ReadyRing();
        const waiting = Array.from({ length: PRIORITIES }, () => [] as number[]);
        const passedOver = new Array<number>(PRIORITIES).fill(0);
        for (const [number, trafficClass] of steps.entries()) {
          if (trafficClass >= 0) {
            ring.push(number, trafficClass);
            waiting[trafficClass].push(number);
            continue;
          }
          const entry = ring.shift();
          const from = waiting.findIndex(([first]) => first !== undefined && first === entry);
          expect(from >= 0 || entry === -1).toBe(true);
          if (from < 0) continue;
          waiting[from].shift();
          passedOver[from] = 0;
          for (const [other, entries] of waiting.entries())
            if (other !== from && entries.length > 0) expect(++passedOver[other]).toBeLessThan(PRIORITIES);
        }
        expect(ring.length).toBe(waiting.reduce((sum, { length }) => sum + length, 0));
      }),
    );
  });
});
