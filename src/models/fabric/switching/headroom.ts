/** Light in fibre. */
const METRES_PER_SECOND = 1.98e8;
/** Pause quanta by which a peer answers at the latest, by Gb/s (SONiC's calculation for Mellanox platforms). */
const PEER_QUANTA: readonly (readonly [gbps: number, quanta: number])[] = [
  [0.1, 1],
  [1, 2],
  [10, 67],
  [25, 80],
  [40, 118],
  [50, 147],
  [100, 394],
  [200, 453],
  [400, 905],
  [800, 905],
];
const BYTES_PER_QUANTUM = 64;
/** What is on its way in MAC and PHY: 0.8 KiB. */
const MAC_PHY_BYTES = 819.2;
const LEAST_PACKET_BYTES = 64;
const KIB = 1024;

/** What the headroom of a port depends on. */
export interface HeadroomTerms {
  readonly gbps: number;
  readonly metres: number;
  /** The largest frame of any class that may be under way. */
  readonly portMtuBytes: number;
  readonly losslessMtuBytes: number;
  readonly cellBytes: number;
  /** Delay of a gearbox in the port, in bytes; 0 for none. */
  readonly gearboxBytes: number;
}

/** A headroom and what it consists of. */
export interface Headroom {
  /** Rounded up to a KiB: SONiC's `xoff`. */
  readonly xoffBytes: number;
  /** Both ways of the cable. */
  readonly cableBytes: number;
  /** What the peer still sends until it obeys. */
  readonly peerBytes: number;
  readonly macPhyBytes: number;
  /** Bytes of memory per byte of small packets. */
  readonly cellFactor: number;
}

/** SONiC's own values where a user gives none. */
export const HEADROOM_DEFAULTS = {
  portMtuBytes: 9100,
  losslessMtuBytes: 1024,
  cellBytes: 144,
  gearboxBytes: 0,
};

/** The rates that a peer's answer is known for. */
export const headroomRates: readonly number[] = PEER_QUANTA.map(([gbps]) => gbps);

/**
 * The headroom that a lossless queue needs so that nothing is lost between its pause and the last packet that the peer
 * had sent, as SONiC computes it: all packets may be small and leave the rest of their last cell empty. Null for a rate
 * whose peers' answer is not known.
 */
export function headroomOf(terms: HeadroomTerms): Headroom | null {
  const { gbps, metres, portMtuBytes, losslessMtuBytes, cellBytes, gearboxBytes } = terms;
  const quanta = PEER_QUANTA.find(([rate]) => rate === gbps)?.[1];
  if (quanta === undefined) return null;
  const cableBytes = (2 * metres * gbps * 1e9) / (METRES_PER_SECOND * 8);
  const peerBytes = quanta * BYTES_PER_QUANTUM;
  const cellFactor =
    cellBytes > 2 * LEAST_PACKET_BYTES ? cellBytes / LEAST_PACKET_BYTES : (2 * cellBytes) / (1 + cellBytes);
  const propagation = portMtuBytes + cableBytes + 2 * gearboxBytes + MAC_PHY_BYTES + peerBytes;
  const xoffBytes = Math.ceil((losslessMtuBytes + propagation * cellFactor) / KIB) * KIB;
  return { xoffBytes, cableBytes, peerBytes, macPhyBytes: MAC_PHY_BYTES, cellFactor };
}
