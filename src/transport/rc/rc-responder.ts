import { Access } from '../../verbs/access.js';
import { Op, Status } from '../../verbs/base/codes.js';
import { carryOf } from '../../verbs/base/memory/address-words.js';
import { KeyCheck } from '../../verbs/base/memory/memory-table.js';
import { creditCode } from '../../wire/ib/aeth.js';
import { OPCODE } from '../../wire/ib/opcode.js';
import type { Endpoint } from '../endpoint.js';
import type { EndpointTimer } from '../endpoint-timer.js';
import { InboundMessage, MAX_MESSAGE_BYTES, Verdict } from '../inbound-message.js';
import { OPCODE_TRAITS, Trait } from '../packet/opcode-traits.js';
import { NO_REFERENCE, PacketFlag } from '../packet/packet-pool.js';
import { PSN_WINDOW, psnAdd, psnDiff, psnDistance } from '../packet/psn.js';
import { Syndrome, SyndromeKind } from '../packet/syndrome.js';
import type { GapReporter, ResponderRecovery } from '../recovery/loss-recovery.js';
import type { EarlyArrivals, EarlyKeeper } from '../recovery/selective-responder.js';
import type { TransportEvent } from '../transport-device.js';
import { EarlyPackets } from './early-packets.js';
import { ReadFlow } from './read-flow.js';
import { NOT_FOUND, ResponderResources } from './responder-resources.js';
import { ResponseKind, ResponseQueue } from './response-queue.js';
import { TelemetryEcho } from './telemetry-echo.js';

const ATOMIC_BYTES = 8;

/** The serving half of RC: accepts requests in PSN order, executes them and queues responses (9.7.4, 9.7.5). */
export class RcResponder implements GapReporter, EarlyKeeper {
  readonly endpoint: Endpoint;
  readonly message: InboundMessage;
  readonly responses: ResponseQueue;
  readonly resources = new ResponderResources();
  /** In service. A responder that failed still sends what is queued, its NAK last. */
  active = false;
  expectedPsn = 0;
  gapReported = false;
  /** The last PSN that came beyond a gap. */
  private beyondPsn = 0;
  /** Messages completed, 24 bits. */
  msn = 0;
  /** PSNs accepted since the connection began, no more than the window: what is older cannot be a duplicate. */
  private accepted = 0;
  /** READs and atomics that are not answered yet. */
  private pendingReads = 0;
  /** Whether a gap is reported again when the packets beyond it start over. */
  private readonly nakEachRound: boolean;
  /** What becomes of packets beyond a gap: one of the two. */
  private readonly recovery: ResponderRecovery | null;
  private readonly arrivals: EarlyArrivals | null;
  /** How many packets may come early, under selective repeat; 0 without. */
  private readonly earlyPackets: number;
  /** Acknowledgements say more than RoCEv2's: what came instead, how many came marked. */
  private readonly saysMore: boolean;
  private readonly echoMarks: boolean;
  /** Requests that arrived marked, 16 bits. */
  private marks = 0;
  /** Window and acknowledgements of READ data, under selective repeat. */
  readonly reads: ReadFlow | null;
  /** Packets that wait for their turn, under selective repeat. */
  private readonly early: EarlyPackets | null;
  /** Packets in order go the way of those out of order, since some wait for them. */
  keeping = false;
  /** Null unless packets carry telemetry. */
  private echo: TelemetryEcho | null = null;
  private readonly timer: EndpointTimer;
  /** READ data waits until its rate lets it go. */
  private isHeld = false;
  /** The first PSN of the SEND or WRITE that is open. */
  private messagePsn = 0;

