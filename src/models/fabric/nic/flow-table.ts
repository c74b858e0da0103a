import { KelpieError } from '../../../error.js';
import { type Columns, ownColumns } from '../core/columns.js';
import type { Lanes } from '../core/ports/lanes.js';
import type { Routing } from '../topology/routing.js';
import type { Topology } from '../topology/topology.js';
import { FlowOrder } from './flow-order.js';
import type { FlowSpec } from './flow-spec.js';

/** Refuses flows that cannot be sent: ends that have no light NIC, no bytes, or not in order of start. */
export function checkFlows(
  specs: readonly FlowSpec[],
  { isSwitch }: Topology,
  guests: readonly number[] = [],
): void {
  const known = new Set<FlowSpec>();
  let lastNs = 0;
  for (const [index, spec] of specs.entries()) {
    const { source, target, trafficClass, bytes, startNs, after = [] } = spec;
    const refuse = (field: string, given: unknown, allowed: string): never => {
      throw new KelpieError('FABRIC_FLOW', `flow ${index} cannot be sent`, { field, given, allowed });
    };
    if (isSwitch[source] !== 0) refuse('source', source, 'a host');
    if (isSwitch[target] !== 0 || target === source) refuse('target', target, 'another host');
    if (guests.includes(source)) refuse('source', source, 'a host with a light NIC');
    if (!Number.isInteger(bytes) || bytes < 1) refuse('bytes', bytes, 'a whole number, 1 or more');
    if (!(trafficClass >= 0 && trafficClass <= 7)) refuse('trafficClass', trafficClass, '0 to 7');
    if (!Number.isInteger(startNs) || startNs < lastNs)
      refuse('startNs', startNs, `a whole number, ${lastNs} or more: flows are in order of start`);
    lastNs = startNs;
    for (const each of after)
      if (!known.has(each) || (each.target !== source && each.source !== source))
        refuse('after', each.source, 'earlier flows of the list, to or from its source');
    known.add(spec);
  }
}

/** Source ports count up from here, per pair of hosts. */
const FIRST_SPORT = 10_000;

/** The flows of a fabric as columns. What the sender writes and what the receiver writes are different columns. */
export class FlowTable {
  readonly count: number;
  readonly source: Int32Array;
  readonly target: Int32Array;
  readonly sport: Uint16Array;
  readonly dport: Uint16Array;
  readonly lane: Uint8Array;
  readonly sizeBytes: Float64Array;
  readonly startNs: Float64Array;
  /** What a flow waits for after those that it follows. */
  readonly computeNs: Float64Array;
  readonly order: FlowOrder;
  /** When the last acknowledgement arrived at the sender; -1 until then. */
  readonly endNs: Float64Array;
  /** The port by which data leaves its host, and the one by which acknowledgements leave theirs. */
  readonly sourcePort: Int32Array;
  readonly targetPort: Int32Array;
  /** Where the way there and the way back begin in `routes`. */
  readonly routeThere: Int32Array;
  readonly routeBack: Int32Array;
  /** Egress ports of switches, way after way. */
  readonly routes: Int32Array;

  /** Sender: everything below is acknowledged; the next offset to send. */
  readonly ackedBytes: Float64Array;
  readonly nextBytes: Float64Array;
  /** Sender: pacing lets the next packet go at this time. */
  readonly readyNs: Float64Array;
  /** Sender: size of the last packet. */
  readonly lastBytes: Int32Array;

  /** Receiver: the offset that it waits for. */
  readonly expectedBytes: Float64Array;
  /** Receiver: what it asked for again last, and when it may ask for the same again. */
  readonly askedBytes: Float64Array;
  readonly askAgainNs: Float64Array;

  /** Ways there and back in each state of the links. */
  private readonly ways: { there: Int32Array; back: Int32Array }[] = [];
  /** Where the ways of each state begin in `routes`, and where the last ones end. */
  private readonly wayBegins: number[] = [0];

