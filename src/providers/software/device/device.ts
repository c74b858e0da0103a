import type { DatagramBatch, Link, LinkListener } from '../../../link/index.js';
import { GSI_QKEY, GSI_QPN } from '../../../transport/cm/index.js';
import { copyAttributes, type Endpoint, PacketPool, RcEndpoint } from '../../../transport/index.js';
import {
  type BaseAddressHandle,
  type BaseContext,
  type BaseQueuePair,
  QpNumbers,
  type QueuePairCarrier,
} from '../../../verbs/base/index.js';
import { OPCODE } from '../../../wire/index.js';
import { Inbox, type InboxOwner, type ManagementDatagram } from '../packets/inbox.js';
import { Outbox } from '../packets/outbox.js';
import type { Route } from '../packets/route.js';
import { Routes } from '../packets/routes.js';
import { SoftwareCongestion } from './congestion.js';
import { countersOf, DeviceCounters } from './counters.js';
import type { SoftwareDeviceOptions } from './device-options.js';
import { Endpoints } from './endpoints.js';
import { FlightWindow } from './flight-window.js';
import type { ManagementTaker } from './management-taker.js';
import { reportFault } from './program-fault.js';
import { QueuePairRecord } from './queue-pair-record.js';
import { ReadyRing } from './ready-ring.js';
import { TimerWheel } from './timer-wheel.js';
import { SoftwareTransportDevice, type TransportOwner } from './transport-device.js';

const PS_PER_NS = 1000;
/** Packets of one queue pair before the next gets its turn. */
const BURST = 32;
/** Bytes sent before the event loop, and with it whoever receives in this process, gets its turn. */
const TURN_BYTES = 512 * 1024;
/** Bytes received before what they ask for is answered. */
const ANSWER_BYTES = 128 * 1024;
/** Shorter ACK timeouts are rounded up to 16.8 ms: a program's own work holds up the event loop for milliseconds. */
const LEAST_TIMEOUT_CODE = 12;

/**
 * A RoCEv2 device in a Node process: joins the queue pairs of the verbs, the endpoints of the transport and a link. It
 * sends when a verb, an arrival or a timer gives it something to send, and never from anywhere else.
 */
export class SoftwareDevice implements QueuePairCarrier, LinkListener, InboxOwner, TransportOwner {
  readonly link: Link;
  readonly qpNumbers: QpNumbers;
  readonly deviceCounters = new DeviceCounters();
  /** Takes the datagrams of queue pair 1; null drops them. */
  management: ManagementTaker | null = null;
  /** The link failed; null while all is well. */
  failure: Error | null = null;
  private readonly options: SoftwareDeviceOptions;
  private readonly packets = new PacketPool();
  /** One packet serves all that is sent: it is bytes before the next is filled. */
  private readonly outgoing: number;
  private readonly timers: TimerWheel;
  private readonly ready = new ReadyRing();
  private readonly window: FlightWindow;
  private readonly byNumber = new Map<number, QueuePairRecord>();
  private readonly routes: Routes;
  private readonly freeTags: number[] = [];
  /** Null where marked packets cause nothing. */
  private readonly congestion: SoftwareCongestion;
  private context!: BaseContext;
  private endpoints!: Endpoints;
  private transportDevice!: SoftwareTransportDevice;
  private outbox!: Outbox;
  private inbox!: Inbox;
  /** When the packets at hand arrived. */
  private arrivalPs = 0;
  private pumping = false;
  private reading = false;
  private turning = false;
  private closed = false;
  private managementPsn = 0;

  constructor(options: SoftwareDeviceOptions) {
    this.options = options;
    this.link = options.link;
    this.qpNumbers = new QpNumbers(options.draw);
    this.outgoing = this.packets.take();
    this.window = new FlightWindow(options.deviceWindowPackets);
    this.congestion = new SoftwareCongestion(options.congestion);
    this.routes = new Routes(options.link, this.congestion.ecnCapable, options.crc);
    this.timers = new TimerWheel(
      () => options.clock.nowNs,
      () => this.timersDue(),
    );
  }