  /** `timer` is the endpoint's. */
  constructor(endpoint: Endpoint, timer: EndpointTimer) {
    this.endpoint = endpoint;
    this.responses = new ResponseQueue(endpoint.context.responses);
    this.timer = timer;
    const { lossRecovery, echoMarks } = endpoint.context.options;
    this.echoMarks = echoMarks;
    this.saysMore = echoMarks || lossRecovery.selective;
    this.nakEachRound = !lossRecovery.selective && lossRecovery.timing.nakEachRound;
    this.recovery = lossRecovery.selective ? null : lossRecovery.responder(this);
    this.early = lossRecovery.selective ? new EarlyPackets(endpoint.context.packets) : null;
    this.earlyPackets = lossRecovery.selective ? lossRecovery.windowPackets : 0;
    this.message = new InboundMessage(endpoint, this.earlyPackets);
    this.reads = lossRecovery.selective ? new ReadFlow(endpoint, lossRecovery.windowPackets) : null;
    this.arrivals = lossRecovery.selective ? lossRecovery.responder(this) : null;
  }

  /** Begins a connection. */
  start(): void {
    const { attributes } = this.endpoint;
    this.stop();
    this.resources.reset(attributes.maxDestRdAtomic);
    this.responses.clear();
    this.expectedPsn = attributes.rqPsn;
    this.beyondPsn = attributes.rqPsn;
    this.gapReported = false;
    this.msn = 0;
    this.accepted = 0;
    this.marks = 0;
    this.pendingReads = 0;
    this.arrivals?.forget();
    this.active = true;
  }

  /** Serves nothing more; responses that wait may still leave. */
  stop(): void {
    this.active = false;
    this.message.reset();
    this.early?.clear();
    this.arrivals?.forget();
    this.reads?.forget();
    this.isHeld = false;
  }

  /** Processes an arrived request; `traits` are those of its opcode. */
  onRequest(packet: number, traits: number, nowPs: number): void {
    const { packets, device } = this.endpoint.context;
    if (!this.active) {
      device.counters.dropped_packets++;
      return;
    }
    if (this.echoMarks && (packets.flags[packet] & PacketFlag.ECN_CE) !== 0)
      this.marks = (this.marks + 1) & 0xffff;
    const ahead = psnDiff(packets.psn[packet], this.expectedPsn);
    if (ahead === 0 && !this.keeping) {
      this.inOrder(packet, traits, false);
    } else if (ahead < 0) {
      this.duplicate(packet, traits, -ahead);
    } else if (this.arrivals !== null) {
      // What follows a SEND without a receive is dropped until that comes again (9.7.5.2.8).
      if (ahead > 0 && this.gapReported) device.counters.dropped_packets++;
      else this.arrivals.arrive(packet, traits, nowPs);
    } else {
      device.counters.out_of_sequence++;
      this.beyondGap(packets.psn[packet]);
    }
  }

  // Selective repeat.

  keep(packet: number, traits: number): boolean {
    const data = (traits & (Trait.SEND | Trait.WRITE)) !== 0;
    if (data && !this.message.placeEarly(packet, traits)) return false;
    this.early!.keep(packet);
    return true;
  }

  isKept(psn: number): boolean {
    return this.early!.isKept(psn);
  }

  packetsOf(packet: number, traits: number): number {
    if ((traits & Trait.READ_REQUEST) === 0) return 1;
    return Math.ceil(this.endpoint.context.packets.dmaBytes[packet] / this.endpoint.attributes.pathMtu) || 1;
  }

  keptPackets(psn: number): number {
    const packet = this.early!.at(psn);
    if (packet === NO_REFERENCE) return 0;
    return this.packetsOf(packet, rcTraits(this.endpoint.context.packets.opcode[packet]));
  }

  deliver(packet: number, traits: number): boolean {
    const { expectedPsn } = this;
    this.inOrder(packet, traits, false);
    return this.expectedPsn !== expectedPsn && this.active;
  }

  deliverKept(): boolean {
    const { expectedPsn } = this;
    const packet = this.early!.take(expectedPsn);
    this.inOrder(packet, rcTraits(this.endpoint.context.packets.opcode[packet]), true);
    this.endpoint.context.packets.free(packet);
    return this.expectedPsn !== expectedPsn && this.active;
  }

