import { Random, Simulation } from '../../../engine/index.js';
import {
  type CableSide,
  FabricPackets,
  type LinkReading,
  type Mechanism,
  type NicArchitecture,
  nicArchitectures,
  type PartSettings,
  type WorldSwitch,
} from '../../../models/index.js';
import {
  type FaultDescription,
  resolveWorldFault,
  type WorldFault,
  type WorldGraph,
} from '../../../profiles/index.js';
import { hpccHeader, type TelemetryFormat } from '../../../transport/index.js';
import { formatGid, parseGid } from '../../../wire/index.js';
import { VirtualTime } from '../../time/virtual-time.js';
import { SimulatedDevice } from '../device/device.js';
import { PayloadSlab } from '../device/payload-slab.js';
import { type QueueReading, readQueues } from '../device/queue-readings.js';
import { SimulatedHost } from '../host/simulated-host.js';
import type { ImpairedArrival } from '../taps/impairment.js';
import { type TapOptions, Taps } from '../taps/taps.js';
import { type BufferPolicyMaker, Fabric, type WorldFabric, type WorldFabricMaker } from './fabric.js';
import { injectFault } from './faults.js';
import { ipv4Of } from './host-address.js';

/** Picoseconds in a nanosecond: the simulation's tick is a picosecond. */
const TICKS_PER_NS = 1000;

/** What a simulated world is made of. */
export interface WorldOptions extends TapOptions {
  graph: WorldGraph;
  seed: number;
  bufferPolicy?: BufferPolicyMaker;
  /** How packets carry telemetry; default: HPCC's header for the fastest port. */
  telemetry?: TelemetryFormat;
  /** Joins the devices in place of the graph's cables and switches. */
  fabric?: WorldFabricMaker;
  ablate: readonly Mechanism[];
  /** Architectures that devices may have besides the shipped ones. */
  architectures?: readonly NicArchitecture[];
  functionGbps: readonly number[];
  trafficClassWeights: readonly number[];
  strictTrafficClasses: readonly number[];
  tenantShares: readonly number[] | null;
}

/** Hosts with their devices, joined by cables and switches, in one simulation. Each device is a node of the fabric. */
export class World {
  readonly graph: WorldGraph;
  readonly simulation = new Simulation();
  readonly time = new VirtualTime(this.simulation, TICKS_PER_NS);
  readonly packets = new FabricPackets();
  readonly payloads = new PayloadSlab();
  readonly random: Random;
  readonly hosts: SimulatedHost[] = [];
  /** By node. */
  readonly devices: SimulatedDevice[] = [];
  /** By node. */
  readonly gids: string[] = [];
  /** By every name that a device has: `h0/rnic1`; `h0` and `sim0` for the first of its host. */
  private readonly byName = new Map<string, SimulatedDevice>();
  /** The node of a GID, both as this world writes it and in its canonical form. */
  private readonly nodes = new Map<string, number>();
  private readonly gidBytes = new Map<string, Uint8Array>();
  private readonly options: WorldOptions;
  /** Rates of the cables by the ends of each. */
  private readonly cables: ReadonlyMap<string, number>;
  private readonly taps: Taps;
  /** How packets carry telemetry, where a control needs it: the units are those for the fastest port. */
  private readonly telemetry: TelemetryFormat;
  private roundTrip: number | null = null;
  private fabric: WorldFabric | null = null;

  constructor(options: WorldOptions) {
    this.options = options;
    this.graph = options.graph;
    this.random = new Random(options.seed);
    this.telemetry = options.telemetry ?? hpccHeader(telemetryMultiple(options.graph));
    this.cables = new Map(options.graph.links.flatMap(({ ends, gbps }) => ends.map((end) => [end, gbps])));
    this.packets.onDrop = (packet) => {
      this.payloads.release(this.packets.payload[packet]);
      this.packets.free(packet);
    };
    const nodeOf = (text: string) => this.nodes.get(text) ?? this.nodes.get(formatGid(parseGid(text))) ?? -1;
    const architectures = nicArchitectures(options.architectures);
    options.graph.hosts.forEach((given, number) => {
      const host = new SimulatedHost(given, options.ablate);
      this.hosts.push(host);
      given.devices.forEach(({ name, rnic, subsystem }, place) => {
        const node = this.devices.length;
        this.addGid(node);
        const alias = place === 0 ? `sim${number}` : name;
        const device = new SimulatedDevice({
          name,
          alias,
          node,
          rnic,
          host,
          subsystem,
          architecture: architectures.compose(subsystem.device.architecture),
          time: this.time,
          packets: this.packets,
          payloads: this.payloads,
          random: this.random.split(alias),
          ablate: options.ablate,
          functionGbps: options.functionGbps,
          trafficClassWeights: options.trafficClassWeights,
          strictTrafficClasses: options.strictTrafficClasses,
          tenantShares: options.tenantShares,
          roundTripNs: () => this.roundTripNs,
          telemetry: this.telemetry,
          nodeOf,
        });
        this.devices.push(device);
        host.devices.push(device);
        for (const each of [name, alias, ...(place === 0 ? [given.name] : [])]) this.byName.set(each, device);
      });
    });
    this.taps = new Taps(this, options);
  }

