import { createControl } from '../../../transport/congestion/rates/control-spec.js';
import type { RateControl } from '../../../transport/congestion/rates/rate-control.js';
import { FlowStarts } from '../nic/flow-starts.js';
import { checkFlows, FlowTable } from '../nic/flow-table.js';
import { LightNics } from '../nic/light-nics.js';
import { Pacer } from '../nic/pacer.js';
import { Receiver } from '../nic/receiver.js';
import { Sender } from '../nic/sender.js';
import type { BufferPolicy } from '../switching/buffer-policy.js';
import { createBufferPolicy } from '../switching/buffer-spec.js';
import { CheckedPolicy } from '../switching/checked-policy.js';
import { type Coins, Marking, Ns3Coins, OwnCoins } from '../switching/marking.js';
import { PAUSE_BYTES, SwitchPlane } from '../switching/switch-plane.js';
import { PortPlan } from '../topology/port-plan.js';
import { type RoundTrip, Routing } from '../topology/routing.js';
import { Domain } from './domain.js';
import type { FabricSpec } from './fabric-spec.js';
import { LinkLoss } from './link-loss.js';
import { PauseLog } from './pause-log.js';
import { Ports } from './ports.js';
import { Records } from './records.js';
import { WireTimes } from './rounding.js';
import { Timers } from './timers.js';
import { Wheel } from './wheel.js';
import { Wire } from './wire.js';

/**
 * A packet-level RDMA fabric: light NICs, switches with shared buffers, PFC, ECN and ECMP, and a congestion control.
 *
 * @example
 * const fabric = new Fabric(spec);
 * fabric.run(1e9);
 * for (const flow of fabric.finished) console.log(fabric.flows.endNs[flow] - fabric.flows.startNs[flow]);
 */
export class Fabric {
  readonly spec: FabricSpec;
  readonly plan: PortPlan;
  readonly routing: Routing;
  readonly flows: FlowTable;
  readonly ports: Ports;
  readonly policy: BufferPolicy;
  readonly control: RateControl;
  readonly switches: SwitchPlane;
  readonly nics: LightNics;
  readonly records: Records;
  readonly wire: Wire;
  /** Null if no link loses packets. */
  readonly loss: LinkLoss | null;
  readonly pauseLog = new PauseLog();
  /** Flows in order of completion. */
  readonly finished: number[] = [];
  private readonly domain: Domain;

  constructor(spec: FabricSpec) {
    this.spec = spec;
    const { topology, nic, rounding } = spec;
    checkFlows(spec.flows, topology);
    const plan = new PortPlan(topology);
    this.plan = plan;
    this.routing = new Routing(topology, plan, nic.payloadBytes, spec.visits);
    const flows = new FlowTable(spec.flows, this.routing);
    this.flows = flows;
    const largest = Math.max(nic.payloadBytes + nic.headerBytes, nic.ackBytes, PAUSE_BYTES);
    const times = new WireTimes(plan.rateBps, largest, rounding);
    const ports = new Ports(plan, times);
    this.ports = ports;
    const policy = createBufferPolicy(spec.buffer, ports, topology.nodes);
    this.policy = spec.checker === undefined ? policy : new CheckedPolicy(policy, ports, spec.checker);
    this.control = createControl(spec.control, flows.count);
    const telemetry = spec.control.kind === 'hpcc' ? spec.control.telemetry : null;
    const records = new Records(ports.count, telemetry?.maxHops ?? 0);
    this.records = records;
    const wheel = new Wheel(records, longestOf(plan.delayNs));
    const wire = new Wire(records, wheel, ports, times, rounding);
    this.wire = wire;
    const coins = this.coins();
    this.switches = new SwitchPlane({
      records,
      wheel,
      wire,
      ports,
      coins,
      telemetry,
      routes: flows.routes,
      policy: this.policy,
      marking: new Marking(ports, spec.marking, coins),
    });
    const pacer = new Pacer(this.control, flows.count, nic.paces, rounding);
    const sender = new Sender({
      records,
      wheel,
      wire,
      ports,
      flows,
      pacer,
      control: this.control,
      options: nic,
      onFinished: (flow) => this.finished.push(flow),
    });
    const receiver = new Receiver(records, wheel, flows, nic);
    this.nics = new LightNics({ records, wire, ports, sender, receiver, options: nic });
    this.loss = this.lossOfLinks();
    const timers = new Timers(records, wheel);
    this.openFlows();
    new FlowStarts(flows, wheel, timers, this.nics);
    this.domain = new Domain({
      records,
      wheel,
      ports,
      timers,
      switches: this.switches,
      nics: this.nics,
      pauseLog: this.pauseLog,
      loss: this.loss,
    });
  }

  get nowNs(): number {
    return this.domain.nowNs;
  }

  get events(): number {
    return this.domain.events;
  }

  /** Resumes of classes that were not paused: 0 unless frames were lost. */
  get unpairedResumes(): number {
    return this.domain.unpairedResumes;
  }

  /** Runs up to and including `untilNs`, or about `maxEvents` events of it; true if all of it was run. */
  run(untilNs: number, maxEvents = Infinity): boolean {
    return this.domain.run(untilNs, maxEvents);
  }

  private coins(): Coins {
    const { rng, topology, seed } = this.spec;
    return rng === 'ns3' ? new Ns3Coins(topology.nodes) : new OwnCoins(this.ports.count, seed);
  }

  private lossOfLinks(): LinkLoss | null {
    const { plan, spec } = this;
    const common = spec.commonLossRate;
    if (common === 0 && plan.lossRate.every((rate) => rate === 0)) return null;
    return spec.rng === 'ns3' ? LinkLoss.ns3(plan, common) : LinkLoss.own(plan, common, spec.seed);
  }

  private openFlows(): void {
    const { flows, plan, control, routing, spec } = this;
    const longest: RoundTrip | null = spec.globalRtt ? routing.longestRoundTrip() : null;
    for (let flow = 0; flow < flows.count; flow++) {
      const trip = longest ?? routing.roundTrip(flows.source[flow], flows.target[flow]);
      control.open(flow, {
        lineBps: plan.rateBps[flows.sourcePort[flow]],
        windowBytes: trip.windowBytes,
        baseRttNs: trip.rttNs,
      });
    }
  }
}

function longestOf(delaysNs: Int32Array): number {
  return delaysNs.reduce((longest, each) => Math.max(longest, each), 0);
}