  reportSack(psn: number): void {
    // Each packet of the window can be reported; who sends more copies than can be answered gets no more answers.
    if (this.responses.count > this.earlyPackets) return;
    this.endpoint.context.device.counters.nak_sent++;
    const slot = this.nak(Syndrome.SEQUENCE_ERROR);
    this.responses.pool.low[slot] = psn;
  }

  restartMessage(): void {
    if (this.message.open === 0) return;
    this.message.restart();
    this.accepted -= psnDistance(this.expectedPsn, this.messagePsn);
    this.expectedPsn = this.messagePsn;
  }

  private beyondGap(psn: number): void {
    // The requester went back and what it sent again first is missing once more.
    if (this.nakEachRound && psnDiff(psn, this.beyondPsn) <= 0) this.gapReported = false;
    this.beyondPsn = psn;
    this.recovery!.onGap();
  }

  /**
   * The device dropped the request that is expected next. It says so even where the gap was reported before: what was
   * dropped is the answer to that report, and without another the peer would wait for its timeout.
   */
  onDropped(packet: number): void {
    if (!this.active || this.endpoint.context.packets.psn[packet] !== this.expectedPsn) return;
    if (this.arrivals === null) this.reportGap();
    else this.reportSack(this.expectedPsn);
  }

  reportGap(): void {
    this.gapReported = true;
    this.endpoint.context.device.counters.nak_sent++;
    this.nak(Syndrome.SEQUENCE_ERROR);
  }

  /** Processes a packet in its turn; `placed` where its payload is in its place already. */
  private inOrder(packet: number, traits: number, placed: boolean): void {
    if ((traits & (Trait.SEND | Trait.WRITE)) === 0) {
      // A READ or atomic in the middle of a SEND or WRITE is out of sequence (9.7.4.1.2).
      if (this.message.open !== 0) this.fail(Syndrome.INVALID_REQUEST, 'QP_REQ_ERR');
      else if ((traits & Trait.READ_REQUEST) !== 0) this.read(packet);
      else this.atomic(packet);
      return;
    }
    if ((traits & Trait.FIRST) !== 0) this.messagePsn = this.expectedPsn;
    const verdict = this.message.accept(packet, traits, placed);
    if (verdict === Verdict.ACCEPTED) {
      this.advance(1);
      if ((traits & Trait.LAST) !== 0) this.msn = psnAdd(this.msn, 1);
      if ((this.endpoint.context.packets.flags[packet] & PacketFlag.ACK_REQUEST) !== 0) this.acknowledge();
    } else {
      this.refuse(verdict);
    }
  }

  private refuse(verdict: number): void {
    const { counters } = this.endpoint.context.device;
    switch (verdict) {
      case Verdict.NOT_READY:
        counters.out_of_buffer++;
        // What follows is dropped without a word until the requester comes back to this PSN (9.7.5.2.8).
        this.gapReported = true;
        this.nak(SyndromeKind.RNR_NAK | this.endpoint.attributes.minRnrTimer);
        break;
      case Verdict.ACCESS:
        this.fail(Syndrome.REMOTE_ACCESS, 'QP_ACCESS_ERR');
        break;
      case Verdict.TOO_LONG:
        counters.resp_local_length_error++;
        this.message.failReceive(Status.LOC_LEN_ERR);
        this.fail(Syndrome.INVALID_REQUEST, null);
        break;
      case Verdict.LOCAL:
        this.message.failReceive(Status.LOC_PROT_ERR);
        this.fail(Syndrome.REMOTE_OPERATION, null);
        break;
      default:
        this.fail(Syndrome.INVALID_REQUEST, 'QP_REQ_ERR');
    }
  }

