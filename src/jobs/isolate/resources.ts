import type { Measurement } from '../../workload/index.js';

/** What the parts of a device can do, from its profile: with it counters become shares of what there is. */
export interface ResourceBounds {
  lineRateGbps: number;
  pcieGbps: number;
  /** Least time between two packets of the whole device. */
  deviceMessageGapNs: number;
  contextMissNs: number;
  translationMissNs: number;
  contextMissSlots: number;
  receiveWqeMissNs: number;
  receiveWqeMissSlots: number;
}

/** A part of a device that tenants contend for. */
export type Resource =
  | 'error handling'
  | 'control verbs'
  | 'receive engine'
  | 'processing units'
  | 'context cache'
  | 'translation cache'
  | 'receive WQE cache'
  | 'PCIe to the device'
  | 'PCIe to the host'
  | 'port';

/** How much of each part is in use, 0 to 1, on the device where it is used most. */
export type ResourceUse = Readonly<Partial<Record<Resource, number>>>;

/** Preamble and gap of a frame. */
const GAP_BYTES = 20;

/** Reads the use of each resource from a measurement's counters; a provider without counters gives none. */
export function resourceUse(measurement: Measurement, bounds: ResourceBounds): ResourceUse {
  const { measuredNs } = measurement.steadyState;
  const use: Partial<Record<Resource, number>> = {};
  const { series } = measurement;
  for (const { name: device, counters } of measurement.hosts.flatMap(({ devices }) => devices)) {
    const value = (name: string) => counters[name] ?? 0;
    const gbps = (bytes: number) => (bytes * 8) / measuredNs;
    const slotsPs = bounds.contextMissSlots * measuredNs * 1000;
    // A hold of one function is counted when it begins, which may be before the window.
    const stalled = (series.devices ?? series.hosts)[device]?.counters['engine_stalled_ps'] ?? [];
    const stalledPs = stalled.reduce((sum, each) => sum + each, 0);
    const wire = value('tx_bytes_phy') + value('tx_packets_phy') * GAP_BYTES;
    const received = value('rx_bytes_phy') + value('rx_packets_phy') * GAP_BYTES;
    const shares: Readonly<Record<Resource, number>> = {
      'error handling': stalledPs / (measurement.simulatedNs * 1000),
      'control verbs': value('scheduler_held_ps') / (measuredNs * 1000),
      'receive engine': value('engine_busy_ps') / (measuredNs * 1000),
      'processing units': (value('tx_packets_phy') * bounds.deviceMessageGapNs) / measuredNs,
      'context cache': (value('icm_cache_miss') * bounds.contextMissNs * 1000) / slotsPs,
      'translation cache': (value('mtt_cache_miss') * bounds.translationMissNs * 1000) / slotsPs,
      'receive WQE cache':
        (value('receive_wqe_cache_miss') * bounds.receiveWqeMissNs) /
        (bounds.receiveWqeMissSlots * measuredNs),
      'PCIe to the device': gbps(value('pcie_inbound_bytes')) / bounds.pcieGbps,
      'PCIe to the host': gbps(value('pcie_outbound_bytes')) / bounds.pcieGbps,
      port: gbps(Math.max(wire, received)) / bounds.lineRateGbps,
    };
    for (const [name, share] of Object.entries(shares) as [Resource, number][])
      use[name] = Math.max(use[name] ?? 0, Math.min(1, share));
  }
  return use;
}

/** Use above which a resource counts as exhausted rather than used. */
const EXHAUSTED = 0.85;
/** Standing still is exhaustion at any length that can be seen. */
const STANDSTILL = 0.1;

/** The resource that the pair exhausted and the victim alone did not; the most used one where none stands out. */
export function exhausted(alone: ResourceUse, together: ResourceUse): Resource | null {
  for (const name of ['error handling', 'control verbs'] as const)
    if ((together[name] ?? 0) > STANDSTILL && (together[name] ?? 0) > (alone[name] ?? 0)) return name;
  const ranked = (Object.entries(together) as [Resource, number][])
    .filter(([name]) => name !== 'error handling' && name !== 'control verbs')
    .map(([name, share]) => ({ name, share, more: share - (alone[name] ?? 0) }));
  const full = ranked.filter(({ share }) => share >= EXHAUSTED).sort((one, other) => other.more - one.more);
  if (full.length > 0) return full[0].name;
  const [most] = ranked.sort((one, other) => other.share - one.share);
  return most?.name ?? null;
}
