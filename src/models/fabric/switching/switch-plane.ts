import { HOP_WORDS, type TelemetryFormat } from '../../../transport/congestion/rates/feedback.js';
import { BUSY, type PortQueues, waitingBit } from '../core/ports/port-queues.js';
import {
  DATA,
  FLOW,
  GUEST,
  KIND_MASK,
  LANE_MASK,
  LANE_SHIFT,
  MARKED,
  META,
  PAUSE,
  PORT,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SIZE,
} from '../core/records.js';
import type { BufferPolicy } from './buffer-policy.js';
import type { LaneShares } from './lane-shares.js';
import type { Marking } from './marking.js';
import type { PauseRepeats } from './pause-repeats.js';
import type { Transmitter } from './transmitter.js';

/** Bytes of a pause frame on the wire, as ns-3 has it: headers without padding. */
export const PAUSE_BYTES = 43;

/**
 * Switches: shared buffers, priority flow control, marking and telemetry. All that a fabric has are one plane; a switch
 * of a simulated world is one by itself. Who calls it knows the clock and the ways; a {@link Transmitter} the cables.
 */
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
  /** Of the drops: packets of queues in a pause storm. */
  discarded = 0;
  private readonly records: Records;
  private readonly wire: Transmitter;
  private readonly ports: PortQueues;
  private readonly rateBps: Float64Array;
  private readonly queueShift: number;
  private readonly policy: BufferPolicy;
  private readonly marking: Marking;
  private readonly marksArrivals: boolean;
  private readonly telemetry: TelemetryFormat | null;
  private readonly cellBytes: number;
  private readonly pauseBytes: number;
  private readonly onPauseFrame: () => void;
  private readonly repeats: PauseRepeats | null;
  private readonly shares: LaneShares | null;
  /** Whether queues may come to discard their packets. */
  private readonly watched: boolean;
  private readonly onGuestLost: (packet: number) => void;

  constructor(parts: {
    records: Records;
    wire: Transmitter;
    ports: PortQueues;
    /** Rates of the ports, for telemetry. */
    rateBps: Float64Array;
    policy: BufferPolicy;
    marking: Marking;
    /** How packets carry telemetry; null if they do not. */
    telemetry: TelemetryFormat | null;
    /** Memory is given out in cells of this many bytes, and queues are as long as their cells; 0: in bytes. */
    cellBytes: number;
    /** Bytes of a pause frame on the wire. */
    pauseBytes: number;
    /** A pause or resume is sent. */
    onPauseFrame: () => void;
    /** Null if pauses do not run out. */
    repeats: PauseRepeats | null;
    /** How classes share a port; null: packet by packet in turn, as in ns-3. */
    shares: LaneShares | null;
    watched: boolean;
    onGuestLost: (packet: number) => void;
  }) {
    this.records = parts.records;
    this.wire = parts.wire;
    this.ports = parts.ports;
    this.rateBps = parts.rateBps;
    this.queueShift = parts.ports.queueShift;
    this.policy = parts.policy;
    this.marking = parts.marking;
    this.marksArrivals = parts.marking.when === 'arrival';
    this.telemetry = parts.telemetry;
    this.cellBytes = parts.cellBytes;
    this.pauseBytes = parts.pauseBytes;
    this.onPauseFrame = parts.onPauseFrame;
    this.repeats = parts.repeats;
    this.shares = parts.shares;
    this.watched = parts.watched;
    this.onGuestLost = parts.onGuestLost;
    this.repeats?.onDue((queue) => this.repeatPause(queue));
  }

  /** A packet arrives at a port of a switch, and is to leave by another. */
  receive(record: number, ingress: number, egress: number): void {
    const { ports, policy } = this;
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const bytes = words[at + SIZE];
    const lane = (words[at + META] >>> LANE_SHIFT) & LANE_MASK;
    if (this.watched && ports.discards(ingress, lane)) {
      this.discarded++;
      this.drop(record, bytes);
      return;
    }
    if (lane !== 0) {
      const { queueShift } = this;
      const ingressQueue = (ingress << queueShift) | lane;
      if (ports.isClear(egress, lane) && policy.passes(ingressQueue, bytes)) {
        ports.served[egress] = lane;
        this.depart(egress, record, bytes);
        return;
      }
      if (ports.discards(egress, lane)) {
        this.discarded++;
        this.drop(record, bytes);
        return;
      }
      if (ports.isDown(egress) || !policy.admit(ingressQueue, (egress << queueShift) | lane, bytes)) {
        this.drop(record, bytes);
        return;
      }
      if (policy.pauses(ingressQueue)) this.sendPause(ingress, lane, 1);
      if (this.marksArrivals) this.mark(egress, (egress << queueShift) | lane, at);
    } else if (ports.isDown(egress)) {
      this.drop(record, bytes);
      return;
    }
    this.enqueue(egress, lane, record, bytes);
    if (ports.isIdle(egress)) this.serve(egress);
  }

  /** A port of a switch may send: nothing is on its wire. */
  serve(egress: number): void {
    const { ports } = this;
    const waiting = ports.waiting(egress);
    if (waiting === 0) return;
    if ((waiting & 1) !== 0) {
      const record = this.dequeue(egress, 0);
      this.depart(egress, record, this.records.words[(record << RECORD_SHIFT) + SIZE]);
      return;
    }
    const ready = waiting & ~ports.paused(egress);
    if (ready === 0) return;
    const lane = this.shares === null ? nextLane(ready, ports.served[egress]) : this.choose(egress, ready);
    ports.served[egress] = lane;
    this.release(egress, lane, this.dequeue(egress, lane));
  }

  /** Strict lanes first, then by deficits. One lane is the common case. */
  private choose(egress: number, ready: number): number {
    if ((ready & (ready - 1)) === 0) return 31 - Math.clz32(ready);
    const shares = this.shares!;
    const { words } = this.records;
    const { head } = this.ports;
    const first = shares.strictOf(ready);
    if (first >= 0) return first;
    for (;;) {
      const lane = shares.turn(egress, ready);
      const record = head[(egress << this.queueShift) | lane];
      if (shares.grants(egress, lane, words[(record << RECORD_SHIFT) + SIZE])) return lane;
    }
  }

  /** The link of a port failed: what waits there is thrown away. */
  flush(egress: number): void {
    const { ports } = this;
    for (let waiting = ports.waiting(egress); waiting !== 0; waiting = ports.waiting(egress))
      this.throwAway(egress, 31 - Math.clz32(waiting));
  }

  /** What waits in a lane of a port is thrown away. */
  discard(egress: number, lane: number): void {
    while ((this.ports.waiting(egress) & (1 << lane)) !== 0) {
      this.discarded++;
      this.throwAway(egress, lane);
    }
  }

  /** The link of a port is up again: the other end does not know any more whom this switch wants to be silent. */
  repeatPauses(port: number): void {
    for (let lane = 1; lane < 1 << this.queueShift; lane++)
      if (this.policy.isPaused((port << this.queueShift) | lane)) this.sendPause(port, lane, 1);
  }

  /** A packet that is in no queue is thrown away. */
  drop(record: number, bytes: number): void {
    const { records } = this;
    const at = record << RECORD_SHIFT;
    const meta = records.words[at + META];
    this.drops++;
    if ((meta & GUEST) !== 0) {
      this.onGuestLost(records.ends[at + FLOW]);
    } else if ((meta & KIND_MASK) === DATA) {
      this.droppedData++;
      this.droppedDataBytes += bytes;
    }
    records.free(record);
  }

  private throwAway(egress: number, lane: number): void {
    const record = this.dequeue(egress, lane);
    const bytes = this.records.words[(record << RECORD_SHIFT) + SIZE];
    if (lane !== 0) this.giveBack(egress, lane, record, bytes);
    this.drop(record, bytes);
  }

  /** Sends a pause (1) or resume (0) of a lane out of a port. */
  private sendPause(port: number, lane: number, pauses: 0 | 1): void {
    if (this.ports.isDown(port)) return;
    const { records } = this;
    const record = records.take();
    const { words } = records;
    const at = record << RECORD_SHIFT;
    words[at + SIZE] = this.pauseBytes;
    words[at + META] = PAUSE | (lane << LANE_SHIFT);
    words[at + ROUTE] = pauses;
    if (pauses === 1) {
      this.pauseFrames++;
      this.repeats?.plan(port, lane);
    } else {
      this.resumeFrames++;
    }
    this.onPauseFrame();
    this.enqueue(port, 0, record, this.pauseBytes);
    if (this.ports.isIdle(port)) this.serve(port);
  }

  private repeatPause(queue: number): void {
    if (this.policy.isPaused(queue))
      this.sendPause(queue >> this.queueShift, queue & ((1 << this.queueShift) - 1), 1);
  }

  private enqueue(port: number, lane: number, record: number, bytes: number): void {
    const { ports } = this;
    const queue = (port << this.queueShift) | lane;
    const bit = waitingBit(lane);
    if ((ports.status[port] & bit) !== 0) {
      this.records.next[ports.tail[queue]] = record;
    } else {
      ports.head[queue] = record;
      ports.status[port] |= bit;
    }
    ports.tail[queue] = record;
    const heldBytes = this.heldBytes(bytes);
    ports.queueBytes[queue] += heldBytes;
    ports.queuedBytes[port] += heldBytes;
  }

  private dequeue(port: number, lane: number): number {
    const { ports, records } = this;
    const queue = (port << this.queueShift) | lane;
    const record = ports.head[queue];
    if (record === ports.tail[queue]) {
      ports.status[port] &= ~waitingBit(lane);
      if (this.shares !== null) this.shares.forget(port, lane);
    } else ports.head[queue] = records.next[record];
    const heldBytes = this.heldBytes(records.words[(record << RECORD_SHIFT) + SIZE]);
    ports.queueBytes[queue] -= heldBytes;
    ports.queuedBytes[port] -= heldBytes;
    return record;
  }

  /** What a frame takes of the memory. */
  private heldBytes(bytes: number): number {
    const { cellBytes } = this;
    return cellBytes === 0 ? bytes : Math.ceil(bytes / cellBytes) * cellBytes;
  }

  /** A packet that waited leaves: its buffer is given back, it may be marked, its sender may be resumed. */
  private release(egress: number, lane: number, record: number): void {
    const { policy, queueShift } = this;
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const bytes = words[at + SIZE];
    const ingressQueue = (words[at + PORT] << queueShift) | lane;
    const egressQueue = (egress << queueShift) | lane;
    policy.release(ingressQueue, egressQueue, bytes);
    if (!this.marksArrivals) this.mark(egress, egressQueue, at);
    // The port is taken: a resume may be for whoever is at its other end, and waits for the packet that leaves now.
    this.ports.status[egress] |= BUSY;
    this.resume(ingressQueue);
    this.depart(egress, record, bytes);
  }

  /** Marks a packet if its queue is long: what remains in it on departure, or was there before it on arrival. */
  private mark(egress: number, egressQueue: number, at: number): void {
    if (!this.marking.marks(egress, this.ports.queueBytes[egressQueue])) return;
    const { words } = this.records;
    const meta = words[at + META];
    // The mark of a light NIC's answer is the echo of its data: what the answer itself meets on its way tells nobody.
    if ((meta & GUEST) === 0 && (meta & KIND_MASK) !== DATA) return;
    words[at + META] = meta | MARKED;
    this.marks++;
  }

  /** A packet that waited is thrown away: its buffer is given back. */
  private giveBack(egress: number, lane: number, record: number, bytes: number): void {
    const ingress = this.records.words[(record << RECORD_SHIFT) + PORT];
    const ingressQueue = (ingress << this.queueShift) | lane;
    this.policy.release(ingressQueue, (egress << this.queueShift) | lane, bytes);
    this.resume(ingressQueue);
  }

  private resume(ingressQueue: number): void {
    const { policy, queueShift } = this;
    for (let queue = policy.resumes(ingressQueue); queue >= 0; queue = policy.resumes(ingressQueue))
      this.sendPause(queue >> queueShift, queue & ((1 << queueShift) - 1), 0);
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
    telemetry[words] = cut(this.wire.nowNs, format.timeBits);
    telemetry[words + 1] = cut(Math.floor(ports.sentBytes[egress] / format.byteUnit), format.byteBits);
    telemetry[words + 2] = cut(Math.floor(ports.queuedBytes[egress] / format.queueUnit), format.queueBits);
    telemetry[words + 3] = this.rateBps[egress] / 1e6;
  }
}

/** The low bits of a number that may be larger than 2^32. */
function cut(value: number, bits: number): number {
  return bits >= 32 ? value | 0 : value & ((1 << bits) - 1);
}

/** The lane after the last served one, in a circle, that is ready. */
function nextLane(ready: number, served: number): number {
  if ((ready & (ready - 1)) === 0) return 31 - Math.clz32(ready);
  const after = ready & (-2 << served);
  const from = after !== 0 ? after : ready;
  return 31 - Math.clz32(from & -from);
}