  private read(packet: number): void {
    const { packets, device } = this.endpoint.context;
    const bytes = packets.dmaBytes[packet];
    device.counters.rx_read_requests++;
    if (!this.mayServe(Access.REMOTE_READ) || bytes > MAX_MESSAGE_BYTES) {
      this.fail(Syndrome.INVALID_REQUEST, 'QP_REQ_ERR');
      return;
    }
    const high = packets.remoteHigh[packet];
    const low = packets.remoteLow[packet];
    if (bytes > 0 && !this.allows(packets.rkey[packet], high, low, bytes, Access.REMOTE_READ)) {
      this.fail(Syndrome.REMOTE_ACCESS, 'QP_ACCESS_ERR');
      return;
    }
    const count = bytes === 0 ? 1 : Math.ceil(bytes / this.endpoint.attributes.pathMtu);
    const psn = this.expectedPsn;
    this.resources.add(psn, count, false, high, low, bytes);
    this.advance(count);
    this.msn = psnAdd(this.msn, 1);
    this.pendingReads++;
    this.queueRead(packet, psn, 1);
  }

  private atomic(packet: number): void {
    const { endpoint } = this;
    const { packets, memory, device } = endpoint.context;
    const high = packets.remoteHigh[packet];
    const low = packets.remoteLow[packet];
    device.counters.rx_atomic_requests++;
    if (!this.mayServe(Access.REMOTE_ATOMIC) || low % ATOMIC_BYTES !== 0) {
      this.fail(Syndrome.INVALID_REQUEST, 'QP_REQ_ERR');
      return;
    }
    if (!this.allows(packets.rkey[packet], high, low, ATOMIC_BYTES, Access.REMOTE_ATOMIC)) {
      this.fail(Syndrome.REMOTE_ACCESS, 'QP_ACCESS_ERR');
      return;
    }
    const op =
      packets.opcode[packet] === OPCODE.RC_FETCH_ADD ? Op.ATOMIC_FETCH_AND_ADD : Op.ATOMIC_CMP_AND_SWP;
    device.executeAtomic(endpoint, packet, op, memory.found, memory.position);
    const { resources } = this;
    const resource = resources.add(this.expectedPsn, 1, true, high, low, ATOMIC_BYTES);
    resources.keepResult(resource, packets.operandWords[4 * packet], packets.operandWords[4 * packet + 1]);
    const psn = this.expectedPsn;
    this.advance(1);
    this.msn = psnAdd(this.msn, 1);
    this.pendingReads++;
    this.queueAtomic(resource, psn, 1);
  }

  /** Whether the queue pair gives the right and has a resource free (9.7.4.1.3, 9.7.4.1.4). */
  private mayServe(right: number): boolean {
    const { attributes } = this.endpoint;
    return (attributes.accessFlags & right) !== 0 && this.pendingReads < attributes.maxDestRdAtomic;
  }

  private allows(rkey: number, high: number, low: number, bytes: number, right: number): boolean {
    const { context, pd, qpn } = this.endpoint;
    return context.memory.checkRemote(pd, qpn, rkey, high, low, bytes, right) === KeyCheck.OK;
  }

  private duplicate(packet: number, traits: number, behind: number): void {
    const { counters } = this.endpoint.context.device;
    // Older than the connection: a ghost of an earlier one (9.7.1).
    if (behind > this.accepted) {
      counters.dropped_packets++;
      return;
    }
    counters.duplicate_request++;
    if ((traits & (Trait.SEND | Trait.WRITE)) !== 0) this.acknowledge();
    else this.replay(packet, (traits & Trait.ATOMIC) !== 0);
  }

  /** Answers a READ or atomic again; what is not remembered, or not as it was, is dropped (9.7.4.5). */
  private replay(packet: number, atomic: boolean): void {
    const { resources, responses } = this;
    const { packets, device } = this.endpoint.context;
    const psn = packets.psn[packet];
    const resource = resources.find(psn);
    if (this.reads !== null && !atomic) this.reopen(packet);
    const crowded = responses.count >= 2 * resources.size + 2 + this.earlyPackets;
    if (resource === NOT_FOUND || resources.isAtomic(resource) !== atomic || crowded || this.isQueued(psn)) {
      device.counters.dropped_packets++;
      return;
    }
    if (atomic) {
      this.queueAtomic(resource, psn, 0);
      return;
    }
    const done = psnDistance(psn, resources.firstPsn(resource)) * this.endpoint.attributes.pathMtu;
    const bytes = packets.dmaBytes[packet];
    const low = resources.addressLow(resource) + done;
    const sameAddress =
      packets.remoteLow[packet] === low >>> 0 &&
      packets.remoteHigh[packet] === (resources.addressHigh(resource) + carryOf(low)) >>> 0;
    const rest = resources.bytes(resource) - done;
    // A requester that repeats selectively asks for parts.
    if (!sameAddress || (this.arrivals === null ? bytes !== rest : bytes > rest)) {
      device.counters.dropped_packets++;
    } else {
      this.queueRead(packet, psn, 0);
    }
  }

