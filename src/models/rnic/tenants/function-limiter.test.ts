import { describe, expect, it } from 'vitest';
import { Simulation } from '../../../engine/index.js';
import { FunctionLimiter } from './function-limiter.js';

describe('the rate limit of a function', () => {
  it('lets parked entries go in order, at the rate', () => {
    const simulation = new Simulation();
    const sent: [number, number][] = [];
    const limiter = new FunctionLimiter(simulation, 'function', 80, (entry) => {
      sent.push([entry, simulation.now]);
      limiter.spend(1000);
      limiter.visited();
    });
    expect(limiter.holds).toBe(false);
    // The burst is used up and ten packets of 1000 B, 100 ns each, are owed.
    limiter.spend(8192 + 10_000);
    expect(limiter.holds).toBe(true);
    for (const entry of [7, 8, 9]) limiter.park(entry);
    simulation.run();
    expect(sent).toEqual([
      [7, 1_000_000],
      [8, 1_100_000],
      [9, 1_200_000],
    ]);
  });

  it('goes on when an entry that was released sends nothing', () => {
    const simulation = new Simulation();
    const released: number[] = [];
    const limiter = new FunctionLimiter(simulation, 'function', 80, (entry) => {
      released.push(entry);
      limiter.visited();
    });
    limiter.spend(9192);
    for (const entry of [1, 2]) limiter.park(entry);
    simulation.run();
    expect(released).toEqual([1, 2]);
  });
});
