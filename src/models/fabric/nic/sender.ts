import { Feedback } from '../../../transport/congestion/rates/feedback.js';
import type { RateControl } from '../../../transport/congestion/rates/rate-control.js';
import { Deadlines } from '../core/events/deadlines.js';
import type { Timers } from '../core/events/timers.js';
import type { Wheel } from '../core/events/wheel.js';
import type { Ports } from '../core/ports/ports.js';
import {
  ARRIVED,
  DATA,
  FLOW,
  KIND_MASK,
  LANE_SHIFT,
  MARKED,
  META,
  NACK,
  PORT,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SEQ,
  SIZE,
  STAMP,
  WAKE,
} from '../core/records.js';
import type { Wire } from '../core/wire.js';
import type { FlowTable } from './flow-table.js';
import type { NicOptions } from './nic-options.js';
import type { Pacer } from './pacer.js';
import type { SelectiveRepeat } from './selective-repeat.js';

/** What a sender works on. */
export interface SenderParts {
  readonly records: Records;
  readonly wheel: Wheel;
  readonly timers: Timers;
  readonly wire: Wire;
  readonly ports: Ports;
  readonly flows: FlowTable;
  readonly control: RateControl;
  readonly pacer: Pacer;
  readonly options: NicOptions;
  /** Null under go-back-N. */
  readonly selective: SelectiveRepeat | null;
  /** Called when a flow's last byte is acknowledged. */
  readonly onFinished: (flow: number) => void;
}

/**
 * The sending side of light NICs: the flows of a port take turns, each paced by its rate and bounded by its window.
 * What was lost is sent again, from the gap on or by itself, when the receiver asks for it or a timer runs out.
 */
export class Sender {
  /** Data packets and their bytes on the wire. */
  sentPackets = 0;
  sentBytes = 0;
  private readonly records: Records;
  private readonly wheel: Wheel;
  private readonly wire: Wire;
  private readonly ports: Ports;
  private readonly flows: FlowTable;
  private readonly control: RateControl;
  private readonly pacer: Pacer;
  private readonly options: NicOptions;
  private readonly onFinished: (flow: number) => void;
  private readonly selective: SelectiveRepeat | null;
  /** Null if nothing runs out. */
  readonly timeouts: Deadlines | null;
  private readonly feedback = new Feedback();
  private readonly windowed: boolean;
  /** Whether a flow that has to wait holds those after it. */
  private readonly inLine: boolean;
  /** Per port: its flows in order of start, and the place of the one that sent last. */
  private readonly rings: Int32Array[] = [];
  private readonly ringLength: Int32Array;
  private readonly lastPlace: Int32Array;
  /** Per port: the pending wake-up, -1 if there is none, its time, and when it was planned. */
  private readonly wake: Int32Array;
  private readonly wakeNs: Float64Array;
  private readonly wakePlannedNs: Float64Array;
  /** How long ago the present turn of a port was planned: timers of the control that were planned later come after it. */
  private turnPlannedAgoNs = 0;

  constructor(parts: SenderParts) {
    this.records = parts.records;
    this.wheel = parts.wheel;
    this.wire = parts.wire;
    this.ports = parts.ports;
    this.flows = parts.flows;
    this.control = parts.control;
    this.pacer = parts.pacer;
    this.options = parts.options;
    this.onFinished = parts.onFinished;
    this.selective = parts.selective;
    this.windowed = parts.control.window !== 'none' || parts.selective !== null;
    const { recovery, pacesInLine = false } = parts.options;
    this.inLine = pacesInLine;
    this.timeouts =
      recovery.kind === 'go-back-n' && recovery.timeoutNs === 0
        ? null
        : new Deadlines(parts.flows.count, parts.wheel, parts.timers, (flow) => this.onTimeout(flow));
    const { hostPorts } = parts.ports;
    for (let port = 0; port < hostPorts; port++) this.rings.push(new Int32Array(4));
    this.ringLength = new Int32Array(hostPorts);
    this.lastPlace = new Int32Array(hostPorts);
    this.wake = new Int32Array(hostPorts).fill(-1);
    this.wakeNs = new Float64Array(hostPorts);
    this.wakePlannedNs = new Float64Array(hostPorts);
  }