  /** What a READ asks for again is not in flight: the window has room for it. */
  private reopen(packet: number): void {
    this.reads!.lost(this.packetsOf(packet, Trait.READ_REQUEST));
    this.endpoint.context.device.responseReady(this.endpoint);
  }

  /** Whether the response to a PSN still waits to be sent: then asking again changes nothing. */
  private isQueued(psn: number): boolean {
    const { count, head, pool } = this.responses;
    const mtu = this.endpoint.attributes.pathMtu;
    for (let slot = head, left = count; left > 0; slot = pool.next[slot], left--) {
      if (pool.kind[slot] < ResponseKind.READ) continue;
      const packets = pool.kind[slot] === ResponseKind.READ ? Math.ceil(pool.bytes[slot] / mtu) || 1 : 1;
      if (psnDistance(psn, pool.psn[slot]) < packets) return true;
    }
    return false;
  }

  private queueRead(packet: number, psn: number, fresh: number): void {
    const { responses } = this;
    const { pool } = responses;
    const { packets } = this.endpoint.context;
    // What is sent again does not wait behind data that has no room.
    const first = this.reads !== null && fresh === 0;
    const bytes = first ? this.unqueuedBytes(psn, packets.dmaBytes[packet]) : packets.dmaBytes[packet];
    const slot = first
      ? responses.pushFront(ResponseKind.READ, psn, this.msn)
      : responses.push(ResponseKind.READ, psn, this.msn);
    pool.fresh[slot] = fresh;
    pool.addrHigh[slot] = packets.remoteHigh[packet];
    pool.addrLow[slot] = packets.remoteLow[packet];
    pool.rkey[slot] = packets.rkey[packet];
    pool.bytes[slot] = bytes;
    if (first) this.endpoint.context.device.responseReady(this.endpoint);
    else this.queued();
  }

  /** How much of a READ from a PSN on is not still to come: where the rest of it is queued it is queued once. */
  private unqueuedBytes(psn: number, bytes: number): number {
    const { count, head, pool } = this.responses;
    const mtu = this.endpoint.attributes.pathMtu;
    let least = bytes;
    for (let slot = head, left = count; left > 0; slot = pool.next[slot], left--) {
      if (pool.kind[slot] !== ResponseKind.READ) continue;
      const before = psnDistance(pool.psn[slot], psn) * mtu;
      if (before < least && before + pool.bytes[slot] >= bytes) least = before;
    }
    return least;
  }

  private queueAtomic(resource: number, psn: number, fresh: number): void {
    const { responses, resources } = this;
    const { pool } = responses;
    const slot = responses.push(ResponseKind.ATOMIC, psn, this.msn);
    pool.fresh[slot] = fresh;
    pool.low[slot] = resources.resultLow(resource);
    pool.high[slot] = resources.resultHigh(resource);
    this.queued();
  }

  private advance(packets: number): void {
    this.expectedPsn = psnAdd(this.expectedPsn, packets);
    this.accepted = Math.min(this.accepted + packets, PSN_WINDOW);
    this.gapReported = false;
  }

  acknowledge(): void {
    this.responses.acknowledge(psnAdd(this.expectedPsn, -1), this.msn);
    this.queued();
  }

  private nak(syndrome: number): number {
    const { responses } = this;
    const slot = responses.push(ResponseKind.NAK, this.expectedPsn, this.msn);
    responses.pool.detail[slot] = syndrome;
    responses.pool.low[slot] = this.expectedPsn;
    this.queued();
    return slot;
  }

