import { Ns3Starts, planStarts } from '../../nic/flow-starts.js';
import { LightNics } from '../../nic/light-nics.js';
import { planStorms } from '../../nic/pause-storms.js';
import { Receiver } from '../../nic/receiver.js';
import { SelectiveRepeat, windowPackets } from '../../nic/selective-repeat.js';
import { Sender } from '../../nic/sender.js';
import { PauseRepeats } from '../../switching/pause-repeats.js';
import { PAUSE_BYTES, SwitchPlane } from '../../switching/switch-plane.js';
import { Watchdog } from '../../switching/watchdog.js';
import { TickOrder } from '../events/tick-order.js';
import { Timers } from '../events/timers.js';
import { Wheel } from '../events/wheel.js';
import type { FabricState } from '../fabric-state.js';
import { LinkChanges } from '../link-changes.js';
import type { LinkLoss } from '../link-loss.js';
import { PauseLog } from '../ports/pause-log.js';
import { Pauses } from '../ports/pauses.js';
import { BUSY } from '../ports/port-queues.js';
import type { Ports } from '../ports/ports.js';
import {
  DATA,
  FLOW,
  GUEST,
  KIND_MASK,
  LANE_MASK,
  LANE_SHIFT,
  META,
  PAUSE,
  PORT,
  RECORD_SHIFT,
  Records,
  ROUTE,
  SIZE,
  WAKE,
} from '../records.js';
import { OFF_ITS_WAY, type Reroutes } from '../reroutes.js';
import { Wire } from '../wire.js';
import type { Exchange } from './exchange.js';
import type { Guests } from './guests.js';
import type { Partition } from './partition.js';

/** From this many records of one nanosecond on it pays to read them ahead. */
const TOUCH_FROM = 3;

/**
 * A part of a fabric with an event loop of its own: the records that are on their way in it, and the switches and NICs
 * that take them. A fabric that is not divided has one.
 */
export class Domain {
  events = 0;
  /** When the last of them was. */
  lastNs = 0;
  /** Flows that ended here, in order. */
  readonly finished: number[] = [];
  readonly pauseLog = new PauseLog();
  readonly records: Records;
  readonly wheel: Wheel;
  readonly wire: Wire;
  readonly switches: SwitchPlane;
  readonly nics: LightNics;
  readonly timers: Timers;
  readonly pauses: Pauses;
  /** Null if there is none. */
  readonly watchdog: Watchdog | null;
  private readonly ports: Ports;
  /** Egress ports of switches, way after way: see `FlowTable.routes`. */
  private readonly routes: Int32Array;
  /** Starts a flow that waited for others. */
  private startNext: (flow: number) => void = () => {};
  private readonly loss: LinkLoss | null;
  /** Null if all links stay up. */
  readonly links: LinkChanges | null;
  /** Null if there are none. */
  guests: Guests | null = null;
  /** Null in ns-3's order. */
  private readonly order: TickOrder | null;
  /** The events of the nanosecond that is handled: records, and complements of ports whose wires are free again. */
  private tick = new Int32Array(64);
  /** Keeps the reads of `touch` from being thrown away. */
  protected touched = 0;

