import { KelpieError } from '../../../error.js';
import type { PortPlan } from '../topology/port-plan.js';
import type { Routing } from '../topology/routing.js';
import type { Topology } from '../topology/topology.js';

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

/**
 * The ways of guests through the fabric: egress ports of switches behind those of the flows. Flows hash by their ports;
 * a guest's packets come with a hash of their own.
 */
export class GuestWays {
  /** Egress ports of the flows' ways and of the guests'. */
  readonly routes: Int32Array;
  /** Where ways begin, by source, target and hash. */
  private readonly begin: Int32Array;
  private readonly guests: number;

  constructor({ nodes }: GuestHosts, routing: Routing, flowRoutes: Int32Array) {
    const routes = [...flowRoutes];
    const count = nodes.length;
    this.guests = count;
    this.begin = new Int32Array(count * count * WAYS);
    for (let source = 0; source < count; source++)
      for (let target = 0; target < count; target++)
        for (let way = 0; source !== target && way < WAYS; way++) {
          this.begin[(source * count + target) * WAYS + way] = routes.length;
          routing.route(nodes[source], nodes[target], way, WAYS + way, routes);
        }
    this.routes = Int32Array.from(routes);
  }

  routeOf(source: number, target: number, hash: number): number {
    return this.begin[(source * this.guests + target) * WAYS + (hash % WAYS)];
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