  /** The longest round trip between its devices without queues. */
  private get roundTripNs(): number {
    this.roundTrip ??= this.fabric?.roundTripNs ?? 0;
    return this.roundTrip;
  }

  /** What happens to packets at the ends of cables. */
  get impaired(): readonly ImpairedArrival[] {
    return this.taps.impaired;
  }

  /** The switches of the fabric. */
  get switches(): readonly WorldSwitch[] {
    return this.fabric?.switches ?? [];
  }

  /** The sending sides of all cables. */
  get egressPorts(): readonly CableSide[] {
    return this.fabric?.egressPorts ?? [];
  }

  /** Every link of the hosts, `h0/switch1-up`, and every cable, with what it has carried so far. */
  get links(): readonly LinkReading[] {
    const readings: LinkReading[] = [];
    for (const { name, model } of this.hosts) model.readLinks(readings, this.simulation.now, `${name}/`);
    this.fabric?.readLinks(readings);
    return readings;
  }

  /** What waits in the devices and switches now; reading it changes nothing. */
  get queues(): readonly QueueReading[] {
    const { bufferPolicy, fabric, graph } = this.options;
    // A policy or a fabric of somebody else has room that the profile does not know.
    const known = bufferPolicy === undefined && fabric === undefined ? graph.switches : [];
    return readQueues(
      this.devices,
      this.egressPorts,
      this.switches,
      (name) => known.find((each) => each.name === name)?.constants.bufferBytes ?? null,
    );
  }

  /**
   * Puts a fault into the world, at once or by its schedule, whose times count from the start of the simulation. Returns
   * what takes it back. A KelpieError says what is wrong with a place that does not exist.
   *
   * @example
   * const lift = provider.world.inject({ at: 'h0/switch1-up', rate: 0.25 });
   */
  inject(fault: FaultDescription): () => void {
    return this.injectResolved(resolveWorldFault(this.graph, fault));
  }

  /**
   * What a program on a host could read of its ports and RNICs now: the state of the model, whether a profile or a fault
   * made it so. Rates and latencies are none of it.
   */
  readSettings(hostName: string): readonly PartSettings[] {
    const host = this.hosts.find(({ name }) => name === hostName);
    if (host === undefined) return [];
    const settings = host.model.readSettings(this.simulation.now);
    return settings.map((each) => {
      const device = host.devices.find(({ rnic }) => rnic === each.part);
      return device === undefined ? each : { ...each, ...device.nic.pcie.deviceControl };
    });
  }

  /** The device of a name; undefined if there is none. */
  find(name: string): SimulatedDevice | undefined {
    return this.byName.get(name);
  }

  /** The rate of a device's cable, 0 where the port on it decides; null: it has no cable. */
  cableGbps({ name }: SimulatedDevice): number | null {
    return this.cables.get(name) ?? null;
  }

  /** The bytes of a GID in text. Those of this world are known: programs name them again and again. */
  parseGid(text: string): Uint8Array {
    return this.gidBytes.get(text) ?? parseGid(text);
  }

  /** Joins the devices once they have their models; called when all contexts were made. */
  connect(): void {
    const { graph, trafficClassWeights, strictTrafficClasses, bufferPolicy, fabric } = this.options;
    const { simulation, packets, random, devices, taps } = this;
    const outside = { node: devices.length, gid: `::ffff:${ipv4Of(devices.length)}` };
    // Nobody outside is known to devices that are joined by cables of their own.
    if (fabric !== undefined) this.nodes.set(formatGid(parseGid(outside.gid)), outside.node);
    const telemetry = devices.some(({ usesTelemetry }) => usesTelemetry) ? this.telemetry : null;
    if (telemetry !== null) packets.carryTelemetry(telemetry.maxHops);
    const parts = {
      simulation,
      packets,
      devices,
      trafficClassWeights,
      strictTrafficClasses,
      taps,
      telemetry,
      outside,
    };
    this.fabric = fabric?.(parts) ?? new Fabric({ ...parts, graph, random, bufferPolicy });
    for (const fault of graph.faults) this.injectResolved(fault);
  }

  private injectResolved(fault: WorldFault): () => void {
    return injectFault({ hosts: this.hosts, fabric: this.fabric! }, fault, this.simulation.now);
  }

  private addGid(node: number): void {
    const gid = `::ffff:${ipv4Of(node)}`;
    const bytes = parseGid(gid);
    this.nodes.set(formatGid(bytes), node);
    this.nodes.set(gid, node);
    this.gidBytes.set(gid, bytes);
    this.gids.push(gid);
  }
}

/** Units of telemetry grow with the rate of ports, as in HPCC's `run.py`. */
function telemetryMultiple({ hosts }: WorldGraph): number {
  const gbps = hosts.flatMap(({ devices }) =>
    devices.map(({ subsystem }) => subsystem.device.constants.portGbps),
  );
  return Math.max(1, Math.floor(gbps.reduce((most, each) => Math.max(most, each), 0) / 25));
}
