import { describe, expect, it } from 'vitest';
import type { Measurement } from '../../workload/index.js';
import { NO_BASELINE, observe } from './observation.js';

/** What a workload would be that one direction delivers this much of, with packets that the receiver dropped. */
function measurement(share: number, dropped: number): Measurement {
  const packetsPerSecond = share * 1e8;
  return {
    verdict: {
      anomaly: false,
      symptom: null,
      limited: 'packets',
      why: 'the port is busy',
      bounds: { lineRateGbps: 200, packetsPerSecond: 1e8 },
    },
    hosts: [{ devices: [], dropped: { rx_dropped_no_descriptor: dropped }, busyShare: 0.1 }],
    total: { wireGbps: 20, goodputGbps: 18, packetsPerSecond, messagesPerSecond: packetsPerSecond },
    directions: [{ wireGbps: 20, packetsPerSecond }],
    steadyState: { measuredNs: 1e6 },
    tenants: [],
    pauseRatio: 0,
  } as unknown as Measurement;
}

describe('what a hunt sees in a measurement', () => {
  it('takes packets that are sent again for no throughput', () => {
    const { symptom, why } = observe(measurement(0.5, 20_000), NO_BASELINE);
    expect(symptom).toBe('throughput');
    expect(why).toContain('50.0 % of the bounds is delivered');
  });

  it('sees loss where nearly everything arrives all the same', () => {
    expect(observe(measurement(0.9, 20_000), NO_BASELINE).symptom).toBe('loss');
  });

  it('sees a device without bounds that delivers nothing, or that takes its time where nothing should slow it', () => {
    const free = (messagesPerSecond: number, limited = 'unknown') => {
      const whole = measurement(1, 0);
      const tenants = [{ outstanding: 100, signalEvery: 1, qps: 1, opcode: 'WRITE', direction: 'uni' }];
      const total = { ...whole.total, messagesPerSecond, wireGbps: messagesPerSecond / 1e6 };
      return {
        ...{ ...whole, total, workload: { tenants } },
        verdict: { ...whole.verdict, limited, bounds: null },
      } as unknown as Measurement;
    };
    const alone = { ...NO_BASELINE, latencyNs: 1000 };
    expect(observe(free(0), alone).symptom).toBe('throughput');
    expect(observe(free(1e7), alone).symptom).toBeNull();
    expect(observe(free(1e7), alone, true).symptom).toBe('throughput');
    expect(observe(free(1e8), alone, true).symptom).toBeNull();
    // A post of 64 READs, 16 at a time, takes four rounds: a run of 10 us says nothing about it.
    const reads = (measuredNs: number) => {
      const tenants = [{ outstanding: 64, signalEvery: 64, maxRdAtomic: 16, qps: 1, opcode: 'READ' }];
      return { ...free(0), workload: { tenants }, steadyState: { measuredNs } } as unknown as Measurement;
    };
    expect(observe(reads(10_000), alone, true).symptom).toBeNull();
    expect(observe(reads(30_000), alone, true).symptom).toBe('throughput');
    // Programs that post no receives, or take completions too slowly, are no device's fault.
    expect(observe(free(0, 'generator'), alone, true).symptom).toBeNull();
  });

  it('says where a slow run may have ended before it was under way', () => {
    const slow = (wireGbps: number, steadyState: object, symptom = 'throughput') => {
      const whole = measurement(0.1, 0);
      return {
        ...{ ...whole, total: { ...whole.total, wireGbps }, workload: { tenants: [] } },
        steadyState: { steady: true, warmupNs: 40_000, measuredNs: 160_000, sliceNs: 10_000, ...steadyState },
        verdict: { ...whole.verdict, anomaly: true, symptom, limited: 'subsystem' },
      } as unknown as Measurement;
    };
    const half = { steady: false, warmupNs: 240_000, measuredNs: 260_000 };
    expect(observe(slow(20, {}), NO_BASELINE).starting).toBeUndefined();
    expect(observe(slow(0, {}), NO_BASELINE).starting).toBe(true);
    expect(observe(slow(20, half), NO_BASELINE).starting).toBe(true);
    expect(observe(slow(20, { ...half, steady: true }), NO_BASELINE).starting).toBeUndefined();
    expect(observe(slow(20, half, 'pause'), NO_BASELINE).starting).toBeUndefined();
  });

  it('is content with a port that is busy and loses nothing', () => {
    expect(observe(measurement(0.5, 0), NO_BASELINE).symptom).toBeNull();
  });
});
