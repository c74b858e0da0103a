/**
 * What an acknowledgement tells a sender. One object serves all acknowledgements of a NIC: it is filled in, handed over
 * and filled in again, so that nothing is allocated per packet.
 */
export class Feedback {
  /** When the acknowledgement arrived. */
  nowNs = 0;
  /** How long its packet was under way, there and back. */
  rttNs = 0;
  /** Everything below this offset has arrived. */
  ackedBytes = 0;
  /** The next offset that the sender will send. */
  nextBytes = 0;
  /** Whether the packet was marked: congestion experienced, and a CNP for DCQCN. */
  marked = false;
  /** In-band telemetry: `hops` rows of `HOP_WORDS` in `telemetry`, from `telemetryAt` on. */
  hops = 0;
  telemetry: Int32Array = new Int32Array(0);
  telemetryAt = 0;
}

/** The words of one hop's telemetry. */
export const HOP_WORDS = 4;
/** When the packet left the hop: nanoseconds, cut to the width of the header's field. */
export const HOP_TIME = 0;
/** Bytes that the port had sent before it, in the header's units and cut to its width. */
export const HOP_BYTES = 1;
/** Bytes queued at the port behind it, in the header's units. */
export const HOP_QUEUE = 2;
/** The port's rate. */
export const HOP_MBPS = 3;

/** How telemetry is put into a header: units and widths of its fields. */
export interface TelemetryFormat {
  readonly timeBits: number;
  readonly byteUnit: number;
  readonly byteBits: number;
  readonly queueUnit: number;
  readonly queueBits: number;
  /** Hops that a header has room for; a longer way leaves the sender without telemetry. */
  readonly maxHops: number;
  /** Rates of ports that the header has a code for; any other reads as the first. Unless set it carries every rate. */
  readonly codedBps?: readonly number[];
}

/** The rate of a port as a header has it. */
export function telemetryBps({ codedBps }: TelemetryFormat, rateBps: number): number {
  return codedBps === undefined || codedBps.includes(rateBps) ? rateBps : codedBps[0];
}

/**
 * The header of HPCC (Li et al., SIGCOMM 2019, §4.1) as its simulator has it: 64 bits per hop. `multiple` stretches the
 * units for fast ports.
 */
export function hpccHeader(multiple: number): TelemetryFormat {
  return {
    timeBits: 24,
    byteUnit: 128 * multiple,
    byteBits: 20,
    queueUnit: 80 * multiple,
    queueBits: 17,
    maxHops: 5,
  };
}
