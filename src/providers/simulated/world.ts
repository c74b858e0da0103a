import { Random, Simulation } from '../../engine/index.js';
import type { PacketRecorder } from '../../link/index.js';
import { EgressPort, type EgressTarget, FabricPackets, type Mechanism, Switch } from '../../models/index.js';
import type { Subsystem } from '../../profiles/index.js';
import { AddressSpace } from '../../verbs/base/index.js';
import { formatGid, parseGid } from '../../wire/index.js';
import { VirtualTime } from '../time/virtual-time.js';
import { CapturedArrival } from './captured-arrival.js';
import { SimulatedDevice } from './device.js';
import { ipv4Of } from './host-address.js';
import { ImpairedArrival, type Impairment } from './impairment.js';
import { PayloadSlab } from './payload-slab.js';

/** Picoseconds in a nanosecond: the simulation's tick is a picosecond. */
const TICKS_PER_NS = 1000;

/** What a simulated world is made of. */
export interface WorldOptions {
  subsystem: Subsystem;
  hosts: number;
  seed: number;
  impairment?: Impairment;
  capture?: PacketRecorder;
  ablate: readonly Mechanism[];
  functionGbps: readonly number[];
  trafficClassWeights: readonly number[];
  strictTrafficClasses: readonly number[];
  tenantShares: readonly number[] | null;
}

/**
 * Hosts with their devices, joined by links and a switch (or back to back), in one simulation. All hosts are built
 * from the same subsystem profile, as in the papers' testbeds.
 */
export class World {
  readonly simulation = new Simulation();
  readonly time = new VirtualTime(this.simulation, TICKS_PER_NS);
  readonly packets = new FabricPackets();
  readonly payloads = new PayloadSlab();
  readonly random: Random;
  readonly devices: SimulatedDevice[] = [];
  readonly gids: string[] = [];
  /** One a host: each has its own addresses. */
  readonly addresses: AddressSpace[] = [];
  readonly switches: Switch[] = [];
  readonly impaired: ImpairedArrival[] = [];
  /** The sending sides of all links. */
  readonly egressPorts: EgressPort[] = [];
  /** The host of a GID, both as this world writes it and in its canonical form. */
  private readonly nodes = new Map<string, number>();
  private readonly gidBytes = new Map<string, Uint8Array>();
  private readonly options: WorldOptions;

  constructor(options: WorldOptions) {
    this.options = options;
    this.random = new Random(options.seed);
    this.packets.onDrop = (packet) => {
      this.payloads.release(this.packets.payload[packet]);
      this.packets.free(packet);
    };
    const { rnic } = options.subsystem.placement;
    for (let host = 0; host < options.hosts; host++) {
      const gid = `::ffff:${ipv4Of(host)}`;
      const bytes = parseGid(gid);
      this.nodes.set(formatGid(bytes), host);
      this.nodes.set(gid, host);
      this.gidBytes.set(gid, bytes);
      this.gids.push(gid);
      this.addresses.push(new AddressSpace());
      this.devices.push(
        new SimulatedDevice({
          name: `sim${host}`,
          node: host,
          rnic,
          subsystem: options.subsystem,
          time: this.time,
          packets: this.packets,
          payloads: this.payloads,
          random: this.random.split(`sim${host}`),
          ablate: options.ablate,
          functionGbps: options.functionGbps,
          tenantShares: options.tenantShares,
          nodeOf: (text) => this.nodes.get(text) ?? this.nodes.get(formatGid(parseGid(text))) ?? -1,
        }),
      );
    }
  }

  /** The bytes of a GID in text. Those of this world are known: programs name them again and again. */
  parseGid(text: string): Uint8Array {
    return this.gidBytes.get(text) ?? parseGid(text);
  }

  /** Joins the devices once they have their models; called when all contexts were made. */
  connect(): void {
    const { constants } = this.options.subsystem.fabric;
    if (constants.switched === 1) this.connectBySwitch();
    else this.connectBackToBack();
  }

  private get linkGbps(): number {
    const { subsystem } = this.options;
    const { portGbps } = subsystem.device.constants;
    const { linkGbps } = subsystem.fabric.constants;
    return linkGbps > 0 ? Math.min(portGbps, linkGbps) : portGbps;
  }

