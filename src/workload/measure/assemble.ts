import { VERSION } from '../../version.js';
import type { Workload } from '../description/description.js';
import { type Delivered, nothingDelivered } from '../description/message-plan.js';
import type { TenantRig } from '../program/rig.js';
import type { Testbed } from '../testbed.js';
import { increases, NAMED_COUNTERS, portFacts } from './device-counters.js';
import type {
  DirectionRates,
  HostMeasurement,
  Measurement,
  MeasurementSeries,
  Rates,
  TenantMeasurement,
} from './measurement.js';
import type { Sample, Sampler } from './sampler.js';
import type { SteadyState } from './steady-state.js';
import { judge } from './verdict.js';
import { verdictFacts } from './verdict-facts.js';

/** Everything that a Measurement is made from. */
export interface Findings {
  workload: Workload;
  testbed: Testbed;
  rigs: readonly TenantRig[];
  sampler: Sampler;
  /** The samples between which the rates are taken. */
  before: Sample;
  after: Sample;
  /** Time between them; shorter where the last message came earlier. */
  measuredNs: number;
  /** The clock at the start of the run. */
  startNs: number;
  steadyState: SteadyState;
  seed: number;
  partial: boolean;
  notes: readonly string[];
  wallSeconds: number | null;
}

/** Puts the Measurement together. */
export function assemble(findings: Findings): Measurement {
  const { testbed, sampler, rigs } = findings;
  const deltas = sampler.lanes.map((_, index) =>
    difference(findings.before.lanes[index], findings.after.lanes[index]),
  );
  const lanesOf = (wanted: (index: number) => boolean) => deltas.filter((_, index) => wanted(index));
  const rates = (parts: readonly Delivered[]) => ratesOf(parts, findings.measuredNs);
  const directions = directionsOf(findings, deltas, () => true);
  const tenants = rigs.map((rig): TenantMeasurement => {
    const own = (index: number) => sampler.lanes[index].tenant === rig.tenant.name;
    return {
      name: rig.tenant.name,
      ...rates(lanesOf(own)),
      directions: directionsOf(findings, deltas, own),
      latencyNs: rig.latency.summarize(
        findings.startNs + findings.before.timeNs,
        findings.startNs + findings.after.timeNs,
      ),
      failures: Object.fromEntries([...rig.failures].sort()),
    };
  });
  const hosts = testbed.hosts.map((_, index) => hostOf(findings, index));
  const pauses = hosts.flatMap(({ pauseRatio: ratio }) => (ratio === null ? [] : [ratio]));
  return {
    format: 'kelpie-measurement/1',
    version: VERSION,
    provider: testbed.provider,
    profile: testbed.profile,
    seed: findings.seed,
    partial: findings.partial,
    workload: findings.workload,
    steadyState: findings.steadyState,
    total: rates(deltas),
    directions,
    tenants,
    hosts,
    pauseRatio: pauses.length === 0 ? null : Math.max(...pauses),
    dropped: hosts.reduce((sum, host) => sum + sumOf(host.dropped), 0),
    verdict: judge(verdictFacts(findings, directions, hosts), testbed.bounds),
    notes: [...(testbed.notes ?? []), ...rigs.flatMap((rig) => rig.notes), ...findings.notes],
    series: seriesOf(findings),
    simulatedNs: sampler.samples[sampler.samples.length - 1].timeNs,
    events: testbed.events?.() ?? null,
    wallSeconds: findings.wallSeconds,
  };
}

function directionsOf(
  findings: Findings,
  deltas: readonly Delivered[],
  wanted: (index: number) => boolean,
): DirectionRates[] {
  const byWay = new Map<string, { from: string; to: string; parts: Delivered[] }>();
  for (const [index, { from, to, sinks }] of findings.sampler.lanes.entries()) {
    // A way back that nothing travels is not a direction.
    if (!wanted(index) || (sinks.length === 0 && deltas[index].messages === 0)) continue;
    const way = byWay.get(`${from}${to}`) ?? { from, to, parts: [] };
    way.parts.push(deltas[index]);
    byWay.set(`${from}${to}`, way);
  }
  return [...byWay.values()].map(({ from, to, parts }) => ({
    from,
    to,
    ...ratesOf(parts, findings.measuredNs),
  }));
}