  /** A flow joins the ring of its port. */
  add(flow: number): void {
    const port = this.flows.sourcePort[flow];
    const length = this.ringLength[port];
    if (length === this.rings[port].length) {
      const larger = new Int32Array(length * 2);
      larger.set(this.rings[port]);
      this.rings[port] = larger;
    }
    this.rings[port][length] = flow;
    this.ringLength[port] = length + 1;
    this.flows.readyNs[flow] = this.wheel.nowNs;
  }

  /** The port is idle: sends a packet of the next flow that may, or plans to wake up when one may. */
  serve(port: number, plannedAgoNs = 0): void {
    if (this.ringLength[port] === 0) return;
    this.turnPlannedAgoNs = plannedAgoNs;
    const place = this.choose(port);
    if (place < 0) {
      this.planWake(port);
      return;
    }
    this.lastPlace[port] = place;
    this.send(port, this.rings[port][place]);
  }

  /** A wake-up fires: how long ago it was planned, -1 if it was replaced by an earlier one. */
  wakes(record: number): number {
    const port = this.records.words[(record << RECORD_SHIFT) + PORT];
    this.records.free(record);
    if (this.wake[port] !== record) return -1;
    this.wake[port] = -1;
    return this.wheel.nowNs - this.wakePlannedNs[port];
  }

  /** An acknowledgement, or a request to send again, arrives; false if its flow is done already. */
  acknowledge(record: number): boolean {
    const { flows, records } = this;
    const { words, ends } = records;
    const at = record << RECORD_SHIFT;
    const flow = ends[at + FLOW];
    if (flows.endNs[flow] >= 0) {
      records.free(record);
      return false;
    }
    const acked = flows.ackedBytes[flow];
    const seq = acked + ((ends[at + SEQ] - (acked | 0)) | 0);
    this.advance(flow, seq);
    if (this.selective !== null) {
      this.selective.onAcked(flow, acked);
      if ((words[at + META] & KIND_MASK) === NACK)
        this.selective.onGap(flow, acked + ((ends[at + ARRIVED] - (acked | 0)) | 0));
    } else if ((words[at + META] & KIND_MASK) === NACK) {
      flows.nextBytes[flow] = flows.ackedBytes[flow];
    }
    if (this.timeouts !== null) this.watch(flow, acked, this.timeouts);
    this.report(record, flow, seq);
    const before = this.control.rateBps[flow];
    if (this.control.onAck(flow, this.feedback)) this.respace(flow, before);
    records.free(record);
    return true;
  }

  /** After an acknowledgement: what is outstanding is waited for anew if it brought anything. */
  private watch(flow: number, ackedBefore: number, timeouts: Deadlines): void {
    const { flows } = this;
    const acked = flows.ackedBytes[flow];
    // What was sent before the sender went back may be acknowledged after it.
    if (flows.nextBytes[flow] < acked) flows.nextBytes[flow] = acked;
    if (flows.nextBytes[flow] === acked) timeouts.clear(flow);
    else if (acked > ackedBefore) timeouts.set(flow, this.timeoutNs(flow));
  }

  private timeoutNs(flow: number): number {
    const { recovery, payloadBytes } = this.options;
    if (recovery.kind === 'go-back-n') return recovery.timeoutNs;
    const inFlight = this.flows.nextBytes[flow] - this.flows.ackedBytes[flow];
    return inFlight < recovery.fewPackets * payloadBytes ? recovery.lowTimeoutNs : recovery.highTimeoutNs;
  }

  private onTimeout(flow: number): void {
    const { flows } = this;
    if (flows.endNs[flow] >= 0) return;
    this.control.onLoss(flow, this.wheel.nowNs);
    if (this.selective !== null) this.selective.onTimeout(flow);
    else flows.nextBytes[flow] = flows.ackedBytes[flow];
    this.timeouts!.set(flow, this.timeoutNs(flow));
    const port = flows.sourcePort[flow];
    if (this.ports.isIdle(port)) this.serve(port);
  }

