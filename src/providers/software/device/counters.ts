import type { Link } from '../../../link/index.js';
import { TransportCounters } from '../../../transport/index.js';

/** What a software device counts beside its transport and its link. */
export class DeviceCounters extends TransportCounters {
  tx_packets = 0;
  rx_packets = 0;
  /** Payload bytes of packets that a queue pair sent or took. */
  tx_payload_bytes = 0;
  rx_payload_bytes = 0;
  /** Packets whose headers do not hold. */
  rx_malformed = 0;
  /** Packets for a queue pair that is not there. */
  rx_unknown_qp = 0;
  /** Packets for a connected queue pair that came from another address than its peer's. */
  rx_stranger = 0;
  rx_bad_partition_key = 0;
  rx_bad_icrc = 0;
  /** Messages of connection management for which there was no room. */
  cm_dropped = 0;
  /** Exceptions of the program's own code that a management datagram or a timer led to. */
  cm_faults = 0;
  /** Congestion notifications sent. */
  np_cnp_sent = 0;
}

/** All counters of a device by name. */
export function countersOf(device: DeviceCounters, link: Link): Readonly<Record<string, number>> {
  return { ...device, ...link.counters() };
}