  /** Gives the device its tables and begins to receive; called once, when the context that owns them was made. */
  bind(context: BaseContext): void {
    const { link, packets, deviceCounters, options } = this;
    const { windowPackets, recovery } = options;
    this.context = context;
    this.transportDevice = new SoftwareTransportDevice(context, packets, link, deviceCounters, this);
    this.outbox = new Outbox(link, packets);
    this.inbox = new Inbox(link, packets, deviceCounters, this, options.crc);
    this.transportDevice.outbox = this.outbox;
    this.transportDevice.inbox = this.inbox;
    this.endpoints = new Endpoints({
      context,
      packets,
      device: this.transportDevice,
      congestion: this.congestion,
      windowPackets,
      recovery,
    });
    link.start(this);
  }

  /** Whether selective repeat can be agreed on with a peer. */
  get anyPlaced(): boolean {
    return this.endpoints.anySelective;
  }

  /** Whether a queue pair has selective repeat. */
  isSelective(qpn: number): boolean {
    return this.byNumber.get(qpn)?.placed === true;
  }

  /**
   * What was agreed on with the peer of a queue pair that is in RESET or INIT: selective repeat, where the device has it, or
   * go-back-N. A queue pair begins with what the device has.
   */
  setSelective(qpn: number, selective: boolean): void {
    const record = this.byNumber.get(qpn);
    if (record === undefined || record.placed === (selective && this.anyPlaced)) return;
    if (record.qp.qpType !== 'RC') return;
    const { tag } = record.endpoint;
    this.timers.clear(tag);
    record.placed = !record.placed;
    record.endpoint.congestion.close();
    record.endpoint = this.endpoints.make(record.qp, record.placed);
    record.endpoint.tag = tag;
    this.copyAttributes(record);
    record.endpoint.modified(record.qp.state);
  }

  /** Packets that are taken from the pool; nothing that arrives may add to it. */
  get packetsInUse(): number {
    return this.packets.inUse;
  }

  /** Nothing is sent or received any more. */
  async close(): Promise<void> {
    this.closed = true;
    this.timers.stop();
    await this.link.close();
  }

  // The verbs' side.

  created(qp: BaseQueuePair): void {
    const placed = qp.qpType === 'RC' && this.anyPlaced;
    const endpoint = this.endpoints.make(qp, placed);
    endpoint.tag = this.freeTags.pop() ?? this.transportDevice.records.length;
    this.congestion.notification?.forget(endpoint.tag);
    const record = new QueuePairRecord(qp, endpoint, placed);
    this.transportDevice.records[endpoint.tag] = record;
    this.byNumber.set(qp.qpNum, record);
  }

  posted(qp: BaseQueuePair): void {
    this.byNumber.get(qp.qpNum)?.endpoint.allowSends();
  }

  sendReady(qp: BaseQueuePair): void {
    this.byNumber.get(qp.qpNum)?.endpoint.allowSends();
  }

  receivesPosted(): void {}

  modified(qp: BaseQueuePair): void {
    this.copyAttributes(this.byNumber.get(qp.qpNum) as QueuePairRecord);
  }

  stateChanged(qp: BaseQueuePair): void {
    const record = this.byNumber.get(qp.qpNum) as QueuePairRecord;
    this.copyAttributes(record);
    record.endpoint.modified(qp.state);
    this.window.update(record);
    if (qp.state === 'RESET') {
      record.route = null;
      record.onProof = null;
    }
  }

  destroyed(qp: BaseQueuePair): void {
    const record = this.byNumber.get(qp.qpNum) as QueuePairRecord;
    record.endpoint.modified('RESET');
    record.endpoint.congestion.close();
    this.window.update(record);
    record.gone = true;
    this.timers.clear(record.endpoint.tag);
    this.byNumber.delete(qp.qpNum);
    // A record that waits for its turn still needs its place.
    if (!record.queued) this.freeTags.push(record.endpoint.tag);
  }

  settle(): void {
    this.pump();
  }

  waiting(): void {}

  counters(): Readonly<Record<string, number>> {
    return countersOf(this.deviceCounters, this.link);
  }

  // The link's side.

  received(batch: DatagramBatch): void {
    // In pieces, so that acknowledgements leave while the rest is still being read: both ends then work at a time.
    for (let next = 0; next < batch.count; ) {
      this.arrivalPs = this.nowPs;
      this.reading = true;
      next = this.inbox.receive(batch, next, ANSWER_BYTES);
      this.reading = false;
      if (this.inbox.delivered) this.link.expect?.();
      this.pump();
    }
    this.serveManagement();
  }