  constructor(state: FabricState, partition: Partition, index: number, exchange: Exchange) {
    const { spec, plan, ports, flows, lanes, telemetry, control, pacer, coins, marking, policy } = state;
    this.ports = ports;
    this.loss = state.loss;
    const records = new Records(telemetry?.maxHops ?? 0);
    const wheel = new Wheel(plan.delayNs.reduce((longest, each) => Math.max(longest, each), 0));
    const timers = new Timers(records, wheel);
    const wire = new Wire({
      records,
      wheel,
      ports,
      times: state.times,
      rounding: spec.rounding,
      remote: partition.count > 1 || spec.guests !== undefined ? remotePorts(state, partition) : null,
      exchange,
    });
    this.records = records;
    this.wheel = wheel;
    this.timers = timers;
    this.wire = wire;
    this.order = spec.order === 'ns3' ? null : new TickOrder(records);
    this.routes = state.routes;
    this.switches = new SwitchPlane({
      records,
      wire,
      ports,
      rateBps: state.telemetryBps,
      telemetry,
      policy,
      marking,
      cellBytes: spec.buffer.kind === 'sonic' ? spec.buffer.cellBytes : 0,
      pauseBytes: PAUSE_BYTES,
      onPauseFrame: () => coins.onPauseFrame(),
      repeats: spec.pauses === undefined ? null : new PauseRepeats(ports, wheel, timers, spec.pauses),
      shares: null,
      watched: spec.watchdog !== undefined,
      onGuestLost: (packet) => this.guests!.lost(packet),
    });
    this.pauses = new Pauses({
      ports,
      wheel,
      timers,
      lanes,
      log: this.pauseLog,
      options: spec.pauses ?? null,
      deafNodes: spec.deafNodes ?? [],
      serve: (port) => this.serve(port),
    });
    const { pauses, switches } = this;
    this.watchdog =
      spec.watchdog === undefined
        ? null
        : new Watchdog(spec.watchdog, { ports, wheel, timers, lanes, switches, pauses });
    const options = spec.nic;
    const { order, source, target } = flows;
    const start = (flow: number) => this.startNext(flow);
    const onFinished = (flow: number) => {
      this.finished.push(flow);
      if (!order.isEmpty) order.done(flow, (next) => source[next] === source[flow], start);
    };
    const onReceived = order.isEmpty
      ? null
      : (flow: number) => order.done(flow, (next) => source[next] === target[flow], start);
    const selective =
      options.recovery.kind === 'selective'
        ? new SelectiveRepeat(flows, options.payloadBytes, control.windowBytes)
        : null;
    const sender = new Sender({
      records,
      wheel,
      timers,
      wire,
      ports,
      flows,
      pacer,
      control,
      options,
      selective,
      onFinished,
    });
    const window = windowPackets(control.windowBytes, options.payloadBytes);
    const receiver = new Receiver(records, wheel, flows, options, window, onReceived);
    this.nics = new LightNics({ records, wire, ports, flows, lanes, sender, receiver, options });
    const isOwn = (node: number) => partition.partOf[node] === index;
    const { linkChanges = [], convergenceNs = 0 } = spec;
    const { nics } = this;
    this.links =
      linkChanges.length === 0
        ? null
        : new LinkChanges(linkChanges, convergenceNs, {
            ...{ ports, plan, flows, timers, switches, nics, isOwn },
            routingOf: (each) => state.routingOf(each),
          });
    planStorms(spec.storms ?? [], spec.pauses ?? null, { records, timers, ports, plan, lanes, nics, isOwn });
    if (spec.order === 'ns3') new Ns3Starts(flows, wheel, timers, this.nics);
    else this.startNext = planStarts(flows, wheel, timers, this.nics, isOwn);
  }

  /** Runs everything up to and including `untilNs`, or about `maxEvents` events of it; true if all of it was run. */
  run(untilNs: number, maxEvents = Infinity): boolean {
    const { wheel } = this;
    const limit = this.events + maxEvents;
    while (this.events < limit) {
      if (!wheel.advance(untilNs)) return true;
      this.lastNs = wheel.nowNs;
      // What is scheduled for this nanosecond while it is handled comes in the next round.
      for (let count = wheel.count; count > 0; count = wheel.count) this.round(count);
    }
    return false;
  }

  private round(count: number): void {
    if (count > this.tick.length) this.tick = new Int32Array(count * 2);
    const { tick } = this;
    this.wheel.take(tick);
    this.events += count;
    if (count >= TOUCH_FROM) this.touch(count);
    if (this.order !== null && count > 1) this.order.sort(tick, count);
    for (let index = 0; index < count; index++) this.handle(tick[index]);
  }

