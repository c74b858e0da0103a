import { KelpieError } from '../../../../error.js';
import type { PortPlan } from '../../topology/port-plan.js';
import type { Routing } from '../../topology/routing.js';
import type { Topology } from '../../topology/topology.js';

/** Hosts of a fabric that another simulation drives: full NICs among light ones. Each has one port. */
export interface GuestHosts {
  /** Their nodes. */
  readonly nodes: readonly number[];
  /** Classes that their packets travel in; not 0, which is of pause frames. */
  readonly trafficClasses: readonly number[];
  /** Bytes on the wire of their largest packet. */
  readonly largestBytes: number;
}

/** Traffic classes that Ethernet has. */
const CLASSES = 8;
/** Ways between two guests that equal costs are spread over. */
const WAYS = 16;

/** From a time on, ways are those of a state of the links. */
export interface StateChange {
  readonly fromNs: number;
  readonly state: number;
}

/**
 * The ways of guests through the fabric: egress ports of switches behind those of the flows. Flows hash by their ports;
 * a guest's packets come with a hash of their own. A packet keeps the way that it had when it came in.
 */
export class GuestWays {
  /** Egress ports of the flows' ways and of the guests'. */
  readonly routes: Int32Array;
  /** Where ways begin, by state of the links, source, target and hash. */
  private readonly begin: Int32Array;
  private readonly guests: number;
  private readonly changes: readonly StateChange[];

  /** `routings` has one for each state of the links. */
  constructor(
    { nodes }: GuestHosts,
    routings: readonly Routing[],
    flowRoutes: Int32Array,
    changes: readonly StateChange[],
  ) {
    const routes = [...flowRoutes];
    const count = nodes.length;
    this.guests = count;
    this.changes = changes;
    this.begin = new Int32Array(routings.length * count * count * WAYS);
    for (const [state, routing] of routings.entries())
      for (let source = 0; source < count; source++)
        for (let target = 0; target < count; target++)
          for (let way = 0; source !== target && way < WAYS; way++) {
            const at = this.placeOf(state, source, target, way);
            // Where no way is left packets go where they went before, and are lost.
            this.begin[at] = state === 0 ? 0 : this.begin[this.placeOf(0, source, target, way)];
            if (!routing.reaches(nodes[source], nodes[target])) continue;
            this.begin[at] = routes.length;
            routing.route(nodes[source], nodes[target], way, WAYS + way, routes);
          }
    this.routes = Int32Array.from(routes);
  }

  /** The way of a packet that comes in at a time. */
  routeOf(source: number, target: number, hash: number, nowNs: number): number {
    let state = 0;
    for (const change of this.changes) {
      if (change.fromNs > nowNs) break;
      state = change.state;
    }
    return this.begin[this.placeOf(state, source, target, hash % WAYS)];
  }

  private placeOf(state: number, source: number, target: number, way: number): number {
    return ((state * this.guests + source) * this.guests + target) * WAYS + way;
  }
}

/**
 * Classes that the packets of guests travel in, if those of their class 0 travel in `trafficClass`: class 0 of a fabric
 * is of pause frames.
 */
export function guestClasses(trafficClass: number): readonly number[] {
  const classes = new Set([trafficClass]);
  for (let each = 1; each < CLASSES; each++) classes.add(each);
  return [...classes].sort((a, b) => a - b);
}

/** Refuses guests that are no hosts with one port, or are told twice, and classes that are none. */
export function checkGuests({ nodes, trafficClasses }: GuestHosts, topology: Topology, plan: PortPlan): void {
  const refuse = (field: string, given: unknown, allowed: string): never => {
    throw new KelpieError('FABRIC_GUEST', 'a guest cannot be joined', { field, given, allowed });
  };
  for (const [guest, node] of nodes.entries()) {
    const ports = plan.portEnd[node] - plan.portBegin[node];
    if (topology.isSwitch[node] !== 0 || ports !== 1)
      refuse(`guests.nodes[${guest}]`, node, 'hosts with one port');
    if (topology.isSwitch[plan.node[plan.peer[plan.portBegin[node]]]] === 0)
      refuse(`guests.nodes[${guest}]`, node, 'hosts on a switch');
    if (nodes.indexOf(node) !== guest) refuse(`guests.nodes[${guest}]`, node, 'each host once');
  }
  for (const each of trafficClasses)
    if (!Number.isInteger(each) || each < 1 || each > 7) refuse('guests.trafficClasses', each, '1 to 7');
}