  private advance(flow: number, seq: number): void {
    const { flows, options } = this;
    const counted = options.backToChunk ? Math.floor(seq / options.chunkBytes) * options.chunkBytes : seq;
    if (counted > flows.ackedBytes[flow]) flows.ackedBytes[flow] = counted;
    if (flows.ackedBytes[flow] < flows.sizeBytes[flow]) return;
    flows.endNs[flow] = this.wheel.nowNs;
    if (options.forgetsDone === true) {
      flows.expectedBytes[flow] = 0;
      flows.askAgainNs[flow] = 0;
      flows.askedBytes[flow] = 0;
    }
    this.onFinished(flow);
  }

  /** Fills in the feedback for the congestion control. */
  private report(record: number, flow: number, seq: number): void {
    const { records, feedback, wheel } = this;
    const { words, ends, telemetryStride } = records;
    const at = record << RECORD_SHIFT;
    feedback.nowNs = wheel.nowNs;
    feedback.rttNs = ((wheel.nowNs | 0) - ends[at + STAMP]) | 0;
    feedback.ackedBytes = seq;
    feedback.nextBytes = this.flows.nextBytes[flow];
    feedback.marked = (words[at + META] & MARKED) !== 0;
    if (telemetryStride === 0) return;
    feedback.telemetry = records.telemetry;
    feedback.telemetryAt = record * telemetryStride + 1;
    feedback.hops = records.telemetry[record * telemetryStride];
  }

  /**
   * The place of the next flow that may send, -1 if none may. Flows that turn out to be done on the way leave the ring,
   * and with them all that are done behind the first such place; `lastPlace` stays a place, as in ns-3.
   */
  private choose(port: number): number {
    const { flows } = this;
    const ring = this.rings[port];
    const length = this.ringLength[port];
    const paused = this.ports.paused(port);
    const nowNs = this.wheel.nowNs;
    let chosen = -1;
    let firstDone = length;
    let place = this.lastPlace[port] % length;
    for (let step = 0; step < length; step++) {
      if (++place === length) place = 0;
      const flow = ring[place];
      const next = flows.nextBytes[flow];
      const size = flows.sizeBytes[flow];
      if (this.hasPacket(flow, next, size) && (paused & (1 << flows.lane[flow])) === 0) {
        if (flows.readyNs[flow] > nowNs) {
          if (this.inLine) break;
          continue;
        }
        chosen = place;
        break;
      }
      if (flows.ackedBytes[flow] >= size && place < firstDone) firstDone = place;
    }
    return firstDone < length ? this.removeDone(port, firstDone, chosen) : chosen;
  }

  /** Whether a flow has a packet to send and its window lets it. */
  private hasPacket(flow: number, next: number, size: number): boolean {
    if (!this.windowed) return next < size;
    if (this.selective !== null) {
      if (this.selective.lostOffset(flow) >= 0) return true;
      if (this.selective.isFull(flow, next - this.flows.ackedBytes[flow])) return false;
    }
    return next < size && !this.isFull(flow, next);
  }

  /**
   * Without a timer a sender that went back may then be told of more than it has sent again. ns-3 counts what is in
   * flight without a sign: less than nothing fills any window, until the next request to go back.
   */
  private isFull(flow: number, next: number): boolean {
    const inFlight = next - this.flows.ackedBytes[flow];
    if (inFlight < 0) return true;
    this.control.advance(flow, this.wheel.nowNs, this.turnPlannedAgoNs);
    return this.control.isFull(flow, inFlight);
  }

  /** Removes flows that are done from a place on; returns where the chosen one stands then. */
  private removeDone(port: number, from: number, chosen: number): number {
    const { flows } = this;
    const ring = this.rings[port];
    const length = this.ringLength[port];
    let kept = from;
    let place = chosen;
    for (let each = from + 1; each < length; each++) {
      const flow = ring[each];
      if (flows.ackedBytes[flow] >= flows.sizeBytes[flow]) continue;
      if (each === chosen) place = kept;
      ring[kept++] = flow;
    }
    this.ringLength[port] = kept;
    return place;
  }