  writable(): void {
    this.outbox.unblock();
    this.pump();
  }

  failed(error: Error): void {
    this.failure = error;
    this.context.raise({ type: 'DEVICE_FATAL' });
  }

  recordOf(qpn: number): QueuePairRecord | undefined {
    return this.byNumber.get(qpn);
  }

  deliver(record: QueuePairRecord, packet: number): void {
    const { endpoint } = record;
    if (record.onProof === null) endpoint.onPacket(packet, this.arrivalPs);
    else this.deliverUnproven(record, record.onProof, packet);
    this.window.update(record);
  }

  /** RC: a request in sequence has the PSN that only whoever got our reply knows; the answer to it may go out. */
  private deliverUnproven(record: QueuePairRecord, onProof: () => void, packet: number): void {
    const { endpoint } = record;
    const before = endpoint instanceof RcEndpoint ? endpoint.responder.expectedPsn : 0;
    endpoint.onPacket(packet, this.arrivalPs);
    if (endpoint instanceof RcEndpoint && endpoint.responder.expectedPsn !== before) onProof();
  }

  /** Sends no request of a queue pair until {@link release}; a packet that proves the peer's address calls `onProof`. */
  withhold(qpn: number, onProof: () => void): void {
    const record = this.byNumber.get(qpn);
    if (record !== undefined) record.onProof = onProof;
  }

  /** The peer's address is proven: what the program posted meanwhile goes out. */
  release(qpn: number): void {
    const record = this.byNumber.get(qpn);
    if (record === undefined || record.onProof === null) return;
    record.onProof = null;
    this.ready.push(record);
    this.pump();
  }

  deliverManagement(datagram: ManagementDatagram): void {
    this.management?.arrived(datagram);
  }

  /** Datagrams of queue pair 1 that had to wait are to be served; connections still come first. */
  turnOfManagement(): void {
    if (this.closed) return;
    this.link.poll();
    this.serveManagement();
  }

  private serveManagement(): void {
    if (this.management === null || this.closed) return;
    this.reading = true;
    try {
      this.management.serve();
    } catch (error) {
      this.fault(error);
    }
    this.reading = false;
    this.flush();
  }

  /** Sends what the datagrams at hand were answered with. */
  flush(): void {
    if (!this.pumping && !this.outbox.blocked) this.outbox.flush();
  }

  /** Code of the program's threw while a stranger's message was served. */
  fault(error: unknown, port: number | null = null): void {
    reportFault(this.context, this.deviceCounters, error, port);
  }

  /** Sends a datagram from queue pair 1 to queue pair 1 of an address; where the link is full it is lost. */
  sendManagement(payload: Uint8Array, gid: Uint8Array, gidIndex: number): void {
    const { packets, outgoing, outbox } = this;
    if (this.closed || !outbox.begin()) return;
    packets.opcode[outgoing] = OPCODE.UD_SEND_ONLY;
    packets.flags[outgoing] = 0;
    packets.psn[outgoing] = this.managementPsn;
    packets.destQpn[outgoing] = GSI_QPN;
    packets.srcQpn[outgoing] = GSI_QPN;
    packets.qkey[outgoing] = GSI_QKEY;
    packets.payloadBytes[outgoing] = payload.length;
    this.managementPsn = (this.managementPsn + 1) & 0xffffff;
    outbox.batch.bytes.set(payload, outbox.payloadAt(outgoing));
    this.send(this.routes.ofManagement(gid, gidIndex));
    if (!this.pumping && !this.reading) outbox.flush();
  }

  // The transport's side.

  wake(endpoint: Endpoint): void {
    this.ready.push(this.transportDevice.records[endpoint.tag]);
  }

  setTimer(endpoint: Endpoint, atNs: number): void {
    this.timers.set(endpoint.tag, atNs);
  }

  clearTimer(endpoint: Endpoint): void {
    this.timers.clear(endpoint.tag);
  }

