/** What acknowledgements tell beyond what they acknowledge. One object serves a device: it is filled in again and again. */
export class AckFacts {
  /** Packets that arrived marked since the last time, where the peer tells. */
  marked = 0;
  /** How long the newest of the packets was under way, there and back; 0 where that is not known. */
  roundTripPs = 0;
  /** In-band telemetry of its way: `hops` rows in `telemetry` from `telemetryAt` on; see `rates/feedback.ts`. */
  hops = 0;
  telemetry: Int32Array = new Int32Array(0);
  telemetryAt = 0;
}

/**
 * How fast one endpoint may send. Called once a packet: implementations keep to number fields.
 *
 * The receiver's half of ECN (which arrivals cause a CNP) is the device's: see `TransportDevice.ecnMarked`.
 */
export interface CongestionControl {
  readonly name: string;
  /** The next request packet may leave at this time; 0 where nothing holds it. */
  nextSendPs: number;
  /** PSNs that may be unacknowledged; infinity where nothing but the transport limits them. */
  readonly windowPackets: number;
  /** After this many packets an acknowledgement is to be asked for at the latest; infinity: when the transport does. */
  readonly ackPackets: number;
  /** Whether `onAck` is to say how long packets were under way. */
  readonly usesRoundTrips: boolean;
  /**
   * A packet with this many payload bytes left: of a request, or READ data. `counted` if acknowledgements will count it: it
   * had not left before, and something acknowledges it.
   */
  onSend(bytes: number, nowPs: number, counted: boolean): void;
  /** This many PSNs were acknowledged. */
  onAck(packets: number, nowPs: number, facts: AckFacts): void;
  /** A congestion notification arrived. */
  onCnp(nowPs: number): void;
  /** A timeout or a sequence NAK. */
  onLoss(nowPs: number): void;
  /** The endpoint is gone, or has another control. */
  close(): void;
}
