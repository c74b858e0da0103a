import type { Random, Simulation } from '../../../engine/index.js';
import { KelpieError } from '../../../error.js';
import {
  type BufferPolicy,
  type BufferPorts,
  type CableSide,
  Changes,
  type DirectionReading,
  EgressPort,
  type EgressTarget,
  type FabricPackets,
  type LinkReading,
  PacketLoss,
  QUEUE_SHIFT,
  Records,
  Routes,
  ThresholdBuffer,
  WorldSwitch,
} from '../../../models/index.js';
import {
  type FaultEffect,
  isEndOf,
  type SwitchNode as SwitchProfile,
  type WorldGraph,
  type WorldLink,
} from '../../../profiles/index.js';
import type { TelemetryFormat } from '../../../transport/index.js';
import type { SimulatedDevice } from '../device/device.js';
import { longestRoundTripNs } from '../device/round-trip.js';
import type { Taps } from '../taps/taps.js';

const PS_PER_NS = 1000;

/** Makes the buffer policy of a switch, whose ports are numbered in the order of its cables. */
export type BufferPolicyMaker = (fabricSwitch: SwitchProfile, ports: BufferPorts) => BufferPolicy;

/** What the devices of a world are joined in. */
export interface WorldFabricParts {
  simulation: Simulation;
  packets: FabricPackets;
  devices: readonly SimulatedDevice[];
  trafficClassWeights: readonly number[];
  strictTrafficClasses: readonly number[];
  /** What the world puts before the arrival of packets. */
  taps: Taps;
  /** How packets carry telemetry; null: they do not. */
  telemetry: TelemetryFormat | null;
  /** The node and the address that whatever is no device of the world has. */
  outside: { readonly node: number; readonly gid: string };
}

/** Joins the devices of a world by another fabric than its own. */
export type WorldFabricMaker = (parts: WorldFabricParts) => WorldFabric;

/** What a fabric is wired in. */
export interface FabricOptions extends WorldFabricParts {
  graph: WorldGraph;
  random: Random;
  /** Who may use the memory of a switch; default: the thresholds of its profile. */
  bufferPolicy?: BufferPolicyMaker | undefined;
}

/** What is told of the pauses at a device's port. */
export interface PauseWatch {
  sent(priority: number, paused: boolean): void;
  received(priority: number, paused: boolean): void;
}

/** An end of a cable: a device or a switch, and its port there. */
interface End {
  readonly name: string;
  readonly device: SimulatedDevice | null;
  readonly fabricSwitch: WorldSwitch | null;
  readonly latencyPs: number;
  /** The port of the switch; 0 at a device. */
  readonly port: number;
}

/** A cable as its two sending sides, and what is wrong with it now. */
interface Cable {
  readonly sides: readonly [CableSide, CableSide];
  readonly faults: FaultEffect[];
  /** Losses of some packets, by the faults that cause them, for each side. */
  readonly losses: Map<FaultEffect, readonly (PacketLoss | null)[]>;
  changes: Changes | null;
}

/** What joins the devices of a world. Cables are numbered as in its graph. */
export interface WorldFabric {
  readonly switches: readonly WorldSwitch[];
  /** The sending sides of all cables. */
  readonly egressPorts: readonly CableSide[];
  /** What may change at a cable while a run goes on. */
  changesOf(link: number): Changes;
  /** A fault begins at a cable. Returns what ends it. */
  inject(link: number, effect: FaultEffect): () => void;
  /** Adds what each cable has carried so far. */
  readLinks(readings: LinkReading[]): void;
  /** The longest round trip between its devices without queues. */
  readonly roundTripNs: number;
}

/** The switches and cables of a world. */
export class Fabric implements WorldFabric {
  readonly switches: WorldSwitch[] = [];
  /** The sending sides of all cables. */
  readonly egressPorts: CableSide[] = [];
  private readonly options: FabricOptions;
  private readonly deviceOf: ReadonlyMap<string, SimulatedDevice>;
  private readonly switchOf = new Map<string, number>();
  /** What devices send by. */
  private readonly egressOf = new Map<SimulatedDevice, EgressPort>();
  /** Packets while they are in switches. */
  private readonly records: Records;
  /** By cable. */
  private readonly cables: Cable[] = [];
  /** By cable and end, the port of the switch there; -1 at a device. */
  private readonly ports: (readonly [number, number])[] = [];

