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
  /** A request packet left with so many payload bytes. */
  onSend(bytes: number, nowPs: number): void;
  /** So many PSNs were acknowledged, and so many packets arrived marked since the last time, where the peer tells. */
  onAck(packets: number, nowPs: number, marked: number): void;
  /** A congestion notification arrived. */
  onCnp(nowPs: number): void;
  /** A timeout or a sequence NAK. */
  onLoss(nowPs: number): void;
}
