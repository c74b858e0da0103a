import { VERSION } from '../../version.js';
import { type Delivered, nothingDelivered } from '../description/message-plan.js';
import type { Place } from '../program/places.js';
import type { TenantRig } from '../program/rig.js';
import type { Findings } from './findings.js';
import { hostsFrom } from './host-facts.js';
import { littleNs } from './latency-log.js';
import { heldAgainstLittle, type LatencySummary } from './latency-summary.js';
import { limitsOf } from './limits.js';
import type { DirectionRates, Measurement, Rates, TenantMeasurement } from './measurement.js';
import { seriesOf } from './series.js';
import { judge } from './verdict.js';
import { boundsOf, verdictFacts } from './verdict-facts.js';

/** Puts the Measurement together. */
export function assemble(findings: Findings): Measurement {
  const { testbed, sampler, rigs } = findings;
  const deltas = sampler.lanes.map((_, index) =>
    difference(findings.before.lanes[index], findings.after.lanes[index]),
  );
  const lanesOf = (wanted: (index: number) => boolean) => deltas.filter((_, index) => wanted(index));
  const rates = (parts: readonly Delivered[]) => ratesOf(parts, findings.measuredNs);
  const directions = directionsOf(findings, deltas, () => true);
  const tenants = rigs.map((rig, place): TenantMeasurement => {
    const own = (index: number) => sampler.lanes[index].tenant === rig.tenant.name;
    return {
      name: rig.tenant.name,
      ...rates(lanesOf(own)),
      directions: directionsOf(findings, deltas, own),
      latencyNs: latencyOf(findings, rig, place),
      failures: Object.fromEntries([...rig.failures].sort()),
    };
  });
  const hosts = hostsFrom(findings);
  const facts = verdictFacts(findings, directions, hosts, tenants);
  const verdict = judge(facts, boundsOf(findings));
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
    verdict,
    limits: limitsOf(findings, hosts, facts, verdict),
    notes: [...testbed.notes, ...rigs.flatMap((rig) => rig.notes), ...findings.notes],
    series: seriesOf(findings),
    simulatedNs: findings.endNs - findings.startNs,
    events: testbed.events(),
    wallSeconds: findings.wallSeconds,
  };
}

/** Latency of the requests that were posted within the measured time, held against Little's law over the same time. */
function latencyOf(
  { before, after, startNs, endNs }: Findings,
  rig: TenantRig,
  place: number,
): LatencySummary | null {
  const waiting = rig.senders.flatMap(({ sender }) => sender.followedSince());
  const summary = rig.latency.summarize(startNs + before.timeNs, startNs + after.timeNs, waiting, endNs);
  return summary === null
    ? null
    : heldAgainstLittle(summary, littleNs(before.inFlight[place], after.inFlight[place]));
}

function directionsOf(
  findings: Findings,
  deltas: readonly Delivered[],
  wanted: (index: number) => boolean,
): DirectionRates[] {
  const byWay = new Map<string, { from: Place; to: Place; parts: Delivered[] }>();
  for (const [index, { from, to, sinks }] of findings.sampler.lanes.entries()) {
    // A way back that nothing travels is not a direction.
    if (!wanted(index) || (sinks.length === 0 && deltas[index].messages === 0)) continue;
    const key = `${from.name} ${to.name}`;
    const way = byWay.get(key) ?? { from, to, parts: [] };
    way.parts.push(deltas[index]);
    byWay.set(key, way);
  }
  return [...byWay.values()].map(({ from, to, parts }) => ({
    from: from.name,
    to: to.name,
    ...ratesOf(parts, findings.measuredNs),
  }));
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
