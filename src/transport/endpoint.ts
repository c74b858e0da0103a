import { NO_SLOT } from '../verbs/base/codes.js';
import type { MemoryTable } from '../verbs/base/memory/memory-table.js';
import type { WqePool } from '../verbs/base/queues/wqe-pool.js';
import type { QpState, QpType } from '../verbs/queue-pair.js';
import { OPCODE } from '../wire/ib/opcode.js';
import type { EndpointAttributes } from './attributes.js';
import type { AckFacts, CongestionControl } from './congestion/congestion-control.js';
import type { TransportOptions } from './options.js';
import { PacketFlag, type PacketPool } from './packet/packet-pool.js';
import type { ResponsePool } from './rc/response-queue.js';
import type { ReceiveResult, TransportDevice } from './transport-device.js';

/** What all endpoints of a device share. */
export interface TransportContext {
  readonly packets: PacketPool;
  readonly wqes: WqePool;
  readonly memory: MemoryTable;
  readonly device: TransportDevice;
  /** A device may set others while it runs. */
  options: TransportOptions;
  /** The object that `completeReceive` is called with. */
  readonly receiveResult: ReceiveResult;
  /** RC: the responses that wait to be sent. */
  readonly responses: ResponsePool;
  /** The object that congestion controls are told of acknowledgements with. */
  readonly ackFacts: AckFacts;
}

/** What distinguishes an endpoint. */
export interface EndpointInit {
  readonly qpn: number;
  /** The number of the protection domain in the memory table. */
  readonly pd: number;
  readonly attributes: EndpointAttributes;
  readonly congestion: CongestionControl;
}

/** The request packets of a queue pair, as a device pulls them. */
export interface RequestStream {
  /** The device may have send requests at hand that `takeSend` did not give before. */
  allowSends(): void;
  /**
   * Whether a request packet may leave now: window, fence, limits, RNR wait, credits and pacing considered. May
   * take the next send request from the device.
   */
  canRequest(nowPs: number): boolean;
  /**
   * Whether a request packet could leave now, were a send request at hand: what `canRequest` considers of the window, waits
   * and pacing. For a device that fetches requests only when they may be sent; after false `requestReady` says when to ask.
   */
  hasRoom(nowPs: number): boolean;
  /**
   * The send request of the packet that `emitRequest` would give. Only after `canRequest` answered true. On UC and UD
   * the request ends with its last packet, inside `emitRequest`: read what is needed of it (a datagram's way) before.
   */
  nextRequestWqe(): number;
  /** Payload bytes of that packet. */
  nextRequestBytes(): number;
  /** Where in the request's message that payload begins. */
  nextRequestOffset(): number;
  /** Whether that packet is the first of its message, or a READ or atomic request. */
  nextRequestStartsMessage(): boolean;
  /** Whether that packet was sent before. */
  nextRequestRepeats(): boolean;
  /**
   * The send request this many behind that packet's that is to be sent again as well; NO_SLOT past the last one. A packet
   * that is sent again by itself has none behind it.
   */
  takenRequest(behind: number): number;
  /** Fills a packet. False where the request failed instead (a local key): then there is nothing to send. */
  emitRequest(packet: number, nowPs: number): boolean;
  /** Time up to now in which requests waited because the peer had no receive posted; only RC waits for that. */
  rnrWaitedPs(nowPs: number): number;
}

/** The response packets of a queue pair, as a device pulls them. */
export interface ResponseStream {
  /** Whether a response may leave now: READ data waits for window and pacing; `responseReady` says when to ask again. */
  canRespond(nowPs: number): boolean;
  /** Whether the next response carries READ data, which the device must fetch. */
  nextResponseIsRead(): boolean;
  /** Payload bytes of the next response. */
  nextResponseBytes(): number;
  /** Fills a packet with the next response. */
  emitResponse(packet: number, nowPs: number): void;
  /** Fills a packet with a congestion notification, for the peer unless another queue pair is named (annex A17.9.3). */
  emitCnp(packet: number, destQpn?: number): void;
}

