import { type Mechanism, type NicArchitecture, PRIORITIES } from '../../models/index.js';
import {
  findProfile,
  resolveSubsystem,
  resolveWorld,
  type Subsystem,
  type WorldDescription,
  type WorldGraph,
  worldOfSubsystem,
} from '../../profiles/index.js';
import { TRUSTED_CM_LIMITS } from '../../transport/cm/index.js';
import { BaseContext } from '../../verbs/base/index.js';
import {
  type Context,
  type DeviceInfo,
  type Provider,
  type QueuePair,
  type Thread,
  type ThreadOptions,
  VerbsError,
} from '../../verbs/index.js';
import { BaseConnectionManager, ConnectionService, VirtualManagement } from '../cm/index.js';
import { capabilitiesOf, deviceLimits, portAttr } from './capabilities.js';
import type { SimulatedDevice } from './device/device.js';
import { FunctionContext } from './device/function-context.js';
import type { TapOptions } from './taps/taps.js';
import type { BufferPolicyMaker, WorldFabricMaker } from './world/fabric.js';
import { World } from './world/world.js';

/** Less weight than this would make a class wait forever in practice. */
const MIN_WEIGHT = 0.01;
const MAX_FUNCTIONS = 256;
/** Functions that a device can account for: sets of them are bits of a word. */
const MAX_TENANTS = 31;

/** Choices when a simulated subsystem is made. */
export interface SimulatedOptions extends TapOptions {
  /** Hosts alike with one device each: a shipped profile by name or a resolved one; default: `collie-f`. */
  subsystem?: string | Subsystem;
  /** How many of them: `h0`, `h1`, …, also called `sim0`, `sim1`, …; default: 2. */
  hosts?: number;
  /** In place of `subsystem` and `hosts`, any world: the name of a profile, a description, or a resolved one. */
  world?: string | WorldDescription | WorldGraph;
  /** Seeds everything that is drawn; default: 1. */
  seed?: number;
  /** Who may use the memory of a switch; default: the thresholds of its profile. */
  bufferPolicy?: BufferPolicyMaker;
  /** Joins the devices in place of the world's own cables and switches: see `lightFabric` of `kelpie/fabric`. */
  fabric?: WorldFabricMaker;
  /** NIC architectures that device profiles may name, or take parts of, besides the shipped ones. */
  architectures?: readonly NicArchitecture[];
  /** Mechanisms to switch off, to see what they cause. */
  ablate?: readonly Mechanism[];
  /**
   * Functions of every device (0 is the physical one, the others are virtual) as rate limits of what they send, in
   * Gb/s; 0 for none. A queue pair is in function 0 until `assignFunction`. By default there is function 0 alone,
   * without a limit.
   */
  functionGbps?: readonly number[];
  /**
   * Weights of the eight traffic classes at every port, of devices and of the switch; default: all 1. The class
   * of a queue pair is the service level of its address vector (`ahAttr.sl`, for datagrams that of the handle), modulo 8.
   */
  trafficClassWeights?: readonly number[];
  /** Traffic classes that go before all others at every port, the highest first; default: none. */
  strictTrafficClasses?: readonly number[];
  /**
   * Shares of the functions, by number: the devices then account for the time, cache lines, buffers and errors of each
   * function and serve it by its share. No device that can be bought does; null or left out: these do not either.
   */
  tenantShares?: readonly number[] | null;
}

/**
 * An RDMA subsystem, event by event: RNICs, PCIe, hosts, links and a lossless switch behind the verbs, in virtual time.
 *
 * @example
 * const provider = new SimulatedProvider({ subsystem: 'collie-f', seed: 7 });
 * const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
 */
export class SimulatedProvider implements Provider {
  readonly name = 'simulated';
  /** What the first device is, where it is and how it is set up. */
  readonly subsystem: Subsystem;
  readonly world: World;
  private readonly contexts: SimulatedContext[];
  private readonly functions: number;

