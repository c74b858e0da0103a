import type { Measurement, Workload } from '../../../workload/index.js';
import { type Experiment, outcomeOf } from '../experiments/experiment.js';
import type { Symptom } from '../observation.js';
import { type Feature, meetsAll } from '../reduce/feature.js';
import { pointOf } from '../space/point-workload.js';

/** An anomaly that a synthetic subsystem has, with a counter that rises on the way to it. */
export interface SyntheticAnomaly {
  symptom: Exclude<Symptom, 'loss'>;
  features: readonly Feature[];
  counter?: string;
}

/** A subsystem that has exactly these anomalies: what a search finds can be held against what there is. */
export function syntheticExperiment(anomalies: readonly SyntheticAnomaly[]): Experiment {
  return async (order) => {
    const measurement = syntheticMeasurement(order.workload, anomalies);
    // As much as it would take on a simulator: no two experiments are alike.
    const { messagesPerSecond, packetsPerSecond } = measurement.total;
    const share = measurement.verdict.anomaly ? 0.001 : 0.003;
    return outcomeOf(measurement, order, {
      messages: messagesPerSecond * share,
      packets: packetsPerSecond * share,
    });
  };
}

/** What the synthetic subsystem would measure. */
export function syntheticMeasurement(
  workload: Workload,
  anomalies: readonly SyntheticAnomaly[],
): Measurement {
  const point = pointOf(workload.tenants[0], 'memory0');
  const shown = anomalies.find(({ features }) => meetsAll(point, features));
  const counters: Record<string, number> = { rx_buffer_wait: 1000 + point.qps };
  for (const { counter, features } of anomalies) {
    if (counter === undefined) continue;
    const met = features.filter((feature) => meetsAll(point, [feature])).length;
    counters[counter] = Math.max(counters[counter] ?? 0, 4 ** met * 100);
  }
  return measurementOf(workload, shown?.symptom ?? null, counters);
}

function measurementOf(
  workload: Workload,
  symptom: 'pause' | 'throughput' | null,
  counters: Record<string, number>,
): Measurement {
  const gbps = symptom === 'throughput' ? 50 : 190;
  const rates = { goodputGbps: gbps, wireGbps: gbps, messagesPerSecond: 1e6, packetsPerSecond: 1e6 };
  const pauseRatio = symptom === 'pause' ? 0.2 : 0;
  const device = (name: string) => ({
    name,
    device: 'synthetic',
    pauseRatio,
    pausedRatio: null,
    port: null,
    dropped: {},
    counters: name === 'a' ? {} : counters,
    absent: {},
  });
  const host = (name: string) => ({ ...device(name), busyShare: 0.1, devices: [device(name)] });
  return {
    format: 'kelpie-measurement/1',
    version: '0',
    provider: 'synthetic',
    profile: null,
    seed: 1,
    partial: false,
    workload,
    steadyState: { steady: true, reason: '', warmupNs: 0, measuredNs: 1e6, slices: 10, sliceNs: 1e5 },
    total: rates,
    directions: [{ from: 'a', to: 'b', ...rates }],
    tenants: [],
    hosts: [host('a'), host('b')],
    pauseRatio,
    dropped: 0,
    verdict: {
      anomaly: symptom !== null,
      symptom,
      limited: symptom === null ? 'line' : symptom === 'pause' ? 'pause' : 'subsystem',
      why: `synthetic ${symptom ?? 'clean'}`,
      bounds: { lineRateGbps: 200, packetsPerSecond: 200e6 },
    },
    limits: { by: 'synthetic', part: null, parts: [] },
    notes: [],
    series: { timeNs: [], tenants: {}, hosts: {} },
    simulatedNs: 1e6,
    events: 1,
    wallSeconds: null,
  };
}