  /** `detours` are the routings of other states of the links, from state 1 on. */
  constructor(
    specs: readonly FlowSpec[],
    routing: Routing,
    lanes: Lanes,
    detours: readonly Routing[] = [],
    columns: Columns = ownColumns,
  ) {
    const count = specs.length;
    this.count = count;
    this.source = Int32Array.from(specs, ({ source }) => source);
    this.target = Int32Array.from(specs, ({ target }) => target);
    this.dport = Uint16Array.from(specs, ({ dport }) => dport);
    this.lane = Uint8Array.from(specs, ({ trafficClass }) => lanes.laneOf[trafficClass]);
    this.sizeBytes = Float64Array.from(specs, ({ bytes }) => bytes);
    this.startNs = columns.float64('flows.startNs', count);
    for (let flow = 0; flow < count; flow++) this.startNs[flow] = specs[flow].startNs;
    this.computeNs = Float64Array.from(specs, ({ computeNs = 0 }) => computeNs);
    this.order = new FlowOrder(specs);
    this.endNs = columns.float64('flows.endNs', count).fill(-1);
    this.sport = new Uint16Array(count);
    this.sourcePort = new Int32Array(count);
    this.targetPort = new Int32Array(count);
    this.routeThere = new Int32Array(count);
    this.routeBack = new Int32Array(count);
    const nextSport = new Map<number, number>();
    const routes: number[] = [];
    for (let flow = 0; flow < count; flow++) {
      const { source, target, dport } = specs[flow];
      const pair = source * 2 ** 24 + target;
      const sport = nextSport.get(pair) ?? FIRST_SPORT;
      nextSport.set(pair, sport + 1);
      this.sport[flow] = sport;
      this.routeThere[flow] = routes.length;
      this.sourcePort[flow] = routing.route(source, target, this.sport[flow], dport, routes);
      this.routeBack[flow] = routes.length;
      this.targetPort[flow] = routing.route(target, source, dport, this.sport[flow], routes);
    }
    this.ways.push({ there: this.routeThere.slice(), back: this.routeBack.slice() });
    this.wayBegins.push(routes.length);
    for (const detour of detours) {
      this.ways.push(this.waysOf(detour, routes));
      this.wayBegins.push(routes.length);
    }
    this.routes = Int32Array.from(routes);
    this.ackedBytes = new Float64Array(count);
    this.nextBytes = new Float64Array(count);
    this.readyNs = new Float64Array(count);
    this.lastBytes = new Int32Array(count);
    this.expectedBytes = columns.float64('flows.expectedBytes', count);
    this.askedBytes = new Float64Array(count);
    this.askAgainNs = new Float64Array(count);
  }

  /** Where the ways of a state of the links begin and end in `routes`. */
  waysOfState(state: number): readonly [begin: number, end: number] {
    return [this.wayBegins[state], this.wayBegins[state + 1]];
  }

  /** From now on flows take the ways of a state of the links; only those whose ends are `isOwn`. */
  take(state: number, isOwn: (node: number) => boolean): void {
    const { there, back } = this.ways[state];
    for (let flow = 0; flow < this.count; flow++) {
      if (isOwn(this.source[flow])) this.routeThere[flow] = there[flow];
      if (isOwn(this.target[flow])) this.routeBack[flow] = back[flow];
    }
  }

  /** Ways by another routing. A flow stays with its ports; where no way is left it keeps the one that it has. */
  private waysOf(routing: Routing, routes: number[]): { there: Int32Array; back: Int32Array } {
    const there = this.routeThere.slice();
    const back = this.routeBack.slice();
    for (let flow = 0; flow < this.count; flow++) {
      const source = this.source[flow];
      const target = this.target[flow];
      if (!routing.reaches(source, target)) continue;
      const begin = routes.length;
      if (routing.route(source, target, this.sport[flow], this.dport[flow], routes) === this.sourcePort[flow])
        there[flow] = begin;
      const behind = routes.length;
      if (routing.route(target, source, this.dport[flow], this.sport[flow], routes) === this.targetPort[flow])
        back[flow] = behind;
    }
    return { there, back };
  }
}