  constructor(options: FabricOptions) {
    this.options = options;
    this.records = new Records(options.telemetry?.maxHops ?? 0);
    this.deviceOf = new Map(options.devices.map((device) => [device.name, device]));
    for (const each of options.graph.switches) this.addSwitch(each);
    for (const link of options.graph.links) this.addLink(link);
    this.addRoutes();
    this.openPassages();
  }

  get roundTripNs(): number {
    return longestRoundTripNs(this.options.graph, this.options.devices);
  }

  /** What may change at a cable while a run goes on. */
  changesOf(link: number): Changes {
    const cable = this.cables[link];
    cable.changes ??= new Changes();
    this.disturb(link);
    for (const side of cable.sides) side.changes = cable.changes;
    return cable.changes;
  }

  /** A fault begins at a cable. Returns what ends it. */
  inject(link: number, effect: FaultEffect): () => void {
    const { faults, losses } = this.cables[link];
    faults.push(effect);
    if (isParticular(effect)) losses.set(effect, this.lossesOf(link, effect));
    this.degrade(link);
    return () => {
      const place = faults.indexOf(effect);
      if (place >= 0) faults.splice(place, 1);
      losses.delete(effect);
      this.degrade(link);
    };
  }

  /** Adds what each cable has carried so far. */
  readLinks(readings: LinkReading[]): void {
    const { links } = this.options.graph;
    for (let index = 0; index < links.length; index++) {
      const { name, ends } = links[index];
      const [there, back] = this.cables[index].sides;
      const directions = [readSide(ends[1], there), readSide(ends[0], back)];
      readings.push({ name, kind: 'cable', ends, gbps: there.gbps, directions });
    }
  }

  /** Shares of the rate multiply, latencies add up, and a packet must survive every fault. */
  private degrade(link: number): void {
    const { sides, faults, losses } = this.cables[link];
    const rate = faults.reduce((share, effect) => share * (effect.rate ?? 1), 1);
    const latencyNs = faults.reduce((sum, effect) => sum + (effect.latencyNs ?? 0), 0);
    const survives = faults.reduce(
      (share, effect) => share * (isParticular(effect) ? 1 : 1 - (effect.loss ?? 0)),
      1,
    );
    this.disturb(link);
    for (const [index, side] of sides.entries())
      side.degrade(
        rate,
        Math.round(latencyNs * PS_PER_NS),
        1 - survives,
        () => this.options.random.split(`${side.name}/loss`),
        [...losses.values()].flatMap((each) => each[index] ?? []),
      );
  }

  /** The losses of a fault in each direction; null where it causes none. */
  private lossesOf(link: number, effect: FaultEffect): readonly (PacketLoss | null)[] {
    const { sides, losses } = this.cables[link];
    const { loss, burst, lossOf: kinds, towards } = effect;
    // The first side sends towards the second end.
    const targets = [...this.options.graph.links[link].ends].reverse();
    return sides.map((side, index) => {
      if (towards !== undefined && !isEndOf(targets[index], towards)) return null;
      const random = this.options.random.split(`${side.name}/loss/${losses.size}`);
      return new PacketLoss({ loss, burst, kinds }, random);
    });
  }

  private addSwitch(given: SwitchProfile): void {
    const { simulation, packets, random, graph } = this.options;
    const { name, constants } = given;
    const links = graph.links.filter(({ ends }) => ends.includes(name));
    const marks = given.marking && constants.ecnPmax > 0;
    this.switchOf.set(name, this.switches.length);
    this.switches.push(
      new WorldSwitch(simulation, packets, this.records, random.split(name), {
        name,
        ports: links.length,
        buffer: this.bufferOf(given, links),
        marking: marks
          ? {
              minBytes: constants.ecnKminBytes,
              maxBytes: constants.ecnKmaxBytes,
              probability: constants.ecnPmax,
            }
          : null,
        telemetry: this.options.telemetry,
        weights: this.options.trafficClassWeights,
        strict: this.options.strictTrafficClasses,
      }),
    );
  }

