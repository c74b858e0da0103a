import { describe, expect, it } from 'vitest';
import { LatencyLog } from './latency-log.js';

describe('the latency log', () => {
  it('summarises what was seen in a stretch of time', () => {
    const log = new LatencyLog();
    for (let index = 1; index <= 1000; index++) log.record(index, index <= 500 ? 1e9 : index - 500);
    expect(log.summarize(500, 1000)).toMatchObject({
      samples: 500,
      min: 1,
      p50: 250,
      p99: 495,
      p999: 500,
      max: 500,
      mean: 250.5,
    });
    expect(log.summarize(1000, 2000)).toBeNull();
  });

  it('thins evenly when it is full', () => {
    const log = new LatencyLog();
    for (let index = 0; index < 1_000_000; index++) log.record(index, index % 1000);
    const { samples, mean, p50 } = log.summarize(-1, 1e6)!;
    expect(samples).toBeLessThanOrEqual(1 << 17);
    expect(samples).toBeGreaterThanOrEqual(1 << 16);
    expect(mean / 499.5).toBeCloseTo(1, 1);
    expect(p50 / 500).toBeCloseTo(1, 1);
  });
});
