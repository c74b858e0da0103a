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
  /** Post to completion, median of the slowest tenant; null where none was seen. */
  latencyNs: number | null;
  /** Packets that devices dropped, of all that arrived. */
  lossShare: number;
  /** Increase a second of every counter that moved, the greatest of all devices. */
  counters: Readonly<Record<string, number>>;
  /** Set where it is slow, and the run may have ended before it was under way. */
  starting?: true;
}

/** What clean workloads do on this subsystem; what an experiment is held against. */
export interface Baseline {
  /** A short request on an idle subsystem; 0 where not known. */
  latencyNs: number;
  lossShare: number;
  counters: Readonly<Record<string, number>>;
}

/** Nothing was measured yet. */
export const NO_BASELINE: Baseline = { latencyNs: 0, lossShare: 0, counters: {} };

/** Loss is an anomaly above this share, and above ten times what clean workloads lose: some counters always move. */
const LOSS_THRESHOLD = 0.01;
const LOSS_FACTOR = 10;
/** Less than this share of bits and of packets is a lack of throughput (Collie §5.2). */
const DELIVERED_SHARE = 0.8;
/** A request that takes no longer than this many times what it takes alone was not held up by the subsystem. */
const RESIDENCE_FACTOR = 2.5;
/** The same where nothing slows a device: a post waits for the last of its batch, and a request for the next post. */
const UNLIMITED_FACTOR = 5;
/** A receiving core this busy reposts too slowly: loss is the application's. */
const BUSY_SHARE = 0.95;

/**
 * What a measurement says about both hosts: pause and rates as the workload's verdict has them, and loss. `unlimited`: the
 * device is one that nothing slows, so that a request should take as long as it takes alone.
 */
export function observe(measurement: Measurement, baseline: Baseline, unlimited = false): Observation {
  const { verdict, hosts, total } = measurement;
  const seconds = measurement.steadyState.measuredNs / 1e9;
  const counters: Record<string, number> = {};
  for (const device of hosts.flatMap(({ devices }) => devices)) {
    for (const [name, increase] of Object.entries(device.counters)) {
      const rate = increase / seconds;
      if (rate > (counters[name] ?? 0)) counters[name] = rate;
    }
  }
  const { directions } = measurement;
  const bestGbps = Math.max(0, ...directions.map(({ wireGbps }) => wireGbps));
  const bestPackets = Math.max(0, ...directions.map(({ packetsPerSecond }) => packetsPerSecond));
  const lossShare = lossOf(measurement, seconds);
  const facts = {
    pauseRatio: measurement.pauseRatio,
    wireGbps: total.wireGbps,
    packetsPerSecond: total.packetsPerSecond,
    boundShare:
      verdict.bounds === null
        ? null
        : Math.max(bestGbps / verdict.bounds.lineRateGbps, bestPackets / verdict.bounds.packetsPerSecond),
    latencyNs: medianOf(measurement),
    lossShare,
    counters,
  };
  const starting = isStarting(measurement) ? { starting: true as const } : {};
  const held = verdict.limited === 'unknown' ? heldUp(measurement, baseline, unlimited) : null;
  if (held !== null) return { symptom: 'throughput', why: held, ...facts, ...starting };
  const patience = verdict.symptom === 'throughput' ? waitsForAnswers(measurement, baseline) : null;
  if (verdict.anomaly && patience === null) {
    const { symptom, why } = verdict;
    return { symptom, why, ...facts, ...(symptom === 'throughput' ? starting : {}) };
  }
  const busy = Math.max(0, ...hosts.map(({ busyShare }) => busyShare)) >= BUSY_SHARE;
  if (lossShare > Math.max(LOSS_THRESHOLD, LOSS_FACTOR * baseline.lossShare) && !busy) {
    const why = `devices dropped ${(lossShare * 100).toFixed(1)} % of the packets that reached them; clean workloads lose ${(baseline.lossShare * 100).toFixed(3)} %`;
    // Packets that are sent again keep a port busy and are no throughput: what arrives for good counts.
    const { boundShare } = facts;
    if (verdict.limited === 'packets' && boundShare !== null && boundShare < DELIVERED_SHARE)
      return {
        symptom: 'throughput',
        why: `${(boundShare * 100).toFixed(1)} % of the bounds is delivered; ${why}`,
        ...facts,
      };
    return { symptom: 'loss', why, ...facts };
  }
  return { symptom: null, why: patience ?? verdict.why, ...facts };
}

/**
 * Whether a run may have ended within its warm-up: nothing came of it yet, or half of it had to be left out, which is the
 * most.
 */
function isStarting({ total, steadyState }: Measurement): boolean {
  const { steady, warmupNs, measuredNs, sliceNs } = steadyState;
  return total.wireGbps === 0 || (!steady && warmupNs + 2 * sliceNs >= measuredNs);
}