  private bufferOf(given: SwitchProfile, links: readonly WorldLink[]): BufferPolicy {
    const { bufferPolicy } = this.options;
    const count = links.length;
    if (bufferPolicy !== undefined) {
      const rate = (link: WorldLink) =>
        rateOf(link, ...link.ends.map((end) => this.deviceOf.get(end) ?? null));
      return bufferPolicy(given, {
        count,
        queueShift: QUEUE_SHIFT,
        hostPorts: 0,
        node: new Int32Array(count),
        rateBps: Float64Array.from(links, (link) => rate(link) * 1e9),
        delayNs: Int32Array.from(links, (link) => link.propagationNs),
      });
    }
    const { bufferBytes, pfcXoffBytes, pfcXonBytes, pfcHeadroomBytes } = given.constants;
    return new ThresholdBuffer({
      queues: count << QUEUE_SHIFT,
      bufferBytes,
      xoffBytes: given.lossless ? pfcXoffBytes : 0,
      xonBytes: pfcXonBytes,
      headroomBytes: pfcHeadroomBytes,
    });
  }

  private addLink(link: WorldLink): void {
    const [left, right] = link.ends.map((end) => this.endOf(end));
    const gbps = rateOf(link, left.device, right.device);
    const there = this.sideOf(left, right, link, gbps);
    const back = this.sideOf(right, left, link, gbps);
    this.cables.push({ sides: [there, back], faults: [], losses: new Map(), changes: null });
    this.ports.push([
      left.fabricSwitch === null ? -1 : left.port,
      right.fabricSwitch === null ? -1 : right.port,
    ]);
  }

  private endOf(name: string): End {
    const index = this.switchOf.get(name);
    if (index === undefined)
      return { name, device: this.deviceOf.get(name)!, fabricSwitch: null, latencyPs: 0, port: 0 };
    const fabricSwitch = this.switches[index];
    const { switchLatencyNs } = this.options.graph.switches[index].constants;
    return {
      name,
      device: null,
      fabricSwitch,
      latencyPs: Math.round(switchLatencyNs * PS_PER_NS),
      port: fabricSwitch.portCount,
    };
  }

  /** The sending side of a cable, at a device or a switch. */
  private sideOf(from: End, to: End, link: WorldLink, gbps: number): CableSide {
    const { simulation, packets, taps } = this.options;
    const { device, fabricSwitch } = from;
    const handler = to.device?.nic.port.arrivalHandler ?? to.fabricSwitch!.arrivalHandler;
    const target: EgressTarget = { handler: taps.arrival(handler, link, to.name, to.device), port: to.port };
    const cable = {
      name: device === null ? `${from.name}/port${from.port}` : `${from.name}/port`,
      gbps,
      delayPs: this.delayPs(link) + to.latencyPs,
      target,
    };
    let side: CableSide;
    if (device === null) {
      // A pause frame does not wait for the switch at its other end to find a way.
      const pauseDelayPs = this.delayPs(link);
      side = fabricSwitch!.addPort({ ...cable, pauseDelayPs, pauseHandler: this.pauseHandler(to) });
    } else {
      const weights = this.options.trafficClassWeights;
      const strict = this.options.strictTrafficClasses;
      const egress = new EgressPort(simulation, packets, {
        ...cable,
        weights,
        strict,
        sender: device.nic.port,
      });
      this.attach(device, egress, to, gbps);
      side = egress;
    }
    this.egressPorts.push(side);
    return side;
  }

  /** Joins a device to its cable: it sends by `egress`, and pauses the other end after the time that it takes for it. */
  private attach(device: SimulatedDevice, egress: EgressPort, to: End, gbps: number): void {
    const { simulation, taps } = this.options;
    const pausePs = Math.round(device.subsystem.device.constants.pauseDelayNs * PS_PER_NS);
    const watch = taps.watchPause(device, gbps);
    this.egressOf.set(device, egress);
    if (watch !== undefined) egress.onPause = (priority, paused) => watch.received(priority, paused);
    const handler = this.pauseHandler(to);
    device.nic.attach(egress, (priority, paused) => {
      watch?.sent(priority, paused);
      simulation.after(pausePs, handler, to.port, priority, paused ? 1 : 0);
    });
  }

  /** Holds what an end sends: called with (port, class, 1 or 0). */
  private pauseHandler({ device, fabricSwitch }: End): number {
    if (device === null) return fabricSwitch!.pauseHandler;
    return this.options.simulation.register(`${device.name}/held`, (_port, priority, paused) =>
      this.egressOf.get(device)!.setPaused(priority, paused === 1),
    );
  }

  /** A cable with the ports of the devices at its ends; what a switch takes is the switch's. */
  private delayPs({ propagationNs, ends }: WorldLink): number {
    let delayNs = propagationNs;
    for (const end of ends) delayNs += this.deviceOf.get(end)?.subsystem.device.constants.portLatencyNs ?? 0;
    return Math.round(delayNs * PS_PER_NS);
  }

