import type { Measurement } from '../../workload/index.js';

/** What can be wrong with a workload. */
export type Symptom = 'pause' | 'throughput' | 'loss';

/** What a hunt keeps of an experiment. */
export interface Observation {
  /** Null where the workload is clean. */
  symptom: Symptom | null;
  /** A sentence with the numbers. */
  why: string;
  /** Greatest of both hosts; null where nobody counts it. */
  pauseRatio: number | null;
  wireGbps: number;
  packetsPerSecond: number;
  /** The better of bits and packets over their bounds; null where the device has no bounds. */
  boundShare: number | null;
  /** Packets that devices dropped, of all that arrived. */
  lossShare: number;
  /** Increase a second of every counter that moved, the greater of both hosts. */
  counters: Readonly<Record<string, number>>;
}

/** What clean workloads do on this subsystem; what an experiment is held against. */
export interface Baseline {
  lossShare: number;
  counters: Readonly<Record<string, number>>;
}

/** Nothing was measured yet. */
export const NO_BASELINE: Baseline = { lossShare: 0, counters: {} };

/** Loss is an anomaly above this share, and above ten times what clean workloads lose: some counters always move. */
const LOSS_THRESHOLD = 0.01;
const LOSS_FACTOR = 10;
/** A receiving core this busy reposts too slowly: the loss is the application's. */
const BUSY_SHARE = 0.95;

/** What a measurement says about both hosts: pause and rates as the workload's verdict has them, and loss. */
export function observe(measurement: Measurement, baseline: Baseline): Observation {
  const { verdict, hosts, total } = measurement;
  const seconds = measurement.steadyState.measuredNs / 1e9;
  const counters: Record<string, number> = {};
  for (const host of hosts) {
    for (const [name, increase] of Object.entries(host.counters)) {
      const rate = increase / seconds;
      if (rate > (counters[name] ?? 0)) counters[name] = rate;
    }
  }
  const best = Math.max(0, ...measurement.directions.map(({ wireGbps }) => wireGbps));
  const lossShare = lossOf(measurement, seconds);
  const facts = {
    pauseRatio: measurement.pauseRatio,
    wireGbps: total.wireGbps,
    packetsPerSecond: total.packetsPerSecond,
    boundShare:
      verdict.bounds === null
        ? null
        : Math.max(
            best / verdict.bounds.lineRateGbps,
            total.packetsPerSecond / verdict.bounds.packetsPerSecond,
          ),
    lossShare,
    counters,
  };
  if (verdict.anomaly) return { symptom: verdict.symptom, why: verdict.why, ...facts };
  const busy = Math.max(0, ...hosts.map(({ busyShare }) => busyShare)) >= BUSY_SHARE;
  if (lossShare > Math.max(LOSS_THRESHOLD, LOSS_FACTOR * baseline.lossShare) && !busy) {
    const why = `devices dropped ${(lossShare * 100).toFixed(1)} % of the packets that reached them; clean workloads lose ${(baseline.lossShare * 100).toFixed(3)} %`;
    return { symptom: 'loss', why, ...facts };
  }
  return { symptom: null, why: verdict.why, ...facts };
}

function lossOf({ dropped, total }: Measurement, seconds: number): number {
  if (dropped === 0) return 0;
  const delivered = total.packetsPerSecond * seconds;
  return dropped / (dropped + delivered);
}

/** The baseline that several clean workloads make: the most that any of them moved a counter. */
export function baselineOf(observations: readonly Observation[]): Baseline {
  const counters: Record<string, number> = {};
  for (const observation of observations) {
    for (const [name, rate] of Object.entries(observation.counters))
      counters[name] = Math.max(counters[name] ?? 0, rate);
  }
  return { lossShare: Math.max(0, ...observations.map(({ lossShare }) => lossShare)), counters };
}

/** How bad an anomaly is, from 0 to 1: the share of time paused, of throughput missing, or of packets lost. */
export function severityOf({ symptom, pauseRatio, boundShare, lossShare }: Observation): number {
  if (symptom === 'pause') return pauseRatio ?? 0;
  if (symptom === 'throughput') return Math.max(0, 1 - (boundShare ?? 1));
  return symptom === 'loss' ? lossShare : 0;
}
