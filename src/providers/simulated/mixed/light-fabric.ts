import { KelpieError } from '../../../error.js';
import {
  type FabricSpec,
  Fabric as GuestFabric,
  type GuestSide,
  type LightPacket,
  longestRoundTripNs,
} from '../../../models/fabric/index.js';
import { Changes, EgressPort, type LinkReading, type WorldSwitch } from '../../../models/index.js';
import type { SimulatedDevice } from '../device/device.js';
import { ownNs } from '../device/round-trip.js';
import { type PauseWatch, readSide, type WorldFabric, type WorldFabricParts } from '../world/fabric.js';
import { GuestPauses } from './guest-pauses.js';
import { LightFlows } from './light-flows.js';

const PS_PER_NS = 1000;

/** A fabric of light NICs that the devices of a world are guests of. */
export interface LightFabricOptions {
  /** `spec.guests.nodes` has the host of each device, in the order of the devices. */
  readonly spec: FabricSpec;
  /** The class that the devices' class 0 travels in: the fabric's own class 0 is of pause frames. */
  readonly trafficClass: number;
  /** Called before each window, with its end. */
  readonly onWindow?: (fabric: GuestFabric, untilNs: number) => void;
}

/** A device on a light fabric: its sending side, and who holds whom. */
interface Guest {
  readonly device: SimulatedDevice;
  readonly egress: EgressPort;
  /** From the device's port to the fabric's clock. */
  readonly latencyPs: number;
  readonly arrival: number;
  readonly pauses: GuestPauses;
}

/**
 * Full devices among light NICs. The devices live in the simulation of their world, in picoseconds; the fabric has a
 * clock of its own, in nanoseconds. They take turns: an event of the simulation at the end of each window runs the
 * fabric through that window. What devices sent in it has reached the fabric by then; what the fabric sends needs a
 * window at least to reach a device, for that is the shortest cable between them and the device's own port.
 */
export class LightFabric implements WorldFabric, GuestSide {
  /** Its switches are the light fabric's own. */
  readonly switches: readonly WorldSwitch[] = [];
  readonly egressPorts: EgressPort[] = [];
  readonly fabric: GuestFabric;
  private readonly options: LightFabricOptions;
  private readonly parts: WorldFabricParts;
  private readonly guests: Guest[] = [];
  private readonly windowNs: number;
  private readonly windowHandler: number;
  private readonly sendHandler: number;
  private readonly lightFlows: LightFlows;
  private planned = false;

  constructor(options: LightFabricOptions, parts: WorldFabricParts) {
    const { simulation, devices } = parts;
    this.options = options;
    this.parts = parts;
    const nodes = options.spec.guests?.nodes ?? [];
    if (nodes.length !== devices.length)
      throw new KelpieError('FABRIC_GUEST', 'every device of the world needs a host of the fabric', {
        field: 'guests.nodes',
        given: nodes.length,
        allowed: `${devices.length}`,
      });
    this.fabric = new GuestFabric(options.spec, this);
    this.lightFlows = new LightFlows({
      fabric: this.fabric,
      simulation,
      packets: parts.packets,
      ...parts.outside,
      deviceOf: (guest) => this.guests[guest].device,
      arrivalOf: (guest) => ({
        handler: this.guests[guest].arrival,
        latencyPs: this.guests[guest].latencyPs,
      }),
      priorityOf: (trafficClass) => (trafficClass === options.trafficClass ? 0 : trafficClass),
    });
    this.windowHandler = simulation.register('light-fabric/window', () => this.runWindow());
    this.sendHandler = simulation.register('light-fabric/arrive', (packet, guest) =>
      this.send(packet, guest),
    );
    for (const [guest, device] of devices.entries()) this.guests.push(this.join(guest, device, nodes[guest]));
    const latencyPs = this.guests.reduce((least, guest) => Math.min(least, guest.latencyPs), Infinity);
    this.windowNs = this.fabric.guests!.windowNs + Math.floor(latencyPs / PS_PER_NS);
    this.planWindow();
  }

  get roundTripNs(): number {
    const { topology, nic } = this.options.spec;
    const own = this.parts.devices.reduce((longest, device) => Math.max(longest, ownNs(device)), 0);
    return longestRoundTripNs(topology, nic.payloadBytes) + own;
  }

  /** The cables of guests cannot be degraded from the world: the fabric's description does that. */
  changesOf(): Changes {
    return new Changes();
  }

  inject(): () => void {
    return () => {};
  }

  readLinks(readings: LinkReading[]): void {
    const { plan, ports } = this.fabric.state;
    const { nodes } = this.fabric.spec.guests!;
    for (const [guest, { device, egress }] of this.guests.entries()) {
      const towards = plan.peer[plan.portBegin[nodes[guest]]];
      readings.push({
        name: `${device.name}-fabric`,
        kind: 'cable',
        ends: [device.name, 'fabric'],
        gbps: egress.gbps,
        directions: [
          readSide('fabric', egress),
          {
            towards: device.name,
            bytes: ports.sentBytes[towards],
            busyNs: (ports.sentBytes[towards] * 8e9) / ports.rateBps[towards],
            waitedNs: 0,
            queuedBytes: ports.queuedBytes[towards],
          },
        ],
      });
    }
  }

