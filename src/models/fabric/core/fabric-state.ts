import { createControl } from '../../../transport/congestion/rates/control-spec.js';
import { type TelemetryFormat, telemetryBps } from '../../../transport/congestion/rates/feedback.js';
import type { RateControl } from '../../../transport/congestion/rates/rate-control.js';
import { checkFlows, FlowTable } from '../nic/flow-table.js';
import { Pacer } from '../nic/pacer.js';
import type { BufferPolicy } from '../switching/buffer-policy.js';
import { createBufferPolicy } from '../switching/buffer-spec.js';
import { CheckedPolicy } from '../switching/checked-policy.js';
import { type Coins, Marking, type MarkingThresholds, Ns3Coins, OwnCoins } from '../switching/marking.js';
import { PAUSE_BYTES } from '../switching/switch-plane.js';
import { PortPlan } from '../topology/port-plan.js';
import { Routing } from '../topology/routing.js';
import { type Columns, ownColumns } from './columns.js';
import { type CutOff, cutOffBy, NOTHING_CUT_OFF } from './cut-off.js';
import { cutTransmissionNs, WireTimes } from './events/rounding.js';
import type { FabricSpec } from './fabric-spec.js';
import { linkStates } from './link-changes.js';
import { LinkLoss } from './link-loss.js';
import { checkGuests, GuestWays, type StateChange } from './parts/guest-hosts.js';
import { Lanes } from './ports/lanes.js';
import { Ports } from './ports/ports.js';

/** What all domains of a fabric have in common: its columns and rules. Each domain writes what belongs to its nodes. */
export class FabricState {
  readonly spec: FabricSpec;
  readonly plan: PortPlan;
  readonly routing: Routing;
  readonly lanes: Lanes;
  readonly flows: FlowTable;
  /** Egress ports of switches, way after way: see `FlowTable.routes`. */
  readonly routes: Int32Array;
  /** Flows that never end, because links fail for good. */
  readonly cutOff: CutOff;
  /** Null if there are no guests. */
  readonly guestWays: GuestWays | null;
  readonly times: WireTimes;
  readonly ports: Ports;
  readonly policy: BufferPolicy;
  readonly control: RateControl;
  readonly pacer: Pacer;
  readonly coins: Coins;
  readonly marking: Marking;
  /** Null unless packets carry telemetry. */
  readonly telemetry: TelemetryFormat | null;
  /** Rates of the ports as telemetry has them. */
  readonly telemetryBps: Float64Array;
  /** Null if no link loses packets. */
  readonly loss: LinkLoss | null;

  constructor(spec: FabricSpec, columns: Columns = ownColumns) {
    const { topology, nic, rounding, control } = spec;
    checkFlows(spec.flows, topology, spec.guests?.nodes);
    this.spec = spec;
    this.plan = new PortPlan(topology);
    this.routing = this.routingWithout(new Set());
    const { guests } = spec;
    if (guests !== undefined) checkGuests(guests, topology, this.plan);
    const classes = spec.flows.map(({ trafficClass }) => trafficClass);
    this.lanes = new Lanes([...classes, ...(guests?.trafficClasses ?? [])]);
    const detours = this.detours();
    this.flows = new FlowTable(spec.flows, this.routing, this.lanes, detours, columns);
    this.cutOff = this.cutOffFor(detours);
    this.guestWays =
      guests === undefined
        ? null
        : new GuestWays(guests, [this.routing, ...detours], this.flows.routes, this.stateChanges());
    this.routes = this.guestWays?.routes ?? this.flows.routes;
    const largest = Math.max(
      nic.payloadBytes + nic.headerBytes,
      nic.ackBytes,
      PAUSE_BYTES,
      guests?.largestBytes ?? 0,
    );
    this.times = new WireTimes(this.plan.rateBps, largest, rounding);
    this.ports = new Ports(this.plan, this.times, this.lanes, columns);
    const policy = createBufferPolicy(spec.buffer, this.ports, topology.nodes, this.lanes);
    this.policy = spec.checker === undefined ? policy : new CheckedPolicy(policy, this.ports, spec.checker);
    this.control = createControl(control, this.flows.count);
    this.pacer = new Pacer(this.control, this.flows.count, nic.paces, rounding);
    this.coins =
      spec.rng === 'ns3'
        ? new Ns3Coins(topology.nodes, topology.links.filter(({ lossRate = 0 }) => lossRate > 0).length)
        : new OwnCoins(this.ports.count, spec.seed);
    this.marking = new Marking(this.thresholds(), this.coins, spec.marksOn ?? 'departure');
    const telemetry = control.kind === 'hpcc' ? control.telemetry : null;
    const { rateBps } = this.plan;
    this.telemetry = telemetry;
    this.telemetryBps = telemetry === null ? rateBps : rateBps.map((bps) => telemetryBps(telemetry, bps));
    this.loss = lossOf(spec, this.plan);
    this.openFlows();
  }

