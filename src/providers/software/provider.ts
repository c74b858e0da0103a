import { randomFillSync } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { Random } from '../../engine/index.js';
import type { CrcUpdate, Link } from '../../link/index.js';
import { type CmLimits, cmLimits } from '../../transport/cm/index.js';
import { AddressSpace, BaseContext, type RandomWords } from '../../verbs/base/index.js';
import { type DeviceInfo, type Provider, VerbsError } from '../../verbs/index.js';
import { formatGidShort, parseGid } from '../../wire/index.js';
import { BaseConnectionManager, ConnectionService } from '../cm/index.js';
import { capabilitiesOf, deviceWindowOf, portAttr, SOFTWARE_LIMITS, windowOf } from './capabilities.js';
import { type SoftwareControl, softwareControls } from './device/congestion.js';
import { SoftwareDevice } from './device/device.js';
import { type RecoveryName, recoveryOf } from './device/recovery.js';
import { DgramLink } from './link/dgram-link.js';
import type { LinkKind, LinkOptions } from './link/link-options.js';
import { openUdpLink } from './link/open-link.js';
import { SoftwareManagement } from './management.js';
import { fastestCrc, nodeCrc } from './packets/crc.js';
import { RealTimeClock } from './real-time-clock.js';

/** Choices about the devices of a software provider. */
export interface SoftwareOptions {
  /** What opens sockets; default: the best that there is. */
  link?: LinkKind;
  /** Choices about the sockets. */
  socket?: Omit<LinkOptions, 'address'>;
  /**
   * How queue pairs react to congestion; default: not at all. `timely` and `swift` look at how long acknowledgements take,
   * so that they act on RC alone.
   */
  congestion?: SoftwareControl;
  /** RC: packets that a queue pair may have unacknowledged; default: what the socket's buffer holds. */
  windowPackets?: number;
  /**
   * RC: how lost packets are sent again; default: go-back-N, which every RoCEv2 device speaks. go-back-0, of early NICs,
   * needs nothing of a peer either; between two that have it, a message that lost a packet starts over. The others are
   * selective repeat, whose packets say where they belong (SRNIC's extended headers): only a peer like this one
   * understands them. Connections of the connection manager agree on it in their private data and fall back to
   * go-back-N; whoever exchanges addresses otherwise gives both ends the same.
   */
  recovery?: RecoveryName;
  /**
   * Draws keys, queue pair numbers, addresses and what connections are named by from this seed. For tests alone: default
   * are the system's random numbers, which nobody can guess.
   */
  seed?: number;
  /** How much connection management takes on. */
  connectionLimits?: Partial<CmLimits>;
  /** Opens another link than one over UDP for a device's name. */
  openLink?: (deviceName: string) => Promise<Link>;
  /** Puts middlewares around every link that is opened. */
  wrapLink?: (link: Link) => Link;
}

/**
 * RoCEv2 devices in this process, over plain UDP. A device is named by the address that it opens on.
 *
 * @example
 * const provider = new SoftwareProvider();
 * const [left, right] = await Promise.all([provider.open('127.0.0.1'), provider.open('127.0.0.2')]);
 */
export class SoftwareProvider implements Provider {
  readonly name = 'software';
  private readonly options: SoftwareOptions;

  constructor(options: SoftwareOptions = {}) {
    this.options = options;
    const { windowPackets = 1, congestion = 'none' } = options;
    if (!softwareControls.includes(congestion))
      throw new VerbsError('OUT_OF_RANGE', 'a software device has no such congestion control', {
        field: 'congestion',
        given: congestion,
        allowed: softwareControls.join(', '),
      });
    if (!Number.isInteger(windowPackets) || windowPackets < 1 || windowPackets > 1 << 16)
      throw new VerbsError('OUT_OF_RANGE', 'an option of the software provider is out of range', {
        field: 'windowPackets',
        given: windowPackets,
        allowed: 'an integer from 1 to 65536',
      });
  }

  /** The addresses of this machine; others of 127.0.0.0/8 can be opened too. */
  async listDevices(): Promise<DeviceInfo[]> {
    return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).map(({ address, family, scopeid }) => ({
        name: family === 'IPv6' && scopeid ? `${address}%${name}` : address,
        description: `RoCEv2 over UDP on ${name}`,
      })),
    );
  }

  async open(deviceName: string): Promise<SoftwareContext> {
    const { options } = this;
    const opened = await (options.openLink?.(deviceName) ??
      openUdpLink({ ...options.socket, address: deviceName }, options.link));
    // Whoever forgoes foreign functions for sockets forgoes them altogether.
    const crc = opened instanceof DgramLink ? nodeCrc : await fastestCrc();
    return new SoftwareContext(deviceName, options.wrapLink?.(opened) ?? opened, options, crc.create());
  }
}

/** A software device that is open. */
export class SoftwareContext extends BaseContext {
  /** The device itself, for what goes beyond the verbs: its link, management datagrams. */
  readonly software: SoftwareDevice;
  /** Words that nobody can guess, unless they are drawn from a seed. */
  readonly random: RandomWords;
  private readonly connectionLimits: Partial<CmLimits>;
  private service: ConnectionService | null = null;

  constructor(deviceName: string, link: Link, options: SoftwareOptions, crc: CrcUpdate) {
    let software: SoftwareDevice | null = null;
    const clock = new RealTimeClock(() => software?.poll());
    const random = options.seed === undefined ? systemRandom() : seededRandom(options.seed, deviceName);
    const draw = () => random() / 2 ** 32;
    const windowPackets = options.windowPackets ?? windowOf(link);
    const recovery = recoveryOf(options.recovery, windowPackets);
    software = new SoftwareDevice({
      link,
      clock,
      congestion: options.congestion ?? 'none',
      windowPackets,
      recovery,
      deviceWindowPackets: deviceWindowOf(link),
      crc,
      draw,
    });
    super({
      deviceName,
      capabilities: capabilitiesOf(recovery.selective),
      clock,
      device: SOFTWARE_LIMITS,
      ports: [{ attr: portAttr(link), gids: link.gids.map(formatGidShort) }],
      carrier: software,
      qpNumbers: software.qpNumbers,
      addresses: new AddressSpace(draw),
      random,
      parseGid,
      connectionManager: (_, given) => new BaseConnectionManager(this.connections, this, given),
    });
    this.random = random;
    this.connectionLimits = options.connectionLimits ?? {};
    this.software = software;
    software.bind(this);
  }

  /** The device's connection management; it answers on queue pair 1 from the first time that it is asked for. */
  get connections(): ConnectionService {
    this.service ??= new ConnectionService(
      (listener) => new SoftwareManagement(this, listener, cmLimits(this.connectionLimits)),
      this.connectionLimits,
    );
    return this.service;
  }

  override async close(): Promise<void> {
    await super.close();
    this.service?.close();
    await this.software.close();
  }
}

/** Words that nobody can guess, for keys that strangers may try. */
function systemRandom(): RandomWords {
  const words = new Uint32Array(64);
  let left = 0;
  return () => {
    if (left === 0) {
      randomFillSync(words);
      left = words.length;
    }
    return words[--left];
  };
}

function seededRandom(seed: number, deviceName: string): RandomWords {
  const generator = new Random(seed).split(deviceName);
  return () => generator.nextUint32();
}