  private get linkDelayPs(): number {
    const { subsystem } = this.options;
    return Math.round(
      (subsystem.fabric.constants.propagationNs + subsystem.device.constants.portLatencyNs) * TICKS_PER_NS,
    );
  }

  private connectBackToBack(): void {
    const [left, right] = this.devices;
    const leftEgress = this.deviceEgress(left, this.arrival(right, right.nic.arrivalHandler), 0);
    const rightEgress = this.deviceEgress(right, this.arrival(left, left.nic.arrivalHandler), 0);
    this.attach(left, leftEgress, rightEgress);
    this.attach(right, rightEgress, leftEgress);
  }

  private connectBySwitch(): void {
    const { constants } = this.options.subsystem.fabric;
    const lossless = this.options.subsystem.settings.pfc === 'enabled';
    const marking = this.options.subsystem.settings.ecn === 'enabled';
    const fabricSwitch = new Switch(this.simulation, this.packets, this.random.split('switch0'), {
      name: 'switch0',
      bufferBytes: constants.bufferBytes,
      xoffBytes: lossless ? constants.pfcXoffBytes : 0,
      xonBytes: constants.pfcXonBytes,
      ecnKminBytes: constants.ecnKminBytes,
      ecnKmaxBytes: constants.ecnKmaxBytes,
      ecnPmax: marking ? constants.ecnPmax : 0,
    });
    this.switches.push(fabricSwitch);
    const latencyPs = Math.round(constants.switchLatencyNs * TICKS_PER_NS);
    this.devices.forEach((device, port) => {
      const egress = this.deviceEgress(device, fabricSwitch.arrivalHandler, port, latencyPs);
      const target = { handler: this.arrival(device, device.nic.arrivalHandler), port: 0 };
      const down = this.egress(`switch0/port${port}`, target, 0, (packet) => fabricSwitch.onSent(packet));
      fabricSwitch.addPort(down, egress, this.linkDelayPs);
      fabricSwitch.route(device.node, port);
      this.attach(device, egress, down);
    });
  }

  private deviceEgress(device: SimulatedDevice, handler: number, port: number, extraPs = 0): EgressPort {
    return this.egress(`${device.name}/port`, { handler, port }, extraPs, (packet) =>
      device.nic.onSent(packet),
    );
  }

  /** The sending side of a link, which adds `extraPs` to its own delay. */
  private egress(
    name: string,
    target: EgressTarget,
    extraPs: number,
    sentHandler: (packet: number) => void,
  ): EgressPort {
    const port = new EgressPort(this.simulation, this.packets, {
      name,
      gbps: this.linkGbps,
      delayPs: this.linkDelayPs + extraPs,
      weights: this.options.trafficClassWeights,
      strict: this.options.strictTrafficClasses,
      target,
      sentHandler,
    });
    this.egressPorts.push(port);
    return port;
  }

  /** Joins a device to its link; what it pauses is `peer`, after the time that a pause frame takes. */
  private attach(device: SimulatedDevice, egress: EgressPort, peer: EgressPort): void {
    const { constants } = this.options.subsystem.device;
    const delayPs = Math.round(constants.pauseDelayNs * TICKS_PER_NS);
    const handler = this.simulation.register(`${device.name}/pause`, (priority, paused) => {
      peer.setPaused(priority, paused === 1);
    });
    device.nic.attach(egress, (priority, paused) => {
      this.simulation.after(delayPs, handler, priority, paused ? 1 : 0);
    });
  }

  /** The arrival at a device, with the world's capture and impairment before it where there are such. */
  private arrival(device: SimulatedDevice, handler: number): number {
    const { impairment, capture } = this.options;
    const target =
      capture === undefined ? handler : new CapturedArrival(this, capture, device.name, handler).handler;
    return this.withImpairment(device, target, impairment);
  }

  private withImpairment(
    device: SimulatedDevice,
    handler: number,
    impairment: Impairment | undefined,
  ): number {
    if (impairment === undefined) return handler;
    const random = this.random.split(`${device.name}/impairment`);
    const impaired = new ImpairedArrival(
      this.simulation,
      this.packets,
      this.payloads,
      random,
      impairment,
      device.name,
      handler,
    );
    this.impaired.push(impaired);
    return impaired.handler;
  }
}