/** Where a device hands the packets of a queue pair that arrived. */
export interface PacketSink {
  /** Processes an arrived packet. The caller has checked destination, source address and partition, and frees it. */
  onPacket(packet: number, nowPs: number): void;
  /** The device had to drop an arrived request. One that the peer will not miss by itself is reported to it. */
  onDropped(packet: number): void;
}

/**
 * The transport of one queue pair: a state machine that knows packets, work requests and memory rights, and neither
 * clocks nor wires. Times are picoseconds on the device's clock and never go back.
 *
 * Sending is a pull: the device decides *when* a packet leaves, the endpoint decides *what* it is. There are two
 * streams, requests and responses, and the device chooses between them.
 *
 * After `canRequest` answered false the device's `requestReady` says when to ask again; a device that stops asking for
 * reasons of its own must remember by itself.
 *
 * @example
 * while (endpoint.canRequest(nowPs)) {
 *   const packet = packets.take();
 *   if (endpoint.emitRequest(packet, nowPs)) send(packet);
 *   else packets.free(packet);
 * }
 */
export abstract class Endpoint implements RequestStream, ResponseStream, PacketSink {
  abstract readonly type: QpType;
  readonly context: TransportContext;
  readonly qpn: number;
  readonly pd: number;
  readonly attributes: EndpointAttributes;
  congestion: CongestionControl;
  state: QpState = 'RESET';
  /** The device's own: an index into its records. */
  tag = 0;
  /** Whether COMM_EST was raised since the state changed. */
  protected established = false;

  constructor(context: TransportContext, init: EndpointInit) {
    this.context = context;
    this.qpn = init.qpn;
    this.pd = init.pd;
    this.attributes = init.attributes;
    this.congestion = init.congestion;
  }

  abstract allowSends(): void;
  abstract canRequest(nowPs: number): boolean;
  abstract hasRoom(nowPs: number): boolean;
  abstract nextRequestWqe(): number;
  abstract nextRequestBytes(): number;
  abstract nextRequestOffset(): number;
  abstract nextRequestStartsMessage(): boolean;
  nextRequestRepeats(): boolean {
    return false;
  }
  takenRequest(_behind: number): number {
    return NO_SLOT;
  }
  abstract emitRequest(packet: number, nowPs: number): boolean;
  rnrWaitedPs(_nowPs: number): number {
    return 0;
  }

  abstract canRespond(nowPs: number): boolean;
  abstract nextResponseIsRead(): boolean;
  abstract nextResponseBytes(): number;
  abstract emitResponse(packet: number, nowPs: number): void;

  abstract onPacket(packet: number, nowPs: number): void;
  onDropped(_packet: number): void {}

  /** The timer that was set has come. Being called early or for a timer that was cleared does no harm. */
  abstract onTimer(nowPs: number): void;
  /** The state or the attributes changed, by the verbs or by a failure. Call it before the queues are flushed. */
  abstract modified(state: QpState): void;

  /** Counts congestion marks and notifications of an arrived packet; true where it was a notification and is done. */
  protected noteCongestion(packet: number, nowPs: number): boolean {
    const { packets, device } = this.context;
    if ((packets.flags[packet] & PacketFlag.ECN_CE) !== 0) {
      device.counters.np_ecn_marked_roce_packets++;
      // A notification is not notified of in turn.
      if (packets.opcode[packet] !== OPCODE.CNP) device.ecnMarked(this, packet, nowPs);
    }
    if (packets.opcode[packet] !== OPCODE.CNP) return false;
    device.counters.rp_cnp_handled++;
    this.congestion.onCnp(nowPs);
    return true;
  }

  /** The first request of a connection that is still in RTR: the peer is up (11.6.3.2). */
  protected establish(): void {
    if (this.established) return;
    this.established = true;
    this.context.device.raise(this, 'COMM_EST');
  }

  emitCnp(packet: number, destQpn: number = this.attributes.destQpn): void {
    const { packets } = this.context;
    packets.opcode[packet] = OPCODE.CNP;
    packets.flags[packet] = PacketFlag.BECN;
    packets.psn[packet] = 0;
    packets.destQpn[packet] = destQpn;
    packets.srcQpn[packet] = this.qpn;
    packets.payloadBytes[packet] = 0;
  }
}
