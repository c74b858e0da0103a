import { HOP_WORDS, type TelemetryFormat } from '../../../transport/congestion/rates/feedback.js';
import type { Ports } from '../core/ports.js';
import {
  CLASS_MASK,
  CLASS_SHIFT,
  DATA,
  KIND_MASK,
  MARKED,
  META,
  NEXT,
  PAUSE,
  PORT,
  QUEUE_SHIFT,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SEQ,
  SIZE,
} from '../core/records.js';
import type { Wheel } from '../core/wheel.js';
import type { Wire } from '../core/wire.js';
import type { BufferPolicy } from './buffer-policy.js';
import type { Coins, Marking } from './marking.js';

/** Bytes of a pause frame on the wire. */
export const PAUSE_BYTES = 43;

/** The switches of a fabric: shared buffers, priority flow control, marking and telemetry. */
export class SwitchPlane {
  /** Packets that no buffer took. */
  drops = 0;
  /** Of these, data packets and their bytes on the wire. */
  droppedData = 0;
  droppedDataBytes = 0;
  /** Pause and resume frames sent. */
  pauseFrames = 0;
  resumeFrames = 0;
  marks = 0;
  private readonly records: Records;
  private readonly wheel: Wheel;
  private readonly wire: Wire;
  private readonly ports: Ports;
  private readonly routes: Int32Array;
  private readonly policy: BufferPolicy;
  private readonly marking: Marking;
  private readonly coins: Coins;
  private readonly telemetry: TelemetryFormat | null;

  constructor(parts: {
    records: Records;
    wheel: Wheel;
    wire: Wire;
    ports: Ports;
    /** Egress ports, way after way: see `FlowTable.routes`. */
    routes: Int32Array;
    policy: BufferPolicy;
    marking: Marking;
    coins: Coins;
    telemetry: TelemetryFormat | null;
  }) {
    this.records = parts.records;
    this.wheel = parts.wheel;
    this.wire = parts.wire;
    this.ports = parts.ports;
    this.routes = parts.routes;
    this.policy = parts.policy;
    this.marking = parts.marking;
    this.coins = parts.coins;
    this.telemetry = parts.telemetry;
  }

  /** A packet arrives at a port of a switch. */
  receive(record: number, ingress: number): void {
    const { ports, policy } = this;
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const route = words[at + ROUTE];
    const egress = this.routes[route];
    words[at + ROUTE] = route + 1;
    const bytes = words[at + SIZE];
    const trafficClass = (words[at + META] >>> CLASS_SHIFT) & CLASS_MASK;
    if (trafficClass !== 0) {
      const ingressQueue = (ingress << QUEUE_SHIFT) | trafficClass;
      if (
        ports.state[egress] === 0 &&
        ports.waiting[egress] === 0 &&
        (ports.paused[egress] & (1 << trafficClass)) === 0 &&
        policy.passes(ingressQueue, bytes)
      ) {
        ports.served[egress] = trafficClass;
        this.depart(egress, record, bytes);
        return;
      }
      if (!policy.admit(ingressQueue, (egress << QUEUE_SHIFT) | trafficClass, bytes)) {
        this.drop(record, bytes);
        return;
      }
      if (policy.pauses(ingressQueue)) this.sendPause(ingress, trafficClass, 1);
    }
    this.enqueue(egress, trafficClass, record, bytes);
    if (ports.state[egress] === 0) this.serve(egress);
  }

  /** A port of a switch may send: nothing is on its wire. */
  serve(egress: number): void {
    const { ports } = this;
    const waiting = ports.waiting[egress];
    if (waiting === 0) return;
    if ((waiting & 1) !== 0) {
      const record = this.dequeue(egress, 0);
      this.depart(egress, record, this.records.words[(record << RECORD_SHIFT) + SIZE]);
      return;
    }
    const ready = waiting & ~ports.paused[egress];
    if (ready === 0) return;
    const trafficClass = nextClass(ready, ports.served[egress]);
    ports.served[egress] = trafficClass;
    this.release(egress, trafficClass, this.dequeue(egress, trafficClass));
  }

  private drop(record: number, bytes: number): void {
    const { records } = this;
    this.drops++;
    if ((records.words[(record << RECORD_SHIFT) + META] & KIND_MASK) === DATA) {
      this.droppedData++;
      this.droppedDataBytes += bytes;
    }
    records.free(record);
  }

