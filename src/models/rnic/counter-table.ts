import { PRIORITIES } from '../fabric/cable-side.js';
import type { Rnic } from './rnic.js';
import { RnicCounters } from './rnic-counters.js';

/** A counter that software can read: its name, and where its value stands. */
export interface CounterEntry {
  readonly name: string;
  readonly read: (nic: Rnic) => number;
}

const entry = (name: string, read: (nic: Rnic) => number): CounterEntry => ({ name, read });

/** Pause durations are in microseconds, as ethtool shows them. */
function pauseDurations(priority: number): CounterEntry[] {
  return [
    entry(`tx_prio${priority}_pause_duration`, (nic) => nic.port.buffer.pauseAssertedPs(priority) / 1e6),
    entry(`rx_prio${priority}_pause_duration`, (nic) => nic.port.pausedPs(priority) / 1e6),
  ];
}

/** Time that send queues waited because the peer had no receive posted, summed over them. */
function rnrWaitedPs({ pairs, simulation }: Rnic): number {
  const { now } = simulation;
  let sum = 0;
  for (let index = 0; index < pairs.length; index++) sum += pairs[index].endpoint.rnrWaitedPs(now);
  return sum;
}

/** Every counter of a device but the transport's. */
export const counterTable: readonly CounterEntry[] = [
  ...(Object.keys(new RnicCounters()) as (keyof RnicCounters)[]).map((name) =>
    name === 'engine_stalled_ps'
      ? entry(name, (nic) => nic.counters[name] + nic.receivePath.rnrHeldPs)
      : entry(name, (nic) => nic.counters[name]),
  ),
  entry('rnr_waited_ps', rnrWaitedPs),
  entry('rnr_held_ps', (nic) => nic.receivePath.rnrHeldPs),
  ...Array.from({ length: PRIORITIES }, (_, priority) => pauseDurations(priority)).flat(),
  entry('tx_pause_ctrl_phy', (nic) => nic.port.buffer.pauseFrames),
  entry('rx_discards_phy', (nic) => nic.port.buffer.drops),
  entry('rx_buffer_high_water_bytes', (nic) => nic.port.buffer.highWaterBytes),
  entry('pcie_read_stalled_ps', (nic) => nic.pcie.readStallPs),
  entry('pcie_internal_back_pressure_ps', (nic) => nic.pcie.writeStallPs),
  entry('pcie_read_stalled_ordering', (nic) => nic.pcie.orderingTurns),
  entry('pcie_ordering_turned_ps', (nic) => nic.pcie.orderingTurnedPs),
  entry('pcie_ordering_used_ps', (nic) => nic.pcie.orderingUsedPs),
  entry('pcie_payload_reads', (nic) => nic.pcie.payloadReads),
  entry('pcie_payload_read_ps', (nic) => nic.pcie.payloadReadPs),
  entry('pcie_outbound_bytes', (nic) => nic.pcie.upBytes),
  entry('pcie_inbound_bytes', (nic) => nic.pcie.downBytes),
];