  /**
   * Reads what the records of this nanosecond will need, one after the other: the processor fetches all of it from
   * memory at once, not each when its turn comes.
   */
  private touch(count: number): void {
    const { tick } = this;
    const { words } = this.records;
    const { status } = this.ports;
    let sum = 0;
    for (let index = 0; index < count; index++) {
      const event = tick[index];
      sum += event < 0 ? status[~event] : words[event << RECORD_SHIFT];
    }
    this.touched = sum;
  }

  /** Hands an event to the part that it concerns. */
  private handle(event: number): void {
    if (event < 0) this.onFree(~event);
    else this.onRecord(event);
  }

  /** A port's wire is free again. */
  private onFree(port: number): void {
    const { ports } = this;
    ports.status[port] &= ~BUSY;
    if (ports.isIdle(port)) this.serve(port);
  }

  private onRecord(record: number): void {
    const { ports } = this;
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const kind = words[at + META] & KIND_MASK;
    const port = words[at + PORT];
    if (this.loss !== null && kind <= PAUSE && this.loss.loses(port, kind, words[at + SIZE])) {
      this.lose(record);
      return;
    }
    if (this.links !== null && kind <= PAUSE && this.links.loses(port, kind, words[at + SIZE])) {
      this.lose(record);
      return;
    }
    if (kind < PAUSE) {
      if (port < ports.hostPorts) this.nics.receive(record);
      else this.forward(record, port);
    } else if (kind === PAUSE) {
      this.onPause(record, port);
    } else if (kind === WAKE) {
      this.nics.onWake(record);
    } else {
      this.timers.fire(record);
    }
  }

  /** A packet reaches a switch, which sends it to the next hop of its way. */
  private forward(record: number, port: number): void {
    const { words } = this.records;
    const at = (record << RECORD_SHIFT) + ROUTE;
    const route = words[at];
    if (this.links?.reroutes.isOutdated(route) === true) {
      this.reroute(record, port, this.links.reroutes);
      return;
    }
    words[at] = route + 1;
    this.switches.receive(record, port, this.routes[route]);
  }

  /**
   * A packet of a light flow that set out before the paths changed goes on by the new ones, and has left its way then.
   * Where no way leads on, those that have not left theirs keep it.
   */
  private reroute(record: number, port: number, reroutes: Reroutes): void {
    const { words, ends } = this.records;
    const at = record << RECORD_SHIFT;
    const route = words[at + ROUTE];
    const isBack = (words[at + META] & KIND_MASK) !== DATA;
    const found = (words[at + META] & GUEST) !== 0 ? -1 : reroutes.egress(port, ends[at + FLOW], isBack);
    if (found >= 0) {
      words[at + ROUTE] = OFF_ITS_WAY;
      this.switches.receive(record, port, found);
    } else if (route !== OFF_ITS_WAY) {
      words[at + ROUTE] = route + 1;
      this.switches.receive(record, port, this.routes[route]);
    } else {
      this.switches.drop(record, words[at + SIZE]);
    }
  }

  /** A link lost a frame. */
  private lose(record: number): void {
    const { words, ends } = this.records;
    const at = record << RECORD_SHIFT;
    if ((words[at + META] & GUEST) !== 0) this.guests!.lost(ends[at + FLOW]);
    this.records.free(record);
  }

  private serve(port: number): void {
    if (port < this.ports.hostPorts) this.nics.serve(port);
    else this.switches.serve(port);
  }

  private onPause(record: number, port: number): void {
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const lane = (words[at + META] >>> LANE_SHIFT) & LANE_MASK;
    const pauses = words[at + ROUTE] === 1;
    this.records.free(record);
    this.pauses.receive(port, lane, pauses);
  }
}

/** Ports whose peer is in another part, or is a guest's. */
function remotePorts({ plan, spec }: FabricState, { partOf }: Partition): Uint8Array {
  const guests = new Set(spec.guests?.nodes);
  return Uint8Array.from(plan.node, (node, port) => {
    const peer = plan.node[plan.peer[port]];
    return partOf[node] === partOf[peer] && !guests.has(peer) ? 0 : 1;
  });
}
