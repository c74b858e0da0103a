import type { Endpoint } from '../endpoint.js';
import { PacketFlag } from '../packet/packet-pool.js';
import { psnAdd, psnDiff, psnDistance } from '../packet/psn.js';
import { RoundTrips } from './round-trips.js';

/**
 * The READ data of a queue pair under selective repeat. A responder sends it as a requester sends WRITEs, within a window
 * that acknowledgements of the data move (SRNIC, NSDI 2023, §4.4.1; IRN, SIGCOMM 2018, §5.2). Packets of READ data have
 * numbers of their own, one after the other whatever PSNs they answer, so that data that is sent again has a new number. An
 * acknowledgement says how far numbers have come: what lies before and is missing is lost, and no longer in flight.
 *
 * What is missing the requester asks for again, by PSN. Where nothing comes to be acknowledged that also opens the window.
 */
export class ReadFlow {
  /** An acknowledgement of READ data that arrived here is to be sent. */
  ackDue = false;
  private readonly endpoint: Endpoint;
  private readonly widestPackets: number;
  private readonly ackRequestInterval: number;
  private readonly echoMarks: boolean;
  /** As responder: the number of the next packet, and one past those that are not in flight any more; 24 bits. */
  private nextNumber = 0;
  private settledNumber = 0;
  private sinceAckRequest = 0;
  private echoedMarks = 0;
  private roundTrips: RoundTrips | null = null;
  /** As requester: one past the highest number that arrived, and how many packets came marked, 16 bits. */
  private awaitedNumber = 0;
  private marks = 0;

  constructor(endpoint: Endpoint, windowPackets: number) {
    const { maxOutstandingPackets, ackRequestInterval, echoMarks } = endpoint.context.options;
    this.endpoint = endpoint;
    this.widestPackets = Math.min(windowPackets, maxOutstandingPackets);
    this.ackRequestInterval = ackRequestInterval;
    this.echoMarks = echoMarks;
  }

  /** A connection begins or ends. */
  forget(): void {
    this.ackDue = false;
    this.nextNumber = 0;
    this.settledNumber = 0;
    this.sinceAckRequest = 0;
    this.echoedMarks = 0;
    this.roundTrips?.forget();
    this.awaitedNumber = 0;
    this.marks = 0;
  }

  /** Packets of READ data that were sent and not acknowledged. */
  get inFlight(): number {
    return psnDistance(this.nextNumber, this.settledNumber);
  }

  /** Whether the window lets a packet of READ data go. */
  get hasRoom(): boolean {
    return this.inFlight < Math.min(this.widestPackets, this.endpoint.congestion.windowPackets);
  }

  /** Responder: numbers a packet of READ data that leaves, and asks for an acknowledgement where one is due. */
  send(packet: number, last: boolean, nowPs: number): void {
    const { packets } = this.endpoint.context;
    packets.needPlacement();
    packets.placementWords[2 * packet] = 0;
    const number = this.nextNumber;
    packets.placementWords[2 * packet + 1] = number;
    this.nextNumber = psnAdd(number, 1);
    const { congestion } = this.endpoint;
    const interval = Math.min(this.ackRequestInterval, congestion.ackPackets);
    if (last || ++this.sinceAckRequest >= interval || !this.hasRoom) {
      packets.flags[packet] |= PacketFlag.ACK_REQUEST;
      this.sinceAckRequest = 0;
    }
    congestion.onSend(packets.payloadBytes[packet], nowPs, true);
    if (!congestion.usesRoundTrips || (packets.flags[packet] & PacketFlag.ACK_REQUEST) === 0) return;
    this.roundTrips ??= new RoundTrips();
    this.roundTrips.note(number, nowPs);
  }

  /** Responder: the peer has seen the numbers up to and with that of an acknowledgement. */
  acknowledged(packet: number, nowPs: number): void {
    const { packets } = this.endpoint.context;
    const count = psnDistance(psnAdd(packets.psn[packet], 1), this.settledNumber);
    // Said before, or by the peer of an earlier connection.
    if (count > this.inFlight) return;
    const marks = this.echoMarks ? packets.placementWords[2 * packet + 1] : 0;
    this.settledNumber = psnAdd(this.settledNumber, count);
    const { ackFacts } = this.endpoint.context;
    ackFacts.marked = (marks - this.echoedMarks) & 0xffff;
    ackFacts.roundTripPs = this.roundTrips?.take(psnAdd(this.settledNumber, -1), nowPs) ?? 0;
    this.endpoint.congestion.onAck(count, nowPs, ackFacts);
    this.echoedMarks = marks;
  }

  /** Responder: the peer asks for this many packets again, which are therefore not in flight. */
  lost(count: number): void {
    this.settledNumber = psnAdd(this.settledNumber, Math.min(count, this.inFlight));
  }

  /** Requester: READ data arrived. */
  arrived(packet: number): void {
    const { packets } = this.endpoint.context;
    const flags = packets.flags[packet];
    const next = psnAdd(packets.placementWords[2 * packet + 1], 1);
    if (psnDiff(next, this.awaitedNumber) > 0) this.awaitedNumber = next;
    if (this.echoMarks && (flags & PacketFlag.ECN_CE) !== 0) this.marks = (this.marks + 1) & 0xffff;
    if ((flags & PacketFlag.ACK_REQUEST) !== 0) this.ackDue = true;
  }

  /** Requester: the acknowledgement leaves; its PSN is the last number that arrived. */
  acknowledge(packet: number): void {
    const { packets } = this.endpoint.context;
    this.ackDue = false;
    packets.psn[packet] = psnAdd(this.awaitedNumber, -1);
    packets.needPlacement();
    packets.placementWords[2 * packet] = 0;
    packets.placementWords[2 * packet + 1] = this.marks;
  }
}
