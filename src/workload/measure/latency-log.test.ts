import { describe, expect, it } from 'vitest';
import { LatencyLog, littleNs } from './latency-log.js';

describe('the latency log', () => {
  it('summarises what was posted in a stretch of time', () => {
    const log = new LatencyLog();
    for (let index = 1; index <= 1000; index++) log.record(index, index <= 500 ? 1e9 : index - 500);
    expect(log.summarize(501, 1000)).toMatchObject({
      samples: 500,
      min: 1,
      p50: 250,
      p99: 495,
      max: 500,
      mean: 250.5,
    });
    expect(log.summarize(1001, 2000)).toBeNull();
    // One was posted within it and still waits, one was posted before.
    expect(log.summarize(501, 1000, [900, 400], 1000)).toMatchObject({ samples: 500, waiting: 1 });
  });

  it('knows the quickest of all, whatever was thinned out since', () => {
    const log = new LatencyLog(0.5);
    expect(log.quickestNs).toBe(Number.POSITIVE_INFINITY);
    for (let index = 0; index < 400_000; index++) log.record(index, index === 1 ? 40 : 100);
    expect(log.quickestNs).toBe(20);
  });

  it('thins evenly when it is full', () => {
    const log = new LatencyLog();
    for (let index = 0; index < 1_000_000; index++) log.record(index, index % 1000);
    const { samples, mean, p50 } = log.summarize(-1, 1e6)!;
    expect(samples).toBeLessThanOrEqual(1 << 17);
    expect(samples).toBeGreaterThanOrEqual(1 << 16);
    expect(mean! / 499.5).toBeCloseTo(1, 1);
    expect(p50! / 500).toBeCloseTo(1, 1);
  });

  it("counts what is in flight for Little's law, half for a ping-pong", () => {
    for (const scale of [1, 0.5]) {
      const log = new LatencyLog(scale);
      // Four in flight at any time, each for 40 ns: one completes every 10 ns.
      for (let index = 0; index < 100; index++) log.open(10 * index);
      for (let index = 0; index < 96; index++) log.close(10 * index + 40);
      const before = { areaNs: 0, completed: 0 };
      const after = log.inFlight(1000);
      expect(after).toEqual({ areaNs: scale * (96 * 40 + 40 + 30 + 20 + 10), completed: 96 });
      expect(littleNs(before, after)).toBeCloseTo(scale * 41, 0);
      expect(littleNs(after, after)).toBeNull();
    }
  });
});
