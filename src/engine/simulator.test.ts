import { describe, expect, it } from 'vitest';
import { HeapQueue } from './heap-queue.js';
import { Random } from './random.js';
import { Simulation, type SimulationOptions } from './simulator.js';

/** A little network of random forwarding; returns all that a trace sees. */
function storm(seed: number, options: SimulationOptions = {}): string[] {
  const seen: string[] = [];
  const simulation = new Simulation({
    ...options,
    trace: (time, name, a, b, c) => seen.push(`${time} ${name} ${a} ${b} ${c}`),
  });
  const random = new Random(seed).split('storm');
  const timeout = simulation.register('timeout', () => {});
  const hop = simulation.register('hop', (left, timer, delay) => {
    if (timer === 1) simulation.cancel(pendingTimer);
    pendingTimer = simulation.timer(simulation.now + 5000, timeout, left);
    if (left > 0)
      simulation.after(random.nextInt(delay), hop, left - 1, random.nextInt(2), 1 + random.nextInt(3000));
  });
  let pendingTimer = simulation.timer(5000, timeout);
  for (let index = 0; index < 20; index++) simulation.at(index % 3, hop, 50, 1, 100);
  expect(simulation.run()).toBe(seen.length);
  return seen;
}

describe('Simulation', () => {
  it('fires events in order, with their arguments, at their time', () => {
    const simulation = new Simulation();
    const seen: number[][] = [];
    const note = simulation.register('note', (a, b, c) => seen.push([simulation.now, a, b, c]));
    simulation.at(30, note, 1, -2, 7);
    simulation.at(10, note);
    simulation.at(30, note, 2);
    expect(simulation.pending).toBe(3);
    expect(simulation.run()).toBe(3);
    expect(seen).toEqual([
      [10, 0, 0, 0],
      [30, 1, -2, 7],
      [30, 2, 0, 0],
    ]);
    expect([simulation.now, simulation.events, simulation.pending]).toEqual([30, 3, 0]);
  });

  it('runs up to and at the end that is given, then stands there', () => {
    const simulation = new Simulation();
    const tick = simulation.register('tick', () => simulation.after(10, tick));
    simulation.at(0, tick);
    expect(simulation.run(100)).toBe(11);
    expect(simulation.run(105)).toBe(0);
    expect(simulation.now).toBe(105);
    expect(() => simulation.at(104, tick)).toThrow(
      expect.objectContaining({ code: 'EVENT_IN_PAST', given: 104 }),
    );
    expect(() => simulation.run(104)).toThrow(expect.objectContaining({ code: 'SIMULATION_TIME' }));
    expect(() => simulation.run(Number.NaN)).toThrow(expect.objectContaining({ code: 'SIMULATION_TIME' }));
    expect(simulation.step()).toBe(true);
    expect(simulation.now).toBe(110);
  });

  it('stops when a handler says so, and goes on later', () => {
    const simulation = new Simulation();
    const tick = simulation.register('tick', (count) => {
      if (count === 3) simulation.stop();
    });
    for (let count = 1; count <= 5; count++) simulation.at(count, tick, count);
    expect(simulation.run(100)).toBe(3);
    expect(simulation.now).toBe(3);
    expect(simulation.run(100)).toBe(2);
    expect(simulation.step()).toBe(false);
  });

  it('knows when nothing can be due now', () => {
    const simulation = new Simulation();
    const stop = simulation.register('stop', () => simulation.stop());
    const note = simulation.register('note', () => {});
    expect(simulation.mayBeDue).toBe(false);
    simulation.at(5, stop);
    simulation.at(5, note);
    expect(simulation.mayBeDue).toBe(false);
    simulation.run(10);
    expect([simulation.now, simulation.mayBeDue]).toEqual([5, true]);
    simulation.run(5);
    expect([simulation.pending, simulation.mayBeDue]).toEqual([0, false]);
    simulation.at(5, note);
    expect(simulation.mayBeDue).toBe(true);
    simulation.at(5, note);
    simulation.step();
    expect([simulation.pending, simulation.mayBeDue]).toEqual([1, true]);
  });

  it('cancels', () => {
    const simulation = new Simulation();
    const seen: number[] = [];
    const note = simulation.register('note', (a) => seen.push(a));
    const id = simulation.timer(1, note, 1);
    simulation.at(1, note, 2);
    expect([simulation.cancel(id), simulation.cancel(id)]).toEqual([true, false]);
    simulation.run();
    expect(seen).toEqual([2]);
  });

  it('traces every event before it fires, in steps and in runs, and nothing when off', () => {
    const simulation = new Simulation();
    const seen: unknown[] = [];
    const ping = simulation.register('ping', () => seen.push('fired'));
    const pong = simulation.register('pong', () => seen.push('fired'));
    simulation.at(1, ping, 1, 2, 3);
    simulation.at(2, pong, 4, 5, 6);
    simulation.at(3, ping);
    simulation.trace = (...event) => seen.push(event);
    simulation.step();
    simulation.run(2);
    simulation.trace = undefined;
    simulation.run();
    expect(seen).toEqual([[1, 'ping', 1, 2, 3], 'fired', [2, 'pong', 4, 5, 6], 'fired', 'fired']);
  });

  it('gives the same run for the same seed, and on either queue', () => {
    const first = storm(1);
    expect(first.length).toBeGreaterThan(1000);
    expect(storm(1)).toEqual(first);
    expect(storm(1, { queue: new HeapQueue() })).toEqual(first);
    expect(storm(2)).not.toEqual(first);
  });

  it('refuses what is no time, no handler or no 32-bit argument, and schedules nothing', () => {
    const simulation = new Simulation();
    const handler = simulation.register('handler', () => {});
    simulation.at(100, handler);
    simulation.run();
    const refusal = (code: string, field: string, given: number) =>
      expect.objectContaining({ code, field, given });
    for (const time of [100.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])
      expect(() => simulation.at(time, handler)).toThrow(refusal('EVENT_TIME', 'time', time));
    for (const time of [99, -1, Number.NEGATIVE_INFINITY])
      expect(() => simulation.at(time, handler)).toThrow(refusal('EVENT_IN_PAST', 'time', time));
    for (const number of [-1, 0.5, 1, Number.NaN])
      expect(() => simulation.at(100, number)).toThrow(refusal('EVENT_HANDLER', 'handler', number));
    for (const value of [2 ** 31, 0.5, Number.NaN]) {
      expect(() => simulation.at(100, handler, value)).toThrow(refusal('EVENT_ARGUMENT', 'a', value));
      expect(() => simulation.at(100, handler, 0, value)).toThrow(refusal('EVENT_ARGUMENT', 'b', value));
      expect(() => simulation.after(0, handler, 0, 0, value)).toThrow(refusal('EVENT_ARGUMENT', 'c', value));
    }
    expect(simulation.pending).toBe(0);
  });

  it('refuses unknown handlers and running within a run, and survives a handler that throws', () => {
    const simulation = new Simulation();
    expect(() => simulation.at(0, 0)).toThrow(expect.objectContaining({ code: 'EVENT_HANDLER' }));
    const nested = simulation.register('nested', () => simulation.run());
    const fine = simulation.register('fine', () => {});
    simulation.at(1, nested);
    simulation.at(2, fine);
    expect(() => simulation.run()).toThrow(expect.objectContaining({ code: 'SIMULATION_RUNNING' }));
    expect(simulation.run()).toBe(1);
  });
});