function hostOf(findings: Findings, index: number): HostMeasurement {
  const { testbed, measuredNs, rigs, before, after } = findings;
  const { name, context } = testbed.hosts[index];
  const reader = findings.sampler.readers[index];
  const earlier = reader.valuesOf(before.counters[index]);
  const later = reader.valuesOf(after.counters[index]);
  const facts = portFacts(earlier, later);
  const { txBytes, rxBytes, txPackets, rxPackets } = facts;
  const counted = txBytes !== null && rxBytes !== null && txPackets !== null && rxPackets !== null;
  const absent: Record<string, string> = {};
  const reason = context.capabilities.reasons['packets'];
  const missing = (counter: string) =>
    `${context.deviceName} has no counter ${counter}${reason === undefined ? '' : `: ${reason}`}`;
  if (facts.pauseNs === null) absent['pauseRatio'] = missing(NAMED_COUNTERS.pauseRatio);
  if (!counted) absent['port'] = missing(NAMED_COUNTERS.port);
  const workers = rigs.flatMap((rig) => rig.workers);
  // Counters go on to the sample after the last message of a counted run.
  const sampledNs = after.timeNs - before.timeNs;
  const busy = workers.map((worker, place) =>
    worker.host === name ? (after.busyNs[place] - before.busyNs[place]) / measuredNs : 0,
  );
  return {
    name,
    device: context.deviceName,
    pauseRatio: facts.pauseNs === null ? null : facts.pauseNs / sampledNs,
    pausedRatio: facts.pausedNs === null ? null : facts.pausedNs / sampledNs,
    port: counted
      ? {
          txGbps: (txBytes * 8) / measuredNs,
          rxGbps: (rxBytes * 8) / measuredNs,
          txPacketsPerSecond: (txPackets * 1e9) / measuredNs,
          rxPacketsPerSecond: (rxPackets * 1e9) / measuredNs,
        }
      : null,
    busyShare: Math.min(1, Math.max(0, ...busy)),
    dropped: facts.dropped,
    counters: increases(earlier, later),
    absent,
  };
}

function seriesOf({ sampler, testbed, rigs }: Findings): MeasurementSeries {
  const { samples } = sampler;
  const last = samples[samples.length - 1];
  const tenants: MeasurementSeries['tenants'] = {};
  for (const { tenant } of rigs) {
    const own = sampler.lanes.flatMap((lane, index) => (lane.tenant === tenant.name ? [index] : []));
    const goodputGbps = sampler.perSlice(0, (before, after) => {
      const bytes = own.reduce((sum, lane) => sum + after.lanes[lane].bytes - before.lanes[lane].bytes, 0);
      return (bytes * 8) / (after.timeNs - before.timeNs);
    });
    tenants[tenant.name] = { goodputGbps };
  }
  const hosts: MeasurementSeries['hosts'] = {};
  for (const [index, { name }] of testbed.hosts.entries()) {
    const counters: Record<string, number[]> = {};
    const reader = sampler.readers[index];
    const grown = increases(
      reader.valuesOf(samples[0].counters[index]),
      reader.valuesOf(last.counters[index]),
    );
    for (const counter of Object.keys(grown)) {
      // A counter that never moved has nothing to show over time.
      if (grown[counter] === 0) continue;
      const place = reader.names.indexOf(counter);
      counters[counter] = sampler.perSlice(
        0,
        (before, after) => (after.counters[index][place] ?? 0) - (before.counters[index][place] ?? 0),
      );
    }
    const counted = sampler.pauseRatio(samples[0], last, index) !== null;
    hosts[name] = {
      pauseRatio: counted
        ? sampler.perSlice(0, (before, after) => sampler.pauseRatio(before, after, index) ?? 0)
        : null,
      counters,
    };
  }
  return { timeNs: samples.slice(1).map((sample) => sample.timeNs), tenants, hosts };
}

function ratesOf(parts: readonly Delivered[], measuredNs: number): Rates {
  const sum = nothingDelivered();
  for (const part of parts) {
    sum.messages += part.messages;
    sum.bytes += part.bytes;
    sum.packets += part.packets;
    sum.l2Bytes += part.l2Bytes;
  }
  return {
    goodputGbps: (sum.bytes * 8) / measuredNs,
    wireGbps: (sum.l2Bytes * 8) / measuredNs,
    messagesPerSecond: (sum.messages * 1e9) / measuredNs,
    packetsPerSecond: (sum.packets * 1e9) / measuredNs,
  };
}

function difference(before: Delivered, after: Delivered): Delivered {
  return {
    messages: after.messages - before.messages,
    bytes: after.bytes - before.bytes,
    packets: after.packets - before.packets,
    l2Bytes: after.l2Bytes - before.l2Bytes,
  };
}

function sumOf(record: Readonly<Record<string, number>>): number {
  return Object.values(record).reduce((sum, value) => sum + value, 0);
}