  private queued(): void {
    if (this.responses.count === 1) this.endpoint.context.device.responseReady(this.endpoint);
  }

  /** Refuses the request for good: a NAK, and the queue pair goes to ERR. */
  private fail(syndrome: number, event: TransportEvent | null): void {
    const { device } = this.endpoint.context;
    if (syndrome === Syndrome.REMOTE_ACCESS) device.counters.resp_remote_access_errors++;
    else device.counters.resp_cqe_error++;
    this.active = false;
    this.nak(syndrome);
    device.enterError(this.endpoint, event);
  }

  nextBytes(): number {
    const { responses } = this;
    if (!this.nextIsRead()) return 0;
    return Math.min(this.endpoint.attributes.pathMtu, responses.pool.bytes[responses.head]);
  }

  nextIsRead(): boolean {
    if (this.reads?.ackDue) return false;
    const { count, head, pool } = this.responses;
    return count > 0 && pool.kind[head] === ResponseKind.READ;
  }

  /** Data arrived that carries telemetry. */
  noteTelemetry(packet: number): void {
    this.echo ??= new TelemetryEcho(this.endpoint.context.packets);
    this.echo.keep(packet);
  }

  canRespond(nowPs: number): boolean {
    const { reads, responses } = this;
    if (reads?.ackDue) return true;
    if (responses.count === 0) return false;
    // A responder that failed sends what is queued.
    if (responses.pool.kind[responses.head] !== ResponseKind.READ || !this.active) return true;
    if (reads !== null && !reads.hasRoom) return false;
    const { nextSendPs } = this.endpoint.congestion;
    if (nowPs >= nextSendPs) return true;
    this.isHeld = true;
    this.timer.arm(nextSendPs);
    return false;
  }

  onTimer(nowPs: number): void {
    if (!this.isHeld) return;
    const { nextSendPs } = this.endpoint.congestion;
    if (nowPs < nextSendPs) {
      this.timer.arm(nextSendPs);
      return;
    }
    this.isHeld = false;
    if (this.responses.count > 0) this.endpoint.context.device.responseReady(this.endpoint);
  }

  /** The endpoint's timer was cleared. */
  waitAgain(): void {
    if (this.isHeld) this.timer.arm(this.endpoint.congestion.nextSendPs);
  }

  /** READ data arrived for the requester of this queue pair. */
  readArrived(packet: number): void {
    this.reads!.arrived(packet);
    if (this.reads!.ackDue) this.endpoint.context.device.responseReady(this.endpoint);
  }

  /** READ data was acknowledged. */
  readAcknowledged(packet: number, nowPs: number): void {
    this.reads!.acknowledged(packet, nowPs);
    if (this.responses.count > 0) this.endpoint.context.device.responseReady(this.endpoint);
  }

  emit(packet: number, nowPs: number): void {
    const { endpoint, responses } = this;
    const { packets } = endpoint.context;
    const { pool } = responses;
    const slot = responses.head;
    packets.flags[packet] = 0;
    packets.destQpn[packet] = endpoint.attributes.destQpn;
    packets.srcQpn[packet] = endpoint.qpn;
    packets.payloadBytes[packet] = 0;
    if (packets.telemetryStride > 0) this.echo?.put(packet);
    if (this.reads?.ackDue) {
      packets.opcode[packet] = OPCODE.RC_ACKNOWLEDGE;
      packets.syndrome[packet] = Syndrome.READ_ACK;
      packets.msn[packet] = this.msn;
      this.reads.acknowledge(packet);
      return;
    }
    packets.psn[packet] = pool.psn[slot];
    packets.msn[packet] = pool.msn[slot];
    packets.syndrome[packet] = this.ackSyndrome();
    switch (pool.kind[slot]) {
      case ResponseKind.READ:
        this.emitRead(packet, slot, nowPs);
        return;
      case ResponseKind.ATOMIC:
        packets.opcode[packet] = OPCODE.RC_ATOMIC_ACKNOWLEDGE;
        packets.needOperands();
        packets.operandWords[4 * packet] = pool.low[slot];
        packets.operandWords[4 * packet + 1] = pool.high[slot];
        this.pendingReads -= pool.fresh[slot];
        break;
      case ResponseKind.NAK:
        packets.opcode[packet] = OPCODE.RC_ACKNOWLEDGE;
        packets.syndrome[packet] = pool.detail[slot];
        break;
      default:
        packets.opcode[packet] = OPCODE.RC_ACKNOWLEDGE;
    }
    if (this.saysMore) this.sayMore(packet, slot);
    responses.shift();
  }

