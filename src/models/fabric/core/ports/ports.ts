import type { PortPlan } from '../../topology/port-plan.js';
import type { Columns } from '../columns.js';
import type { WireTimes } from '../events/rounding.js';
import type { Lanes } from './lanes.js';
import { PortQueues } from './port-queues.js';

/** The ports of a fabric as columns. Ports of hosts come first, then those of switches, each switch's in a row. */
export class Ports extends PortQueues {
  /** Ports below this number are hosts'. */
  readonly hostPorts: number;
  readonly peer: Int32Array;
  readonly node: Int32Array;
  readonly delayNs: Int32Array;
  readonly rateBps: Float64Array;
  /** Where the port's transmission times begin in the table. */
  readonly timesBase: Int32Array;

  constructor(plan: PortPlan, times: WireTimes, lanes: Lanes, columns?: Columns) {
    super(plan.peer.length, lanes.queueShift, columns);
    this.hostPorts = plan.hostPorts;
    this.peer = plan.peer;
    this.node = plan.node;
    this.delayNs = plan.delayNs;
    this.rateBps = plan.rateBps;
    this.timesBase = Int32Array.from(plan.rateBps, (bps) => times.base(bps));
  }
}
