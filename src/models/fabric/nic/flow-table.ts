import { KelpieError } from '../../../error.js';
import type { Routing } from '../topology/routing.js';
import type { Topology } from '../topology/topology.js';

/** A flow to be sent: so many bytes from one host to another. */
export interface FlowSpec {
  readonly source: number;
  readonly target: number;
  /** Traffic class, 0 to 7. */
  readonly trafficClass: number;
  /** Destination port: part of the hash, and of what is printed. */
  readonly dport: number;
  readonly bytes: number;
  /** Nanoseconds since the start of the run. */
  readonly startNs: number;
}

/** Refuses flows that cannot be sent: ends that are no hosts, no bytes, or not in order of start. */
export function checkFlows(specs: readonly FlowSpec[], { isSwitch }: Topology): void {
  let lastNs = 0;
  for (const [index, { source, target, trafficClass, bytes, startNs }] of specs.entries()) {
    const refuse = (field: string, given: unknown, allowed: string): never => {
      throw new KelpieError('FABRIC_FLOW', `flow ${index} cannot be sent`, { field, given, allowed });
    };
    if (isSwitch[source] !== 0) refuse('source', source, 'a host');
    if (isSwitch[target] !== 0 || target === source) refuse('target', target, 'another host');
    if (!Number.isInteger(bytes) || bytes < 1) refuse('bytes', bytes, 'a whole number, 1 or more');
    if (!(trafficClass >= 0 && trafficClass <= 7)) refuse('trafficClass', trafficClass, '0 to 7');
    if (!Number.isInteger(startNs) || startNs < lastNs)
      refuse('startNs', startNs, `a whole number, ${lastNs} or more: flows are in order of start`);
    lastNs = startNs;
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
  readonly trafficClass: Uint8Array;
  readonly sizeBytes: Float64Array;
  readonly startNs: Float64Array;
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

  constructor(specs: readonly FlowSpec[], routing: Routing) {
    const count = specs.length;
    this.count = count;
    this.source = Int32Array.from(specs, ({ source }) => source);
    this.target = Int32Array.from(specs, ({ target }) => target);
    this.dport = Uint16Array.from(specs, ({ dport }) => dport);
    this.trafficClass = Uint8Array.from(specs, ({ trafficClass }) => trafficClass);
    this.sizeBytes = Float64Array.from(specs, ({ bytes }) => bytes);
    this.startNs = Float64Array.from(specs, ({ startNs }) => startNs);
    this.endNs = new Float64Array(count).fill(-1);
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
    this.routes = Int32Array.from(routes);
    this.ackedBytes = new Float64Array(count);
    this.nextBytes = new Float64Array(count);
    this.readyNs = new Float64Array(count);
    this.lastBytes = new Int32Array(count);
    this.expectedBytes = new Float64Array(count);
    this.askedBytes = new Float64Array(count);
    this.askAgainNs = new Float64Array(count);
  }
}