  marked(endpoint: Endpoint, nowPs: number): void {
    const { notification } = this.congestion;
    const { route } = this.transportDevice.records[endpoint.tag];
    // Datagrams have no peer to notify.
    if (notification === null || route === null || !notification.due(nowPs, endpoint.tag, 0)) return;
    if (!this.outbox.begin()) return;
    endpoint.emitCnp(this.outgoing);
    this.outbox.finish(this.outgoing, route);
    this.deviceCounters.np_cnp_sent++;
  }

  /** Looks for arrivals now, for whoever would otherwise sleep. */
  poll(): void {
    if (!this.closed) this.link.poll();
  }

  private get nowPs(): number {
    return this.options.clock.nowNs * PS_PER_NS;
  }

  private timersDue(): void {
    // An acknowledgement that waits in the socket is no timeout.
    this.link.poll();
    this.timers.run(this.fire);
    this.pump();
  }

  private readonly fire = (tag: number): void => {
    const record = this.transportDevice.records[tag];
    if (record.gone) return;
    record.endpoint.onTimer(this.nowPs);
    this.window.update(record);
  };

  /** Sends what there is to send, turn by turn among the queue pairs, until the link or this turn is full. */
  private pump(): void {
    const { outbox, ready } = this;
    if (this.pumping || this.closed) return;
    this.pumping = true;
    outbox.sentBytes = 0;
    this.window.release(ready);
    while (ready.size > 0 && !outbox.blocked && outbox.sentBytes < TURN_BYTES) this.serve(ready.shift());
    if (outbox.sentBytes > 0) this.link.expect?.();
    // What arrivals are answered with leaves together, when they have been read.
    if (!outbox.blocked && !this.reading) outbox.flush();
    this.pumping = false;
    if (ready.size > 0 && !outbox.blocked && !this.turning) {
      this.turning = true;
      setImmediate(this.turn);
    }
  }

  private readonly turn = (): void => {
    this.turning = false;
    // Whoever sends much must also hear what is said about it.
    this.link.poll();
    this.pump();
  };

  private serve(record: QueuePairRecord): void {
    const { endpoint } = record;
    if (record.gone) {
      this.freeTags.push(endpoint.tag);
      return;
    }
    const nowPs = this.nowPs;
    let sent = 0;
    while (sent < BURST && endpoint.canRespond(nowPs) && this.outbox.begin(record.placed)) {
      endpoint.emitResponse(this.outgoing, nowPs);
      this.send(record.route);
      sent++;
    }
    sent = this.serveRequests(record, sent, nowPs);
    // A turn that was cut short goes on later.
    if (sent >= BURST || this.outbox.blocked || endpoint.canRespond(nowPs)) this.ready.push(record);
  }

  /** Sends requests up to the end of the burst and returns how much of it is used. */
  private serveRequests(record: QueuePairRecord, used: number, nowPs: number): number {
    const { endpoint } = record;
    if (record.onProof !== null) return used;
    let sent = used;
    while (sent < BURST && !endpoint.canRespond(nowPs) && endpoint.canRequest(nowPs)) {
      if (endpoint.type === 'RC' && this.window.full) {
        this.window.hold(record);
        break;
      }
      if (!this.outbox.begin(record.placed)) break;
      const route = record.route ?? this.routeOf(endpoint);
      if (endpoint.emitRequest(this.outgoing, nowPs)) this.send(route);
      this.window.update(record);
      sent++;
    }
    return sent;
  }

  private send(route: Route | null): void {
    if (route === null) return;
    this.outbox.finish(this.outgoing, route);
    this.deviceCounters.tx_packets++;
  }

  /** The way of the next datagram of a queue pair. */
  private routeOf(endpoint: Endpoint): Route | null {
    if (endpoint.type !== 'UD') return null;
    return this.routes.ofHandle(this.context.wqes.addressOf(endpoint.nextRequestWqe()) as BaseAddressHandle);
  }

  private copyAttributes(record: QueuePairRecord): void {
    const { qp, endpoint } = record;
    const { attributes } = endpoint;
    copyAttributes(qp.attr, attributes);
    if (qp.attr.pathMtu === undefined) attributes.pathMtu = qp.datagramBytes;
    if (attributes.timeout > 0) attributes.timeout = Math.max(attributes.timeout, LEAST_TIMEOUT_CODE);
    this.routes.update(record, this.context);
  }
}
