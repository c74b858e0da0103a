import type { PortPlan } from '../topology/port-plan.js';
import { CLASSES } from './records.js';
import type { WireTimes } from './rounding.js';

/** A port's wire is taken: its service event is pending. */
export const BUSY = 1;

/**
 * The ports of a fabric as columns. Ports of hosts come first, then those of switches, each switch's in a row. Queues
 * are numbered by port and class.
 */
export class Ports {
  readonly count: number;
  /** Ports below this number are hosts'. */
  readonly hostPorts: number;
  readonly peer: Int32Array;
  readonly node: Int32Array;
  readonly delayNs: Int32Array;
  readonly rateBps: Float64Array;
  /** Where the port's transmission times begin in the table. */
  readonly timesBase: Int32Array;
  /** `BUSY` and `DOWN`; 0 when the port can send. */
  readonly state: Uint8Array;
  /** Classes that the other end has paused, a bit each. */
  readonly paused: Uint8Array;
  /** Classes with packets waiting, a bit each. */
  readonly waiting: Uint8Array;
  /** The class that was served last in round robin. */
  readonly served: Uint8Array;
  /** Bytes waiting, of all classes. */
  readonly queuedBytes: Int32Array;
  /** Bytes that have begun to leave. */
  readonly sentBytes: Float64Array;
  /** Per queue: list of records and bytes in it. */
  readonly head: Int32Array;
  readonly tail: Int32Array;
  readonly queueBytes: Int32Array;

  constructor(plan: PortPlan, times: WireTimes) {
    const count = plan.peer.length;
    this.count = count;
    this.hostPorts = plan.hostPorts;
    this.peer = plan.peer;
    this.node = plan.node;
    this.delayNs = plan.delayNs;
    this.rateBps = plan.rateBps;
    this.timesBase = Int32Array.from(plan.rateBps, (bps) => times.base(bps));
    this.state = new Uint8Array(count);
    this.paused = new Uint8Array(count);
    this.waiting = new Uint8Array(count);
    this.served = new Uint8Array(count);
    this.queuedBytes = new Int32Array(count);
    this.sentBytes = new Float64Array(count);
    this.head = new Int32Array(count * CLASSES).fill(-1);
    this.tail = new Int32Array(count * CLASSES).fill(-1);
    this.queueBytes = new Int32Array(count * CLASSES);
  }
}
