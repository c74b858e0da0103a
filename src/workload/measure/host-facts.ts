import { increases, NAMED_COUNTERS, portFacts } from './device-counters.js';
import type { Findings } from './findings.js';
import type { DeviceMeasurement, HostMeasurement, PortRates } from './measurement.js';

/** What one device did in the measured time; `place` is its index among all devices. */
function deviceOf(
  { places, measuredNs, before, after, sampler }: Findings,
  place: number,
): DeviceMeasurement {
  const { name, device } = places.all[place];
  const { context } = device;
  const reader = sampler.readers[place];
  const earlier = reader.valuesOf(before.counters[place]);
  const later = reader.valuesOf(after.counters[place]);
  const facts = portFacts(earlier, later);
  // Counters go on to the sample after the last message of a counted run.
  const sampledNs = after.timeNs - before.timeNs;
  const { txBytes, rxBytes, txPackets, rxPackets } = facts;
  const counted = txBytes !== null && rxBytes !== null && txPackets !== null && rxPackets !== null;
  const absent: Record<string, string> = {};
  const reason = context.capabilities.reasons['packets'];
  const missing = (counter: string) =>
    `${context.deviceName} has no counter ${counter}${reason === undefined ? '' : `: ${reason}`}`;
  if (facts.pauseNs === null) absent['pauseRatio'] = missing(NAMED_COUNTERS.pauseRatio);
  if (!counted) absent['port'] = missing(NAMED_COUNTERS.port);
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
    dropped: facts.dropped,
    counters: increases(earlier, later),
    absent,
  };
}

/** The hosts, each with its devices: its own facts are theirs together. */
export function hostsFrom(findings: Findings): HostMeasurement[] {
  const { places, rigs, before, after, measuredNs } = findings;
  const devices = new Map<string, DeviceMeasurement[]>();
  for (const [index, { host }] of places.all.entries()) {
    const own = devices.get(host) ?? [];
    own.push(deviceOf(findings, index));
    devices.set(host, own);
  }
  const busy = new Map<string, number>();
  for (const [index, { place }] of rigs.flatMap((rig) => rig.workers).entries()) {
    const share = (after.busyNs[index] - before.busyNs[index]) / measuredNs;
    busy.set(place.host, Math.max(busy.get(place.host) ?? 0, share));
  }
  return places.hostNames.map((name) => hostOf(name, devices.get(name)!, busy.get(name) ?? 0));
}

function hostOf(name: string, devices: DeviceMeasurement[], busyShare: number): HostMeasurement {
  const { device, pauseRatio, pausedRatio, port, dropped, counters, absent } =
    devices.length === 1 ? devices[0] : together(devices);
  return {
    name,
    device,
    pauseRatio,
    pausedRatio,
    port,
    busyShare: Math.min(1, busyShare),
    dropped,
    counters,
    absent,
    devices,
  };
}

function together(devices: readonly DeviceMeasurement[]): Omit<DeviceMeasurement, 'name'> {
  const ports = devices.flatMap(({ port }) => (port === null ? [] : [port]));
  return {
    device: devices[0].device,
    pauseRatio: most(devices.map(({ pauseRatio }) => pauseRatio)),
    pausedRatio: most(devices.map(({ pausedRatio }) => pausedRatio)),
    port: ports.length < devices.length ? null : ports.reduce(addPorts),
    dropped: addAll(devices.map(({ dropped }) => dropped)),
    counters: addAll(devices.map(({ counters }) => counters)),
    absent: Object.assign({}, ...devices.map(({ absent }) => absent)),
  };
}

function most(ratios: readonly (number | null)[]): number | null {
  const known = ratios.filter((ratio) => ratio !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function addPorts(one: PortRates, other: PortRates): PortRates {
  return {
    txGbps: one.txGbps + other.txGbps,
    rxGbps: one.rxGbps + other.rxGbps,
    txPacketsPerSecond: one.txPacketsPerSecond + other.txPacketsPerSecond,
    rxPacketsPerSecond: one.rxPacketsPerSecond + other.rxPacketsPerSecond,
  };
}

function addAll(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const record of records)
    for (const [name, value] of Object.entries(record)) sums[name] = (sums[name] ?? 0) + value;
  return sums;
}