  private send(port: number, flow: number): void {
    const { flows, records, options, wheel } = this;
    const { selective, timeouts } = this;
    const lost = selective === null ? -1 : selective.lostOffset(flow);
    const next = lost >= 0 ? lost : flows.nextBytes[flow];
    const left = flows.sizeBytes[flow] - next;
    const payload = left < options.payloadBytes ? left : options.payloadBytes;
    const bytes = payload + options.headerBytes;
    const record = records.take();
    const at = record << RECORD_SHIFT;
    const { words, ends } = records;
    ends[at + FLOW] = flow;
    ends[at + SEQ] = next | 0;
    words[at + SIZE] = bytes;
    words[at + META] = DATA | (flows.lane[flow] << LANE_SHIFT);
    words[at + ROUTE] = flows.routeThere[flow];
    ends[at + STAMP] = wheel.nowNs | 0;
    if (records.telemetryStride > 0) records.telemetry[record * records.telemetryStride] = 0;
    if (lost >= 0) selective!.onResent(flow);
    else flows.nextBytes[flow] = next + payload;
    if (timeouts !== null && !timeouts.isSet(flow)) timeouts.set(flow, this.timeoutNs(flow));
    flows.lastBytes[flow] = bytes;
    this.sentPackets++;
    this.sentBytes += bytes;
    this.ports.sentBytes[port] += bytes;
    this.wire.send(port, record, bytes);
    this.control.advance(flow, wheel.nowNs, this.turnPlannedAgoNs);
    if (this.control.countsBytes) this.control.sent(flow, bytes);
    flows.readyNs[flow] = wheel.nowNs + this.pacer.gapNs(flow, bytes);
  }

  /** Nothing can be sent now: wakes up when pacing lets the first flow go. ns-3 counts flows that something else holds. */
  private planWake(port: number): void {
    const { flows } = this;
    if (this.wake[port] >= 0) return;
    const ring = this.rings[port];
    const length = this.ringLength[port];
    let earliest = this.inLine ? this.headReadyNs(port) : Infinity;
    for (let place = 0; place < length && !this.inLine; place++) {
      const flow = ring[place];
      if (this.isWaiting(flow) && flows.readyNs[flow] < earliest) earliest = flows.readyNs[flow];
    }
    if (earliest < Infinity && earliest > this.wheel.nowNs) this.setWake(port, earliest);
  }

  /** When the flow whose turn it is may send; Infinity if none has anything that it could. */
  private headReadyNs(port: number): number {
    const { flows } = this;
    const ring = this.rings[port];
    const length = this.ringLength[port];
    const paused = this.ports.paused(port);
    for (let step = 1; step <= length; step++) {
      const flow = ring[(this.lastPlace[port] + step) % length];
      if ((paused & (1 << flows.lane[flow])) !== 0) continue;
      if (this.hasPacket(flow, flows.nextBytes[flow], flows.sizeBytes[flow])) return flows.readyNs[flow];
    }
    return Infinity;
  }

  private isWaiting(flow: number): boolean {
    if (this.flows.nextBytes[flow] < this.flows.sizeBytes[flow]) return true;
    return this.selective !== null && this.selective.lostOffset(flow) >= 0;
  }

  private setWake(port: number, timeNs: number): void {
    const { records, wheel } = this;
    const record = records.take();
    const at = record << RECORD_SHIFT;
    records.words[at + META] = WAKE;
    records.words[at + PORT] = port;
    this.wake[port] = record;
    this.wakeNs[port] = timeNs;
    this.wakePlannedNs[port] = wheel.nowNs;
    wheel.after(timeNs > wheel.nowNs ? Math.ceil(timeNs - wheel.nowNs) : 0, record);
  }

  /** The flow's next departure moves to what the new rate makes of it; a wake-up that is too late moves with it. */
  private respace(flow: number, beforeBps: number): void {
    const { flows, control, pacer } = this;
    const port = flows.sourcePort[flow];
    const bytes = flows.lastBytes[flow];
    const readyNs =
      flows.readyNs[flow] + pacer.atRate(bytes, control.rateBps[flow]) - pacer.atRate(bytes, beforeBps);
    flows.readyNs[flow] = readyNs;
    if (this.wake[port] >= 0 && readyNs < this.wakeNs[port]) this.setWake(port, readyNs);
  }
}