  constructor(options: SimulatedOptions = {}) {
    const graph = graphOf(options);
    const seed = requireCount('seed', options.seed ?? 1, 0, 0xffffffff);
    this.subsystem = graph.hosts[0].devices[0].subsystem;
    this.world = new World({
      graph,
      seed,
      ...tapsOf(options),
      ...(options.bufferPolicy === undefined ? {} : { bufferPolicy: options.bufferPolicy }),
      ...(options.fabric === undefined ? {} : { fabric: options.fabric }),
      ablate: options.ablate ?? [],
      ...(options.architectures === undefined ? {} : { architectures: options.architectures }),
      functionGbps: requireEach('functionGbps', options.functionGbps ?? [], MAX_FUNCTIONS, 0, 1600),
      trafficClassWeights: requireEach(
        'trafficClassWeights',
        options.trafficClassWeights ?? [],
        PRIORITIES,
        MIN_WEIGHT,
        1000,
      ),
      strictTrafficClasses: requireEach(
        'strictTrafficClasses',
        options.strictTrafficClasses ?? [],
        PRIORITIES,
        0,
        PRIORITIES - 1,
      ),
      tenantShares:
        options.tenantShares == null
          ? null
          : requireEach('tenantShares', options.tenantShares, MAX_TENANTS, MIN_WEIGHT, 1000),
    });
    this.functions = options.functionGbps?.length ?? 0;
    this.requireFunctions();
    this.contexts = this.world.devices.map((device) => this.createContext(device));
    this.world.connect();
  }

  /** Puts a queue pair of one of these devices under a function, by its number in `functionGbps`. */
  assignFunction(qp: QueuePair, number: number): void {
    const device = this.contexts.indexOf(qp.pd.context as SimulatedContext);
    if (device < 0) {
      throw new VerbsError('WRONG_OWNER', 'the queue pair is of another provider', { field: 'qp' });
    }
    requireCount('number', number, 0, Math.max(1, this.functions) - 1);
    this.world.devices[device].assignFunction(qp.qpNum, number);
  }

  async listDevices(): Promise<DeviceInfo[]> {
    return this.world.devices.map(({ name, node, subsystem }) => ({
      name,
      description: `${subsystem.title}, simulated, ${this.world.gids[node]}`,
    }));
  }

  async open(deviceName: string): Promise<Context> {
    const device = this.world.find(deviceName);
    if (device !== undefined) return this.contexts[device.node];
    const names = this.world.devices.map(({ name }) => name);
    const allowed = names.length > 60 ? `${names.slice(0, 60).join(', ')}, ...` : names.join(', ');
    throw new VerbsError('OUT_OF_RANGE', 'there is no such device', {
      field: 'deviceName',
      given: deviceName,
      allowed,
    });
  }

  /**
   * A device as the tenant of one of its functions has it: what is made from this context belongs to the function, a
   * number of `functionGbps`, and shares its rate limit.
   */
  functionOf(context: Context, number: number): Context {
    const device = this.contexts.indexOf(context as SimulatedContext);
    if (device < 0) {
      throw new VerbsError('WRONG_OWNER', 'the context is of another provider', { field: 'context' });
    }
    requireCount('number', number, 0, Math.max(1, this.functions) - 1);
    return new FunctionContext(context, this.world.devices[device], number);
  }

  /** Function 0 is the physical one: the others are virtual, and each device has this many. */
  private requireFunctions(): void {
    for (const { name, subsystem } of this.world.devices) {
      const { virtualFunctions } = subsystem.device.constants;
      if (this.functions <= virtualFunctions + 1) continue;
      throw new VerbsError('OUT_OF_RANGE', `${name} has fewer functions`, {
        field: 'functionGbps',
        given: this.functions,
        allowed: `at most ${virtualFunctions + 1} values`,
      });
    }
  }

