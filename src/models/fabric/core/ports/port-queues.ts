import { type Columns, ownColumns } from '../columns.js';

/** In a port's status: its wire is taken, and its service event is pending. */
export const BUSY = 1;
/** In a port's status: its link is down. */
export const DOWN = 2;
const STATE_MASK = BUSY | DOWN;
/** Lanes that a port may have: one for control, one for each of Ethernet's traffic classes. */
export const MAX_LANES = 9;
const LANES_MASK = (1 << MAX_LANES) - 1;
const WAITING_SHIFT = 2;
const PAUSED_SHIFT = WAITING_SHIFT + MAX_LANES;
const DISCARDS_SHIFT = PAUSED_SHIFT + MAX_LANES;
const WAITING_MASK = LANES_MASK << WAITING_SHIFT;

/** In a port's status: a lane has packets waiting. */
export function waitingBit(lane: number): number {
  return 1 << (WAITING_SHIFT + lane);
}

/** In a port's status: the other end has paused a lane. */
export function pausedBit(lane: number): number {
  return 1 << (PAUSED_SHIFT + lane);
}

/** In a port's status: what is for a lane, or comes in by it, is thrown away. */
export function discardsBit(lane: number): number {
  return 1 << (DISCARDS_SHIFT + lane);
}

/** What waits at ports, and what each may send now, as columns. Queues are numbered by port and lane. */
export class PortQueues {
  readonly count: number;
  readonly queueShift: number;
  /** `BUSY`, `DOWN`, lanes that wait, that are paused and whose packets are thrown away, in one word. */
  readonly status: Int32Array;
  /** The lane that was served last in round robin. */
  readonly served: Uint8Array;
  /** Bytes waiting, of all lanes. */
  readonly queuedBytes: Int32Array;
  /** Bytes that have begun to leave. */
  readonly sentBytes: Float64Array;
  /** Per queue: list of records and bytes in it. */
  readonly head: Int32Array;
  readonly tail: Int32Array;
  readonly queueBytes: Int32Array;

  constructor(count: number, queueShift: number, columns: Columns = ownColumns) {
    const queues = count << queueShift;
    this.count = count;
    this.queueShift = queueShift;
    this.status = columns.int32('ports.status', count);
    this.served = new Uint8Array(count);
    this.queuedBytes = columns.int32('ports.queuedBytes', count);
    this.sentBytes = columns.float64('ports.sentBytes', count);
    this.head = new Int32Array(queues);
    this.tail = new Int32Array(queues);
    this.queueBytes = columns.int32('ports.queueBytes', queues);
  }

  /** Whether a port can send: nothing is on its wire, and its link is up. */
  isIdle(port: number): boolean {
    return (this.status[port] & STATE_MASK) === 0;
  }

  /** Whether a packet of a lane can leave a port at once: it is idle, nothing waits, and the lane is not paused. */
  isClear(port: number, lane: number): boolean {
    const mask = STATE_MASK | WAITING_MASK | pausedBit(lane) | discardsBit(lane);
    return (this.status[port] & mask) === 0;
  }

  /** Whether what is for a lane of a port is thrown away. */
  discards(port: number, lane: number): boolean {
    return (this.status[port] & discardsBit(lane)) !== 0;
  }

  isDown(port: number): boolean {
    return (this.status[port] & DOWN) !== 0;
  }

  /** The link of a port fails: nobody holds it any more. */
  takeDown(port: number): void {
    this.status[port] = (this.status[port] | DOWN) & ~(LANES_MASK << PAUSED_SHIFT);
  }

  isPaused(port: number, lane: number): boolean {
    return (this.status[port] & pausedBit(lane)) !== 0;
  }

  /** Lanes with packets waiting, a bit each. */
  waiting(port: number): number {
    return (this.status[port] >>> WAITING_SHIFT) & LANES_MASK;
  }

  /** Lanes that are paused, a bit each. */
  paused(port: number): number {
    return (this.status[port] >>> PAUSED_SHIFT) & LANES_MASK;
  }
}