/**
 * Whether a workload is slow because so few of its requests are in flight: by Little's law each takes hardly longer than
 * on an idle subsystem, so that the application waits for answers and the subsystem for requests.
 */
function waitsForAnswers({ workload, total, verdict }: Measurement, baseline: Baseline): string | null {
  if (baseline.latencyNs === 0 || total.messagesPerSecond === 0 || verdict.bounds === null) return null;
  const inFlight = workload.tenants.reduce((sum, tenant) => sum + requestsInFlight(tenant), 0);
  const residenceNs = (inFlight / total.messagesPerSecond) * 1e9;
  const meanBytes = (total.goodputGbps * 1e9) / 8 / total.messagesPerSecond;
  const idleNs = baseline.latencyNs + (meanBytes * 8) / verdict.bounds.lineRateGbps;
  if (residenceNs > RESIDENCE_FACTOR * idleNs) return null;
  return `a request takes ${residenceNs.toFixed(0)} ns, ${(residenceNs / idleNs).toFixed(1)} times as long as alone: too few are in flight to fill the device`;
}

/** What is wrong with a device that has no bounds to fall short of: nothing comes back, or it takes its time. */
function heldUp(
  { workload, total, steadyState }: Measurement,
  { latencyNs }: Baseline,
  unlimited: boolean,
): string | null {
  if (total.messagesPerSecond === 0 && total.wireGbps === 0) {
    // A short run may end between two posts: each completes as a whole.
    const rounds = Math.max(0, ...workload.tenants.map(roundsOf));
    return steadyState.measuredNs > UNLIMITED_FACTOR * rounds * latencyNs ? 'nothing was delivered' : null;
  }
  if (!unlimited || latencyNs === 0) return null;
  const inFlight = workload.tenants.reduce((sum, tenant) => sum + requestsInFlight(tenant), 0);
  const times = (inFlight / total.messagesPerSecond) * (1e9 / latencyNs);
  return times > UNLIMITED_FACTOR ? `a request takes ${times.toFixed(1)} times as long as alone` : null;
}

/** How many round trips a post of a tenant takes: only a limited number of READs may be outstanding. */
function roundsOf({ opcode, signalEvery, maxRdAtomic }: Measurement['workload']['tenants'][number]): number {
  return opcode === 'READ' ? Math.ceil(signalEvery / maxRdAtomic) : 1;
}

/** Requests that a tenant keeps in flight, on average: a post waits until a whole batch has completed. */
function requestsInFlight(tenant: Measurement['workload']['tenants'][number]): number {
  const depth = tenant.outstanding - (tenant.signalEvery - 1) / 2;
  const most = tenant.opcode === 'READ' ? Math.min(depth, tenant.maxRdAtomic) : depth;
  return most * tenant.qps * (tenant.direction === 'bi' ? 2 : 1);
}

function medianOf({ tenants }: Measurement): number | null {
  const medians = tenants.flatMap(({ latencyNs }) => (latencyNs?.p50 == null ? [] : [latencyNs.p50]));
  return medians.length === 0 ? null : Math.max(...medians);
}

/** Where no receive is posted the application is late, whatever its device does. */
const APPLICATION_DROPS = /out_of_buffer|rnr/;

/** Packets that devices dropped for want of something of their own, of all that arrived. */
function lossOf({ hosts, total }: Measurement, seconds: number): number {
  const dropped = hosts
    .flatMap((host) => Object.entries(host.dropped))
    .reduce((sum, [name, packets]) => sum + (APPLICATION_DROPS.test(name) ? 0 : packets), 0);
  if (dropped === 0) return 0;
  const delivered = total.packetsPerSecond * seconds;
  return dropped / (dropped + delivered);
}

/** What several clean workloads say of loss and counters: the most that any of them moved one. */
export function baselineOf(observations: readonly Observation[], latencyNs: number): Baseline {
  const counters: Record<string, number> = {};
  for (const observation of observations) {
    for (const [name, rate] of Object.entries(observation.counters))
      counters[name] = Math.max(counters[name] ?? 0, rate);
  }
  return {
    latencyNs,
    lossShare: Math.max(0, ...observations.map(({ lossShare }) => lossShare)),
    counters,
  };
}

/** How bad an anomaly is, from 0 to 1: the share of time paused, of throughput missing, or of packets lost. */
export function severityOf({ symptom, pauseRatio, boundShare, lossShare }: Observation): number {
  if (symptom === 'pause') return pauseRatio ?? 0;
  if (symptom === 'throughput') return Math.max(0, 1 - (boundShare ?? 1));
  return symptom === 'loss' ? lossShare : 0;
}