  /** Tells each switch the ports that lead nearer to each device. */
  private addRoutes(): void {
    const { graph, devices } = this.options;
    const { links, routes } = graph;
    if (this.switches.length === 0) return;
    const nodeOf = (end: string) => this.switchOf.get(end) ?? this.switches.length;
    // All devices are one node: none forwards, and each is reached through its switch.
    const shortest = new Routes({
      nodes: this.switches.length + 1,
      forwards: (node) => node < this.switches.length,
      cables: links.map(({ ends: [a, b] }) => [nodeOf(a), nodeOf(b)]),
    });
    // Devices on one switch share the ways to it: a fabric of thousands keeps one list of ports for each pair of switches.
    const waysTo = new Map<number, readonly (readonly [WorldSwitch, readonly number[]])[]>();
    links.forEach(({ ends }, cable) => {
      const device = this.deviceOf.get(ends[0]) ?? this.deviceOf.get(ends[1]);
      const last = this.switchOf.get(ends[0]) ?? this.switchOf.get(ends[1]);
      if (device === undefined || last === undefined) return;
      this.switches[last].route(device.node, [this.portAt(cable, last)]);
      let ways = waysTo.get(last);
      if (ways === undefined) {
        ways = [...shortest.toSwitch(last)].map(([at, cables]) => [
          this.switches[at],
          cables.map((each) => this.portAt(each, at)),
        ]);
        waysTo.set(last, ways);
      }
      for (const [fabricSwitch, ports] of ways) fabricSwitch.route(device.node, ports);
    });
    for (const { at, to, via } of routes) {
      const from = this.switchOf.get(at);
      const device = devices.find(({ name }) => name === to);
      if (from === undefined || device === undefined)
        throw new KelpieError('BAD_ROUTE', 'a route leads from a switch to a device', {
          field: 'routes',
          given: at,
        });
      const ports = links.flatMap(({ ends }, cable) =>
        ends.includes(at) && ends.some((end) => via.includes(end) && end !== at)
          ? [this.portAt(cable, from)]
          : [],
      );
      this.switches[from].route(device.node, ports);
    }
  }

  /** Opens the ways without events through switches that join two devices and nothing else. */
  private openPassages(): void {
    for (const fabricSwitch of this.switches) {
      if (fabricSwitch.portCount !== 2) continue;
      const { arrivalHandler } = fabricSwitch;
      const devices = this.options.devices
        .filter((device) => this.egressOf.get(device)?.targetHandler === arrivalHandler)
        .sort((a, b) => this.egressOf.get(a)!.targetPort - this.egressOf.get(b)!.targetPort);
      if (devices.length !== 2) continue;
      const passage = fabricSwitch.openPassage(devices.map(({ node }) => node));
      for (const device of devices) this.egressOf.get(device)!.passage = passage;
    }
  }

  /** Something about a cable is about to change: what is on its way through the switches at its ends is told. */
  private disturb(link: number): void {
    for (const end of this.options.graph.links[link].ends) {
      const at = this.switchOf.get(end);
      if (at !== undefined) this.switches[at].disturb();
    }
  }

  /** The port of a switch that a cable is in. */
  private portAt(cable: number, fabricSwitch: number): number {
    const [left] = this.options.graph.links[cable].ends;
    return this.ports[cable][this.switchOf.get(left) === fabricSwitch ? 0 : 1];
  }
}

/** The slowest of a cable and the ports on it. */
function rateOf(link: WorldLink, ...devices: readonly (SimulatedDevice | null)[]): number {
  const ports = devices.flatMap((device) =>
    device === null ? [] : [device.subsystem.device.constants.portGbps],
  );
  return Math.min(...ports, ...(link.gbps > 0 ? [link.gbps] : []));
}

/** What one side of a cable has sent. */
export function readSide(towards: string, side: CableSide): DirectionReading {
  side.settle();
  return {
    towards,
    bytes: side.sentBytes,
    busyNs: side.busyPs / PS_PER_NS,
    waitedNs: side.waitedPs / PS_PER_NS,
    queuedBytes: side.allQueuedBytes,
  };
}

/** Whether a fault loses only some packets, or in bursts: such losses have a process of their own. */
function isParticular({ burst, towards, lossOf }: FaultEffect): boolean {
  return burst !== undefined || towards !== undefined || lossOf !== undefined;
}