  arriveLight(guest: number, packet: LightPacket): void {
    this.lightFlows.arrive(guest, packet);
  }

  arrive(guest: number, packet: number, marked: boolean, arrivalNs: number): void {
    const { simulation, packets } = this.parts;
    const { arrival, latencyPs } = this.guests[guest];
    if (marked) packets.mark(packet);
    simulation.after(arrivalNs * PS_PER_NS + latencyPs - simulation.now, arrival, packet, 0);
  }

  pause(guest: number, trafficClass: number, pauses: boolean, arrivalNs: number): void {
    const { pauses: held, latencyPs } = this.guests[guest];
    held.hold(trafficClass, pauses, arrivalNs * PS_PER_NS + latencyPs);
  }

  lost(packet: number): void {
    this.parts.packets.drop(packet);
  }

  private join(guest: number, device: SimulatedDevice, node: number): Guest {
    const { simulation, packets, taps } = this.parts;
    const { plan } = this.fabric.state;
    const port = plan.portBegin[node];
    const { constants } = device.subsystem.device;
    const gbps = Math.min(plan.rateBps[port] / 1e9, constants.portGbps);
    const latencyPs = Math.round(constants.portLatencyNs * PS_PER_NS);
    const link = {
      name: `${device.name}-fabric`,
      ends: [device.name, 'fabric'] as const,
      gbps,
      propagationNs: 0,
    };
    const egress = new EgressPort(simulation, packets, {
      name: `${device.name}/port`,
      gbps,
      delayPs: plan.delayNs[port] * PS_PER_NS + latencyPs,
      weights: this.parts.trafficClassWeights,
      strict: this.parts.strictTrafficClasses,
      target: { handler: this.sendHandler, port: guest },
      sender: device.nic.port,
    });
    this.egressPorts.push(egress);
    const pauses = new GuestPauses({
      name: device.name,
      simulation,
      egress,
      classOf: (priority) => this.classOf(priority),
      quanta: this.options.spec.pauses?.quanta ?? null,
      rateBps: plan.rateBps[plan.peer[port]],
      ownRateBps: plan.rateBps[port],
      send: (trafficClass, paused) => this.sendPause(guest, trafficClass, paused),
    });
    const watch: PauseWatch | undefined = taps.watchPause(device, gbps);
    if (watch !== undefined) egress.onPause = (priority, paused) => watch.received(priority, paused);
    const pausePs = Math.round(constants.pauseDelayNs * PS_PER_NS);
    const handler = simulation.register(`${device.name}/pause`, (priority, paused) =>
      pauses.ask(priority, paused === 1),
    );
    device.nic.attach(egress, (priority, paused) => {
      watch?.sent(priority, paused);
      simulation.after(pausePs, handler, priority, paused ? 1 : 0);
    });
    const arrival = taps.arrival(device.nic.port.arrivalHandler, link, device.name, device);
    return { device, egress, latencyPs, arrival, pauses };
  }

  /** A packet of a device reaches the fabric. */
  private send(packet: number, guest: number): void {
    const { packets } = this.parts;
    const target = packets.destination[packet];
    if (target === this.parts.outside.node) {
      this.lightFlows.answer(packet, this.nowNs());
      this.planWindow();
      return;
    }
    const hash = packets.flowHash(packet, 0);
    const trafficClass = this.classOf(packets.priority[packet]);
    this.fabric.guests!.send(
      guest,
      target,
      packet,
      packets.wireBytes[packet],
      trafficClass,
      hash,
      this.nowNs(),
    );
    this.planWindow();
  }

  private sendPause(guest: number, trafficClass: number, paused: boolean): void {
    this.fabric.guests!.sendPause(guest, trafficClass, paused, this.nowNs());
    this.planWindow();
  }

  private classOf(priority: number): number {
    return priority === 0 ? this.options.trafficClass : priority;
  }

  /** The fabric's clock: what happens within a nanosecond reaches it at its end. */
  private nowNs(): number {
    return Math.ceil(this.parts.simulation.now / PS_PER_NS);
  }

  /** Windows are of one grid, so that it does not matter who asked for one first. */
  private planWindow(): void {
    if (this.planned || this.fabric.isIdle) return;
    const { simulation } = this.parts;
    this.planned = true;
    const windowPs = this.windowNs * PS_PER_NS;
    const endPs = (Math.floor(simulation.now / windowPs) + 1) * windowPs;
    simulation.after(endPs - simulation.now, this.windowHandler);
  }

  private runWindow(): void {
    const untilNs = Math.round(this.parts.simulation.now / PS_PER_NS) - 1;
    this.planned = false;
    this.options.onWindow?.(this.fabric, untilNs);
    this.fabric.run(untilNs);
    this.planWindow();
  }
}
