import { Feedback } from '../../../transport/congestion/rates/feedback.js';
import type { RateControl } from '../../../transport/congestion/rates/rate-control.js';
import type { Ports } from '../core/ports.js';
import {
  CLASS_SHIFT,
  DATA,
  FLOW,
  KIND_MASK,
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
import type { Wheel } from '../core/wheel.js';
import type { Wire } from '../core/wire.js';
import type { FlowTable } from './flow-table.js';
import type { NicOptions } from './nic-options.js';
import type { Pacer } from './pacer.js';

/** What a sender works on. */
export interface SenderParts {
  readonly records: Records;
  readonly wheel: Wheel;
  readonly wire: Wire;
  readonly ports: Ports;
  readonly flows: FlowTable;
  readonly control: RateControl;
  readonly pacer: Pacer;
  readonly options: NicOptions;
  /** Called when a flow's last byte is acknowledged. */
  readonly onFinished: (flow: number) => void;
}

/**
 * The sending side of light NICs: the flows of a port take turns, each paced by its rate and bounded by its window.
 * What was lost is sent again from the gap on (go-back-N).
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
  private readonly feedback = new Feedback();
  private readonly windowed: boolean;
  /** Per port: its flows in order of start, and the place of the one that sent last. */
  private readonly rings: Int32Array[] = [];
  private readonly ringLength: Int32Array;
  private readonly lastPlace: Int32Array;
  /** Per port: the pending wake-up, -1 if there is none, and its time. */
  private readonly wake: Int32Array;
  private readonly wakeNs: Float64Array;

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
    this.windowed = parts.control.window !== 'none';
    const { hostPorts } = parts.ports;
    for (let port = 0; port < hostPorts; port++) this.rings.push(new Int32Array(4));
    this.ringLength = new Int32Array(hostPorts);
    this.lastPlace = new Int32Array(hostPorts);
    this.wake = new Int32Array(hostPorts).fill(-1);
    this.wakeNs = new Float64Array(hostPorts);
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
  serve(port: number): void {
    if (this.ringLength[port] === 0) return;
    const place = this.choose(port);
    if (place < 0) {
      this.planWake(port);
      return;
    }
    this.lastPlace[port] = place;
    this.send(port, this.rings[port][place]);
  }

  /** A wake-up fires; true unless it was replaced by an earlier one. */
  wakes(record: number): boolean {
    const port = this.records.words[(record << RECORD_SHIFT) + PORT];
    this.records.free(record);
    if (this.wake[port] !== record) return false;
    this.wake[port] = -1;
    return true;
  }

  /** An acknowledgement, or a request to send again, arrives; false if its flow is done already. */
  acknowledge(record: number, port: number): boolean {
    const { flows, records } = this;
    const { words } = records;
    const at = record << RECORD_SHIFT;
    const flow = words[at + FLOW];
    if (flows.endNs[flow] >= 0) {
      records.free(record);
      return false;
    }
    const acked = flows.ackedBytes[flow];
    const seq = acked + ((words[at + SEQ] - (acked | 0)) | 0);
    this.advance(flow, seq);
    if ((words[at + META] & KIND_MASK) === NACK) flows.nextBytes[flow] = flows.ackedBytes[flow];
    this.report(record, flow, seq);
    const before = this.control.rateBps[flow];
    if (this.control.onAck(flow, this.feedback)) this.respace(port, flow, before);
    records.free(record);
    return true;
  }

  private advance(flow: number, seq: number): void {
    const { flows, options } = this;
    const counted = options.backToChunk ? Math.floor(seq / options.chunkBytes) * options.chunkBytes : seq;
    if (counted > flows.ackedBytes[flow]) flows.ackedBytes[flow] = counted;
    if (flows.ackedBytes[flow] < flows.sizeBytes[flow]) return;
    flows.endNs[flow] = this.wheel.nowNs;
    this.onFinished(flow);
  }

  /** Fills in the feedback for the congestion control. */
  private report(record: number, flow: number, seq: number): void {
    const { records, feedback, wheel } = this;
    const { words, telemetryStride } = records;
    const at = record << RECORD_SHIFT;
    feedback.nowNs = wheel.nowNs;
    feedback.rttNs = ((wheel.nowNs | 0) - words[at + STAMP]) | 0;
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
    const paused = this.ports.paused[port];
    const nowNs = this.wheel.nowNs;
    let chosen = -1;
    let firstDone = length;
    let place = this.lastPlace[port] % length;
    for (let step = 0; step < length; step++) {
      if (++place === length) place = 0;
      const flow = ring[place];
      const next = flows.nextBytes[flow];
      const size = flows.sizeBytes[flow];
      if (next < size && (paused & (1 << flows.trafficClass[flow])) === 0 && !this.isFull(flow, next)) {
        if (flows.readyNs[flow] > nowNs) continue;
        chosen = place;
        break;
      }
      if (flows.ackedBytes[flow] >= size && place < firstDone) firstDone = place;
    }
    return firstDone < length ? this.removeDone(port, firstDone, chosen) : chosen;
  }

  private isFull(flow: number, next: number): boolean {
    if (!this.windowed) return false;
    this.control.advance(flow, this.wheel.nowNs);
    return this.control.isFull(flow, next - this.flows.ackedBytes[flow]);
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
    const next = flows.nextBytes[flow];
    const left = flows.sizeBytes[flow] - next;
    const payload = left < options.payloadBytes ? left : options.payloadBytes;
    const bytes = payload + options.headerBytes;
    const record = records.take();
    const at = record << RECORD_SHIFT;
    const { words } = records;
    words[at + FLOW] = flow;
    words[at + SEQ] = next | 0;
    words[at + SIZE] = bytes;
    words[at + META] = DATA | (flows.trafficClass[flow] << CLASS_SHIFT);
    words[at + ROUTE] = flows.routeThere[flow];
    words[at + STAMP] = wheel.nowNs | 0;
    if (records.telemetryStride > 0) records.telemetry[record * records.telemetryStride] = 0;
    flows.nextBytes[flow] = next + payload;
    flows.lastBytes[flow] = bytes;
    this.sentPackets++;
    this.sentBytes += bytes;
    this.ports.sentBytes[port] += bytes;
    this.wire.send(port, record, bytes);
    this.control.advance(flow, wheel.nowNs);
    flows.readyNs[flow] = wheel.nowNs + this.pacer.gapNs(flow, bytes);
  }

  /** Nothing can be sent now: wakes up when pacing lets the first flow go. ns-3 counts flows that something else holds. */
  private planWake(port: number): void {
    const { flows } = this;
    if (this.wake[port] >= 0) return;
    const ring = this.rings[port];
    const length = this.ringLength[port];
    let earliest = Infinity;
    for (let place = 0; place < length; place++) {
      const flow = ring[place];
      if (flows.nextBytes[flow] < flows.sizeBytes[flow] && flows.readyNs[flow] < earliest)
        earliest = flows.readyNs[flow];
    }
    if (earliest < Infinity && earliest > this.wheel.nowNs) this.setWake(port, earliest);
  }

  private setWake(port: number, timeNs: number): void {
    const { records, wheel } = this;
    const record = records.take();
    const at = record << RECORD_SHIFT;
    records.words[at + META] = WAKE;
    records.words[at + PORT] = port;
    this.wake[port] = record;
    this.wakeNs[port] = timeNs;
    wheel.after(timeNs > wheel.nowNs ? Math.ceil(timeNs - wheel.nowNs) : 0, record);
  }

  /** The flow's next departure moves to what the new rate makes of it; a wake-up that is too late moves with it. */
  private respace(port: number, flow: number, beforeBps: number): void {
    const { flows, control, pacer } = this;
    const bytes = flows.lastBytes[flow];
    const readyNs =
      flows.readyNs[flow] + pacer.atRate(bytes, control.rateBps[flow]) - pacer.atRate(bytes, beforeBps);
    flows.readyNs[flow] = readyNs;
    if (this.wake[port] >= 0 && readyNs < this.wakeNs[port]) this.setWake(port, readyNs);
  }
}
