import { describe, expect, it } from 'vitest';
import { Simulation } from '../../../engine/index.js';
import { ReceiveBuffer } from './receive-buffer.js';

function buffer(lossless = true) {
  const simulation = new Simulation();
  const pauses: [number, boolean][] = [];
  const made = new ReceiveBuffer(simulation, {
    xoffBytes: 1000,
    xonBytes: 400,
    bufferBytes: 2000,
    lossless,
    pause: (priority, paused) => pauses.push([priority, paused]),
  });
  return { simulation, pauses, buffer: made };
}

describe('a receive buffer', () => {
  it('pauses a class above XOFF and lets it go on below XON', () => {
    const { simulation, pauses, buffer: one } = buffer();
    one.admit(1000, 3);
    expect(pauses).toEqual([]);
    one.admit(1, 3);
    one.admit(500, 5);
    simulation.run(700);
    one.release(600, 3);
    expect(pauses).toEqual([[3, true]]);
    one.release(2, 3);
    expect(pauses).toEqual([
      [3, true],
      [3, false],
    ]);
    simulation.run(1000);
    expect([one.pauseAssertedPs(3), one.pauseAssertedPs(5), one.pauseFrames]).toEqual([700, 0, 2]);
  });

  it('drops what finds no room, and says how full it was', () => {
    const { buffer: one } = buffer();
    expect([one.admit(1900, 0), one.admit(101, 0), one.admit(100, 1)]).toEqual([true, false, true]);
    expect([one.drops, one.highWaterBytes, one.occupancyBytes]).toEqual([1, 2000, 2000]);
  });

  it('never pauses without PFC', () => {
    const { pauses, buffer: one } = buffer(false);
    one.admit(1500, 0);
    one.release(1500, 0);
    expect(pauses).toEqual([]);
  });

  it('gives back no more than it took', () => {
    const { buffer: one } = buffer();
    one.admit(10, 2);
    expect(() => one.release(11, 2)).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN' }));
  });
});