  private sayMore(packet: number, slot: number): void {
    const { pool } = this.responses;
    const { marks } = this;
    const { packets } = this.endpoint.context;
    packets.needPlacement();
    packets.placementWords[2 * packet] = pool.kind[slot] === ResponseKind.NAK ? pool.low[slot] : 0;
    packets.placementWords[2 * packet + 1] = marks;
  }

  private ackSyndrome(): number {
    const { options, device } = this.endpoint.context;
    if (!options.endToEndCredits) return Syndrome.ACK_UNLIMITED;
    return SyndromeKind.ACK | creditCode(device.receivesPosted(this.endpoint));
  }

  private emitRead(packet: number, slot: number, nowPs: number): void {
    const { endpoint, responses } = this;
    const { packets, memory, device } = endpoint.context;
    const { pool } = responses;
    const left = pool.bytes[slot];
    const bytes = Math.min(endpoint.attributes.pathMtu, left);
    const high = pool.addrHigh[slot];
    const low = pool.addrLow[slot];
    const first = pool.detail[slot] === 0;
    const last = bytes === left;
    packets.opcode[packet] = readOpcode(first, last);
    // Data of its own: its hops are to be counted, not those of what arrived.
    if (packets.telemetryStride > 0) packets.telemetry[packet * packets.telemetryStride] = 0;
    if (bytes > 0) {
      // Each packet again: a region that went away in the middle must not be read.
      if (!this.allows(pool.rkey[slot], high, low, bytes, Access.REMOTE_READ)) {
        this.abandonRead(packet);
        return;
      }
      packets.payloadBytes[packet] = bytes;
      device.readRegion(endpoint, packet, memory.found, memory.position, bytes);
    }
    if (this.reads !== null) this.reads.send(packet, last, nowPs);
    // Nothing acknowledges it: it is paced, and that is all.
    else endpoint.congestion.onSend(bytes, nowPs, false);
    if (last) {
      this.pendingReads -= pool.fresh[slot];
      responses.shift();
      return;
    }
    pool.detail[slot] = 1;
    pool.psn[slot] = psnAdd(pool.psn[slot], 1);
    pool.addrHigh[slot] = high + carryOf(low + bytes);
    pool.addrLow[slot] = low + bytes;
    pool.bytes[slot] = left - bytes;
  }

  private abandonRead(packet: number): void {
    const { packets, device } = this.endpoint.context;
    packets.opcode[packet] = OPCODE.RC_ACKNOWLEDGE;
    packets.syndrome[packet] = Syndrome.REMOTE_ACCESS;
    this.responses.clear();
    device.counters.resp_remote_access_errors++;
    this.active = false;
    device.enterError(this.endpoint, 'QP_ACCESS_ERR');
  }
}

function readOpcode(first: boolean, last: boolean): number {
  if (first) return last ? OPCODE.RC_READ_RESPONSE_ONLY : OPCODE.RC_READ_RESPONSE_FIRST;
  return last ? OPCODE.RC_READ_RESPONSE_LAST : OPCODE.RC_READ_RESPONSE_MIDDLE;
}

/** The traits of an arrived packet that RC serves: those of RC's opcodes, 0 for all others. */
export function rcTraits(opcode: number): number {
  const traits = OPCODE_TRAITS[opcode];
  return (traits & Trait.RC) !== 0 ? traits : 0;
}
