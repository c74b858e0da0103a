import { KelpieError } from '../../../error.js';
import type { PacketRecorder } from '../../../link/index.js';
import { isEndOf, nearest, type WorldLink } from '../../../profiles/index.js';
import type { SimulatedDevice } from '../device/device.js';
import type { PauseWatch } from '../world/fabric.js';
import type { World } from '../world/world.js';
import { CapturedArrival } from './captured-arrival.js';
import { CapturedPauses } from './captured-pauses.js';
import { CapturedPort } from './captured-port.js';
import { ImpairedArrival, type Impairment } from './impairment.js';

/** The port of a switch has no address. */
const NO_GID = new Uint8Array(16);

/** What is put before the arrival of packets. */
export interface TapOptions {
  /** What happens to packets that arrive at any device. */
  impairment?: Impairment;
  /** What happens to packets at a device or on a cable, by its name. */
  impairments?: Readonly<Record<string, Impairment>>;
  capture?: PacketRecorder;
  /** The devices and cables whose packets are captured; default: all devices. */
  captureAt?: readonly string[];
}

/** Captures and impairments at the ends of cables: each end has its own, and an interface of the capture. */
export class Taps {
  readonly impaired: ImpairedArrival[] = [];
  private readonly world: World;
  private readonly options: TapOptions;
  /** The interfaces of the devices that are captured. */
  private readonly ports = new Map<SimulatedDevice, CapturedPort>();

  constructor(world: World, options: TapOptions) {
    this.world = world;
    this.options = options;
    const { impairments = {}, captureAt = [] } = options;
    for (const place of Object.keys(impairments)) {
      this.requirePlace(`impairments.${place}`, place);
      this.requireEnd(place, impairments[place].towards);
    }
    captureAt.forEach((place, index) => {
      this.requirePlace(`captureAt[${index}]`, place);
    });
    this.capturePorts();
  }

  /** The handler of packets that arrive at one end of a cable, with its impairments and its capture before it. */
  arrival(handler: number, link: WorldLink, end: string, device: SimulatedDevice | null): number {
    const { impairment, impairments = {} } = this.options;
    let target = this.captured(handler, link, end, device);
    const seeds = device === null ? `${link.name}/${end}` : device.alias;
    const places = [link.name, ...(device === null ? [] : namesOf(device))];
    for (const place of places)
      if (Object.hasOwn(impairments, place) && isTowards(impairments[place], end))
        target = this.impair(target, impairments[place], `${place} at ${seeds}/impairment`, end);
    if (impairment === undefined || device === null) return target;
    return this.impair(target, impairment, `${seeds}/impairment`, end);
  }

  private capturePorts(): void {
    const { capture, captureAt } = this.options;
    const { world } = this;
    if (capture === undefined) return;
    for (const device of world.devices) {
      const wanted = captureAt === undefined || namesOf(device).some((name) => captureAt.includes(name));
      if (!wanted) continue;
      const gid = world.parseGid(world.gids[device.node]);
      this.ports.set(device, new CapturedPort(capture, device.name, gid));
    }
  }

  private captured(handler: number, link: WorldLink, end: string, device: SimulatedDevice | null): number {
    const { capture, captureAt } = this.options;
    const atDevice = device === null ? undefined : this.ports.get(device);
    const port =
      atDevice ??
      (capture !== undefined && captureAt?.includes(link.name)
        ? new CapturedPort(capture, `${link.name} towards ${end}`, NO_GID)
        : undefined);
    return port === undefined ? handler : new CapturedArrival(this.world, port, handler).handler;
  }

  /** Watches the pauses at a device whose packets are captured; undefined at another. */
  watchPause(device: SimulatedDevice, gbps: number): PauseWatch | undefined {
    const port = this.ports.get(device);
    return port === undefined ? undefined : new CapturedPauses(this.world.simulation, port, gbps);
  }

  private impair(handler: number, impairment: Impairment, seed: string, name: string): number {
    const { simulation, packets, payloads, random } = this.world;
    const impaired = new ImpairedArrival(
      simulation,
      packets,
      payloads,
      random.split(seed),
      impairment,
      name,
      handler,
    );
    this.impaired.push(impaired);
    return impaired.handler;
  }

  /** The end that an impairment names must be one of its cable. */
  private requireEnd(place: string, towards: string | undefined): void {
    if (towards === undefined) return;
    const ends = this.world.graph.links.find(({ name }) => name === place)?.ends ?? [];
    if (ends.some((end) => isEndOf(end, towards))) return;
    throw new KelpieError('UNKNOWN_PLACE', 'the cable does not end there', {
      field: `impairments.${place}.towards`,
      given: towards,
      allowed: ends.length === 0 ? 'nothing: only a cable has ends' : ends.join(', '),
    });
  }

  private requirePlace(field: string, given: string): void {
    const { graph, devices } = this.world;
    if (this.world.find(given) !== undefined || graph.links.some(({ name }) => name === given)) return;
    const known = [...devices.map(({ name }) => name), ...graph.links.map(({ name }) => name)];
    const meant = nearest(given, known);
    throw new KelpieError(
      'UNKNOWN_PLACE',
      `there is no such device or cable${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      {
        field,
        given,
        allowed: known.length > 60 ? `${known.slice(0, 60).join(', ')}, ...` : known.join(', '),
      },
    );
  }
}

/** Whether packets are struck that arrive at an end of a cable. */
function isTowards({ towards }: Impairment, end: string): boolean {
  return towards === undefined || isEndOf(end, towards);
}

/** The names of a device that a place may have. */
function namesOf({ name, alias }: SimulatedDevice): readonly string[] {
  const [host] = name.split('/');
  return alias === name ? [name] : [name, alias, host];
}
