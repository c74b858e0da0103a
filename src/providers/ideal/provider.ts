import { Random } from '../../engine/index.js';
import { TRUSTED_CM_LIMITS } from '../../transport/cm/index.js';
import { BaseContext } from '../../verbs/base/index.js';
import { type Context, type DeviceInfo, type Provider, VerbsError } from '../../verbs/index.js';
import { parseGid } from '../../wire/ib/gid.js';
import { BaseConnectionManager, ConnectionService, VirtualManagement } from '../cm/index.js';
import { IdealCarrier } from './carrier.js';
import { IDEAL_CAPABILITIES, IDEAL_LIMITS, IdealDevice } from './device.js';
import { Fabric } from './fabric.js';

/** Choices when an ideal fabric is made. */
export interface IdealOptions {
  /** Devices on the fabric, `ideal0` and on; default: 2. */
  devices?: number;
  /** One-way latency of every message; default: 0, everything happens at once. */
  latencyNs?: number;
  /** Seeds the keys of memory regions; default: 1. */
  seed?: number;
}

/**
 * A fabric of ideal devices in memory: all verbs, no packets, no loss, no hardware. The fast fake for tests.
 *
 * @example
 * const provider = new IdealProvider({ latencyNs: 1000 });
 * const context = await provider.open('ideal0');
 */
export class IdealProvider implements Provider {
  readonly name = 'ideal';
  private readonly devices: readonly IdealDevice[];
  private readonly fabric: Fabric;
  private readonly random: Random;
  private opened = 0;

  constructor(options: IdealOptions = {}) {
    const count = requireCount('devices', options.devices ?? 2, 1, 0xfffffe);
    const latencyNs = requireCount('latencyNs', options.latencyNs ?? 0, 0, 1e15);
    this.devices = Array.from({ length: count }, (_, index) => new IdealDevice(index));
    this.fabric = new Fabric(latencyNs, this.devices);
    this.random = new Random(options.seed ?? 1);
  }

  async listDevices(): Promise<DeviceInfo[]> {
    return this.devices.map(({ name, gid }) => ({ name, description: `ideal device in memory, ${gid}` }));
  }

  async open(deviceName: string): Promise<Context> {
    const device = this.devices.find(({ name }) => name === deviceName);
    if (device === undefined) {
      const allowed = `ideal0 to ideal${this.devices.length - 1}`;
      throw new VerbsError('OUT_OF_RANGE', 'there is no such device', {
        field: 'deviceName',
        given: deviceName,
        allowed,
      });
    }
    return this.contextOf(device, `${this.opened++}`);
  }

  private contextOf(device: IdealDevice, name: string): BaseContext {
    const random = this.random.split(`${device.name}/${name}`);
    return new BaseContext({
      deviceName: device.name,
      capabilities: IDEAL_CAPABILITIES,
      clock: this.fabric.time,
      device: IDEAL_LIMITS,
      ports: device.ports,
      carrier: new IdealCarrier(this.fabric, device),
      qpNumbers: device.qpNumbers,
      addresses: this.fabric.addresses,
      random: () => random.nextUint32(),
      parseGid,
      connectionManager: (context, options) =>
        new BaseConnectionManager(this.serviceOf(device), context, options),
    });
  }

  /** The connection management of a device, which all who opened it share. */
  private serviceOf(device: IdealDevice): ConnectionService {
    device.connections ??= new ConnectionService((listener) => {
      const random = this.random.split(`${device.name}/cm`);
      const context = this.contextOf(device, 'qp 1');
      return new VirtualManagement(this.fabric.time, context, () => random.nextUint32(), listener);
    }, TRUSTED_CM_LIMITS);
    return device.connections;
  }

  /** Sum over a device's queue pairs of the time so far in which they waited for their peers' programs to post receives. */
  receiveWaitNs(deviceName: string): number {
    const device = this.devices.find(({ name }) => name === deviceName);
    return device?.receiveWaitNs(this.fabric.time.nowNs) ?? 0;
  }
}

function requireCount(field: string, given: number, low: number, high: number): number {
  if (Number.isInteger(given) && given >= low && given <= high) return given;
  const detail = { field, given, allowed: `an integer from ${low} to ${high}` };
  throw new VerbsError('OUT_OF_RANGE', 'an option of the ideal provider is out of range', detail);
}