  /** Marking of each port: hosts mark nothing. */
  private thresholds(): (MarkingThresholds | undefined)[] {
    const { hostPorts, rateBps } = this.plan;
    return Array.from(rateBps, (bps, port) => (port < hostPorts ? undefined : this.spec.marking.get(bps)));
  }

  /** Routings of the states that changes of links lead to. */
  private detours(): Routing[] {
    return linkStates(this.spec.linkChanges ?? [])
      .down.slice(1)
      .map((down) => this.routingWithout(down));
  }

  /** The paths of a state of the links. */
  routingOf(state: number): Routing {
    if (state === 0) return this.routing;
    return this.routingWithout(linkStates(this.spec.linkChanges ?? []).down[state]);
  }

  private routingWithout(down: ReadonlySet<number>): Routing {
    const { topology, nic, visits, unusedLinks = [] } = this.spec;
    return new Routing(topology, this.plan, nic.payloadBytes, visits, new Set([...down, ...unusedLinks]));
  }

  /** What the last change of links cuts off. */
  private cutOffFor(detours: readonly Routing[]): CutOff {
    const last = this.stateChanges().at(-1);
    if (last === undefined || last.state === 0) return NOTHING_CUT_OFF;
    return cutOffBy(detours[last.state - 1], this.spec.flows, last.fromNs);
  }

  /** When packets take the ways of other states of the links. */
  private stateChanges(): StateChange[] {
    const { linkChanges = [], convergenceNs = 0 } = this.spec;
    const { after } = linkStates(linkChanges);
    return linkChanges.map(({ atNs }, index) => ({ fromNs: atNs + convergenceNs, state: after[index] }));
  }

  /** How long an acknowledgement takes from its last switch to a port of a host. */
  private feedbackHopNs(port: number): number {
    const last = this.plan.peer[port];
    return this.plan.delayNs[last] + cutTransmissionNs(this.spec.nic.ackBytes, this.plan.rateBps[last]);
  }

  private openFlows(): void {
    const { flows, plan, control, routing, spec } = this;
    const longest = spec.globalRtt ? routing.longestRoundTrip() : null;
    for (let flow = 0; flow < flows.count; flow++) {
      const trip = longest ?? routing.roundTrip(flows.source[flow], flows.target[flow]);
      control.open(flow, {
        lineBps: plan.rateBps[flows.sourcePort[flow]],
        windowBytes: spec.flows[flow].windowBytes ?? trip.windowBytes,
        baseRttNs: trip.rttNs,
        feedbackHopNs: this.feedbackHopNs(flows.sourcePort[flow]),
      });
    }
  }
}

function lossOf({ commonLossRate, rng, seed }: FabricSpec, plan: PortPlan): LinkLoss | null {
  if (commonLossRate === 0 && plan.lossRate.every((rate) => rate === 0)) return null;
  return rng === 'ns3' ? LinkLoss.ns3(plan, commonLossRate) : LinkLoss.own(plan, commonLossRate, seed);
}
