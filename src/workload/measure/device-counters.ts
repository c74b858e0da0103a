/** Counters of one host at one moment, by the device's own names. */
export type CounterValues = Readonly<Record<string, number>>;

/** What a port carried and lost in a stretch of time; null where the device has no counter for it. */
export interface PortFacts {
  txBytes: number | null;
  rxBytes: number | null;
  txPackets: number | null;
  rxPackets: number | null;
  /** Packets that the device dropped, by counter. */
  dropped: Readonly<Record<string, number>>;
  /** Nanoseconds in which the device told its peer to pause, on the priority that paused longest. */
  pauseNs: number | null;
  /** Nanoseconds in which the peer told the device to pause, on the priority that was paused longest. */
  pausedNs: number | null;
}

/** The names that devices give to one fact, best first, with what one count is worth. */
type Names = readonly (readonly [name: string, unit: number])[];

// mlx5's names: ethtool's vport and phy counters, then the port counters of InfiniBand, which count words of four bytes.
const TX_BYTES: Names = [
  ['tx_vport_rdma_unicast_bytes', 1],
  ['tx_bytes_phy', 1],
  ['port_xmit_data', 4],
];
const RX_BYTES: Names = [
  ['rx_vport_rdma_unicast_bytes', 1],
  ['rx_bytes_phy', 1],
  ['port_rcv_data', 4],
];
const TX_PACKETS: Names = [
  ['tx_vport_rdma_unicast_packets', 1],
  ['tx_packets_phy', 1],
  ['port_xmit_packets', 1],
];
const RX_PACKETS: Names = [
  ['rx_vport_rdma_unicast_packets', 1],
  ['rx_packets_phy', 1],
  ['port_rcv_packets', 1],
];
/** Microseconds in mlx5; a simulated device may give fractions of one. */
const PAUSE = /^tx_(prio\d|global)_pause_duration$/;
const PAUSED = /^rx_(prio\d|global)_pause_duration$/;
/** Packets that found no receive posted: the program's, not the device's. */
export const NO_RECEIVE = 'out_of_buffer';
/** Picoseconds for which send queues waited for receives of their peers, summed over them. */
export const RECEIVE_WAITS = 'rnr_waited_ps';
/** Picoseconds for which an arrival without a receive held all others. */
export const HELD = 'rnr_held_ps';
/** How long cores waited for a device to take their doorbells. */
export const DOORBELL_STALLS = 'doorbell_stalled_ps';
/** Packets that arrived and were of no use: out of order, or there already. */
export const REFUSED: readonly string[] = ['out_of_sequence', 'duplicate_request'];
/** Packets that fit no message, since one before them is missing: dropped, but not for want of anything here. */
export const MISFITS = 'dropped_packets';
/** WQEs that a device reads again are no packets. */
const DROPPED = /^(?!.*wqe).*(^|_)(discards?|drop(s|ped)?|out_of_buffer)(_|$)/;

/** The facts that a Measurement names when a device does not count them, and the counter they would come from. */
export const NAMED_COUNTERS: Readonly<Record<'pauseRatio' | 'port', string>> = {
  pauseRatio: 'tx_prio<n>_pause_duration',
  port: 'tx_vport_rdma_unicast_bytes and its kin',
};

/** What a port did between two readings of its counters. */
export function portFacts(before: CounterValues, after: CounterValues): PortFacts {
  const dropped: Record<string, number> = {};
  let pauseNs: number | null = null;
  let pausedNs: number | null = null;
  for (const name of Object.keys(after)) {
    if (DROPPED.test(name)) dropped[name] = increase(before, after, name);
    if (PAUSE.test(name)) pauseNs = Math.max(pauseNs ?? 0, increase(before, after, name) * 1000);
    if (PAUSED.test(name)) pausedNs = Math.max(pausedNs ?? 0, increase(before, after, name) * 1000);
  }
  return {
    txBytes: firstOf(TX_BYTES, before, after),
    rxBytes: firstOf(RX_BYTES, before, after),
    txPackets: firstOf(TX_PACKETS, before, after),
    rxPackets: firstOf(RX_PACKETS, before, after),
    dropped,
    pauseNs,
    pausedNs,
  };
}

/** The places in a list of names of the counters that say how long the device told its peer to pause. */
export function pausePlaces(names: readonly string[]): number[] {
  return names.flatMap((name, place) => (PAUSE.test(name) ? [place] : []));
}

/** How much one counter grew. */
export function increase(before: CounterValues, after: CounterValues, name: string): number {
  return (after[name] ?? 0) - (before[name] ?? 0);
}

/** How much each counter grew, by name in alphabetical order. */
export function increases(before: CounterValues, after: CounterValues): Record<string, number> {
  return Object.fromEntries(
    Object.keys(after)
      .sort()
      .map((name) => [name, increase(before, after, name)]),
  );
}

function firstOf(names: Names, before: CounterValues, after: CounterValues): number | null {
  for (const [name, unit] of names) if (name in after) return increase(before, after, name) * unit;
  return null;
}
