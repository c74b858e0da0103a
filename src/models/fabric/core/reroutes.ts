import type { FlowTable } from '../nic/flow-table.js';
import type { PortPlan } from '../topology/port-plan.js';
import type { Routing } from '../topology/routing.js';

/** In place of the way of a packet that goes by what each switch knows. */
export const OFF_ITS_WAY = -1;

/**
 * Packets that were under way when the paths changed: a switch that they reach sends them by the new ones. Packets carry
 * their way with them, so that these are told by a way that is none of the present state of the links.
 */
export class Reroutes {
  private readonly flows: FlowTable;
  private readonly plan: PortPlan;
  private readonly routingOf: (state: number) => Routing;
  private state = 0;
  /** The ways of the present state in `routes`. */
  private begin = 0;
  private end = Infinity;
  /** Made when the first packet needs it: most changes meet few. */
  private routing: Routing | null = null;

  constructor(flows: FlowTable, plan: PortPlan, routingOf: (state: number) => Routing) {
    this.flows = flows;
    this.plan = plan;
    this.routingOf = routingOf;
  }

  /** Paths are those of a state of the links from now on. */
  take(state: number): void {
    this.state = state;
    this.routing = null;
    [this.begin, this.end] = this.flows.waysOfState(state);
  }

  /** Whether a packet's way is that of another state. */
  isOutdated(route: number): boolean {
    return route < this.begin || route >= this.end;
  }

  /** The port by which a packet leaves a switch that it reached by `port`; -1 if no way leads on. */
  egress(port: number, flow: number, isBack: boolean): number {
    const { flows } = this;
    this.routing ??= this.routingOf(this.state);
    const [source, target] = [flows.source[flow], flows.target[flow]];
    const [sport, dport] = [flows.sport[flow], flows.dport[flow]];
    const node = this.plan.node[port];
    return isBack
      ? this.routing.next(node, target, source, dport, sport)
      : this.routing.next(node, source, target, sport, dport);
  }
}
