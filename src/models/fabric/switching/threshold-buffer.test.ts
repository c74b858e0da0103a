import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThresholdBuffer } from './threshold-buffer.js';

const options = { queues: 4, bufferBytes: 10_000, xoffBytes: 2000, xonBytes: 1000, headroomBytes: 1500 };

describe('fixed thresholds', () => {
  it('pause a queue above XOFF once, and resume it below XON', () => {
    const buffer = new ThresholdBuffer(options);
    buffer.admit(0, 3, 2000);
    expect(buffer.pauses(0)).toBe(false);
    buffer.admit(0, 3, 100);
    expect([buffer.pauses(0), buffer.pauses(0), buffer.pausedQueues()]).toEqual([true, false, 1]);
    buffer.release(0, 3, 1100);
    expect(buffer.resumes(0)).toBe(-1);
    buffer.release(0, 3, 100);
    expect([buffer.resumes(0), buffer.resumes(0), buffer.pausedQueues()]).toEqual([0, -1, 0]);
    expect(buffer.heldBytes()).toBe(900);
  });

  it('keep the headroom of a paused queue free of others', () => {
    const buffer = new ThresholdBuffer(options);
    buffer.admit(0, 3, 2100);
    buffer.pauses(0);
    expect(buffer.headroomLeft(0)).toBe(1500);
    expect(buffer.admit(1, 3, 6401)).toBe(false);
    expect(buffer.admit(1, 3, 6400)).toBe(true);
    expect(buffer.admit(2, 3, 1)).toBe(false);
    expect(buffer.admit(0, 3, 1500)).toBe(true);
    expect([buffer.headroomLeft(0), buffer.heldBytes()]).toEqual([0, 10_000]);
    expect(buffer.admit(0, 3, 1)).toBe(false);
    // Once resumed it keeps nothing.
    buffer.release(0, 3, 3600);
    expect(buffer.resumes(0)).toBe(0);
    expect(buffer.admit(2, 3, 3600)).toBe(true);
  });

  it('never pause a lossy class', () => {
    const buffer = new ThresholdBuffer({ ...options, xoffBytes: 0 });
    expect([buffer.admit(0, 3, 10_000), buffer.pauses(0), buffer.admit(0, 3, 1)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('hold no more than the buffer, drop nothing that fits into headroom, and give all back', () => {
    const step = fc.record({
      queue: fc.nat(3),
      bytes: fc.integer({ min: 64, max: 1500 }),
      takes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const buffer = new ThresholdBuffer(options);
        const inside: number[][] = [[], [], [], []];
        const release = (queue: number) => {
          const bytes = inside[queue].shift();
          if (bytes === undefined) return;
          buffer.release(queue, 3, bytes);
          while (buffer.resumes(queue) >= 0);
        };
        for (const { queue, bytes, takes } of steps) {
          if (takes) {
            const left = buffer.headroomLeft(queue);
            if (buffer.admit(queue, 3, bytes)) {
              inside[queue].push(bytes);
              buffer.pauses(queue);
            } else expect(bytes).toBeGreaterThan(Math.min(left, options.bufferBytes));
          } else release(queue);
          expect(buffer.heldBytes()).toBeLessThanOrEqual(options.bufferBytes);
        }
        for (const [queue, packets] of inside.entries()) while (packets.length > 0) release(queue);
        expect([buffer.heldBytes(), buffer.pausedQueues(), buffer.admit(0, 3, 10_000)]).toEqual([0, 0, true]);
      }),
    );
  });
});