  /** Sends a pause (1) or resume (0) of a class out of a port. */
  private sendPause(port: number, trafficClass: number, pauses: 0 | 1): void {
    const { records } = this;
    const record = records.take();
    const { words } = records;
    const at = record << RECORD_SHIFT;
    words[at + SEQ] = trafficClass;
    words[at + SIZE] = PAUSE_BYTES;
    words[at + META] = PAUSE;
    words[at + ROUTE] = pauses;
    if (pauses === 1) this.pauseFrames++;
    else this.resumeFrames++;
    this.coins.onPauseFrame();
    this.enqueue(port, 0, record, PAUSE_BYTES);
    if (this.ports.state[port] === 0) this.serve(port);
  }

  private enqueue(port: number, trafficClass: number, record: number, bytes: number): void {
    const { ports } = this;
    const { words } = this.records;
    const queue = (port << QUEUE_SHIFT) | trafficClass;
    const bit = 1 << trafficClass;
    words[(record << RECORD_SHIFT) + NEXT] = -1;
    if ((ports.waiting[port] & bit) !== 0) {
      words[(ports.tail[queue] << RECORD_SHIFT) + NEXT] = record;
    } else {
      ports.head[queue] = record;
      ports.waiting[port] |= bit;
    }
    ports.tail[queue] = record;
    ports.queueBytes[queue] += bytes;
    ports.queuedBytes[port] += bytes;
  }

  private dequeue(port: number, trafficClass: number): number {
    const { ports } = this;
    const { words } = this.records;
    const queue = (port << QUEUE_SHIFT) | trafficClass;
    const record = ports.head[queue];
    const at = record << RECORD_SHIFT;
    const next = words[at + NEXT];
    ports.head[queue] = next;
    if (next < 0) ports.waiting[port] &= ~(1 << trafficClass);
    const bytes = words[at + SIZE];
    ports.queueBytes[queue] -= bytes;
    ports.queuedBytes[port] -= bytes;
    return record;
  }

  /** A packet that waited leaves: its buffer is given back, it may be marked, its sender may be resumed. */
  private release(egress: number, trafficClass: number, record: number): void {
    const { ports, policy } = this;
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const bytes = words[at + SIZE];
    const ingressQueue = (words[at + PORT] << QUEUE_SHIFT) | trafficClass;
    const egressQueue = (egress << QUEUE_SHIFT) | trafficClass;
    policy.release(ingressQueue, egressQueue, bytes);
    if (this.marking.marks(egress, ports.queueBytes[egressQueue])) {
      words[at + META] |= MARKED;
      this.marks++;
    }
    for (let queue = policy.resumes(ingressQueue); queue >= 0; queue = policy.resumes(ingressQueue))
      this.sendPause(queue >> QUEUE_SHIFT, queue & CLASS_MASK, 0);
    this.depart(egress, record, bytes);
  }

  private depart(egress: number, record: number, bytes: number): void {
    const { ports } = this;
    if (this.telemetry !== null && (this.records.words[(record << RECORD_SHIFT) + META] & KIND_MASK) === DATA)
      this.addHop(egress, record, this.telemetry);
    ports.sentBytes[egress] += bytes;
    this.wire.send(egress, record, bytes);
  }

  private addHop(egress: number, record: number, format: TelemetryFormat): void {
    const { telemetry, telemetryStride } = this.records;
    const { ports } = this;
    const at = record * telemetryStride;
    const hop = telemetry[at]++;
    if (hop >= format.maxHops) return;
    const words = at + 1 + hop * HOP_WORDS;
    telemetry[words] = cut(this.wheel.nowNs, format.timeBits);
    telemetry[words + 1] = cut(Math.floor(ports.sentBytes[egress] / format.byteUnit), format.byteBits);
    telemetry[words + 2] = cut(Math.floor(ports.queuedBytes[egress] / format.queueUnit), format.queueBits);
    telemetry[words + 3] = ports.rateBps[egress] / 1e6;
  }
}

/** The low bits of a number that may be larger than 2^32. */
function cut(value: number, bits: number): number {
  return bits >= 32 ? value | 0 : value & ((1 << bits) - 1);
}

/** The class after the last served one, in a circle, that is ready. */
function nextClass(ready: number, served: number): number {
  if ((ready & (ready - 1)) === 0) return 31 - Math.clz32(ready);
  const after = ready & (-2 << served);
  const from = after !== 0 ? after : ready;
  return 31 - Math.clz32(from & -from);
}
