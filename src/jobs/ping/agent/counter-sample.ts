import type { RnicSample } from './monitor.js';

/** Priorities of PFC. */
const PRIORITIES = 8;

/** What the counters of an RNIC stand at. */
export interface RnicCount {
  readonly atNs: number;
  readonly bytes: number;
  readonly pausedUs: number;
  readonly drops: number;
}

/** Takes from the counters of a device what alarms are made of. */
export function countersAt(atNs: number, counters: Readonly<Record<string, number>>): RnicCount {
  let pausedUs = 0;
  for (let priority = 0; priority < PRIORITIES; priority++)
    pausedUs += counters[`tx_prio${priority}_pause_duration`];
  return {
    atNs,
    // What a port carries; loopback, which probes are, is none of it.
    bytes: Math.max(counters['tx_bytes_phy'], counters['rx_bytes_phy']),
    pausedUs,
    drops: counters['rx_discards_phy'],
  };
}

/** What an RNIC did between two readings of its counters. */
export function sampleBetween(rnic: string, before: RnicCount, now: RnicCount, portGbps: number): RnicSample {
  const elapsedNs = now.atNs - before.atNs;
  const share = (value: number) => (elapsedNs > 0 ? value / elapsedNs : 0);
  return {
    rnic,
    loadShare: share((8 * (now.bytes - before.bytes)) / portGbps),
    pauseShare: share(1000 * (now.pausedUs - before.pausedUs)),
    drops: now.drops - before.drops,
  };
}