  private createContext(device: SimulatedDevice): SimulatedContext {
    const { world } = this;
    const { constants } = device.subsystem.device;
    const keys = world.random.split(`${device.alias}/keys`);
    const context = new SimulatedContext(
      {
        deviceName: device.name,
        capabilities: capabilitiesOf(device.architecture),
        clock: world.time,
        device: deviceLimits(constants, device.subsystem.host.constants),
        ports: [
          {
            attr: portAttr(constants, world.cableGbps(device)),
            gids: [world.gids[device.node]],
          },
        ],
        carrier: device,
        qpNumbers: device.qpNumbers,
        addresses: device.addresses,
        random: () => keys.nextUint32(),
        placements: device.host.placements,
        parseGid: (text) => world.parseGid(text),
        connectionManager: (context, options) => {
          device.connections ??= new ConnectionService((listener) => {
            const random = world.random.split(`${device.name}/cm`);
            return new VirtualManagement(world.time, context, () => random.nextUint32(), listener);
          }, TRUSTED_CM_LIMITS);
          return new BaseConnectionManager(device.connections, context, options);
        },
      },
      device,
    );
    device.bind(context);
    return context;
  }
}

/** A simulated device that is open; it has threads, since the simulation has processors. */
class SimulatedContext extends BaseContext {
  private readonly simulated: SimulatedDevice;

  constructor(options: ConstructorParameters<typeof BaseContext>[0], device: SimulatedDevice) {
    super(options);
    this.simulated = device;
  }

  createThread(options: ThreadOptions = {}): Thread {
    return this.simulated.createThread(options.name, options.socket);
  }
}

function tapsOf({ impairment, impairments, capture, captureAt }: TapOptions): TapOptions {
  return {
    ...(impairment === undefined ? {} : { impairment }),
    ...(impairments === undefined ? {} : { impairments }),
    ...(capture === undefined ? {} : { capture }),
    ...(captureAt === undefined ? {} : { captureAt }),
  };
}

/** The world that the options ask for. */
function graphOf({ world, subsystem, hosts }: SimulatedOptions): WorldGraph {
  if (world === undefined) {
    const named = subsystem ?? 'collie-f';
    const resolved = typeof named === 'string' ? resolveSubsystem(findProfile('subsystem', named)) : named;
    return worldOfSubsystem(resolved, requireCount('hosts', hosts ?? 2, 2, 4096));
  }
  if (subsystem !== undefined || hosts !== undefined)
    throw new VerbsError('OUT_OF_RANGE', 'a world has its own hosts', {
      field: 'world',
      allowed: '`world`, or `subsystem` and `hosts`',
    });
  return isGraph(world) ? world : resolveWorld(world);
}

/** Whether a world was resolved before: only then do its hosts have their graphs. */
function isGraph(world: string | WorldDescription | WorldGraph): world is WorldGraph {
  const first: unknown = typeof world === 'string' ? undefined : world.hosts?.[0]?.host;
  return typeof first === 'object' && first !== null;
}

function requireEach(
  field: string,
  given: readonly number[],
  most: number,
  low: number,
  high: number,
): readonly number[] {
  const bad = given.findIndex((value) => !(value >= low && value <= high));
  if (given.length <= most && bad < 0) return given;
  throw new VerbsError('OUT_OF_RANGE', 'an option of the simulated provider is out of range', {
    field: bad < 0 ? field : `${field}[${bad}]`,
    given: bad < 0 ? given.length : given[bad],
    allowed: bad < 0 ? `at most ${most} values` : `a number from ${low} to ${high}`,
  });
}

function requireCount(field: string, given: number, low: number, high: number): number {
  if (Number.isInteger(given) && given >= low && given <= high) return given;
  const detail = { field, given, allowed: `an integer from ${low} to ${high}` };
  throw new VerbsError('OUT_OF_RANGE', 'an option of the simulated provider is out of range', detail);
}
