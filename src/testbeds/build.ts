import type { Context } from '../verbs/index.js';
import {
  type DeviceBounds,
  type DeviceParts,
  type DeviceProbe,
  hostName,
  type LinkUse,
  NO_PROBE,
  type QueueUse,
  type Testbed,
  type TestbedDevice,
  type TestbedHost,
} from '../workload/index.js';

/** A device opened for a testbed. */
export interface OpenedDevice {
  /** Its name on the host; default: `rnic0`, `rnic1`, … */
  name?: string;
  context: Context;
  /** The device's limits; default: none. */
  bounds?: DeviceBounds;
  /** Figures for the device's parts; default: unknown. */
  parts?: DeviceParts;
  /** What is known about it beyond the verbs. */
  probe?: Partial<DeviceProbe>;
}

/** The parts of a testbed. */
export interface TestbedParts {
  provider: string;
  profile?: string;
  /** Hosts in order of place. */
  hosts: readonly { name?: string; devices: readonly OpenedDevice[] }[];
  notes?: readonly string[];
  events?: () => number;
  links?: () => readonly LinkUse[];
  queues?: () => readonly QueueUse[];
  /** Default: closes the devices' contexts. */
  close?: () => Promise<void>;
}

/**
 * A testbed of already opened devices, on any provider. All of them must share one clock.
 *
 * @example
 * const provider = new IdealProvider({ devices: 2 });
 * const hosts = [];
 * for (const { name } of await provider.listDevices()) hosts.push({ devices: [{ context: await provider.open(name) }] });
 * const testbed = buildTestbed({ provider: 'ideal', hosts });
 */
export function buildTestbed(parts: TestbedParts): Testbed {
  const hosts = parts.hosts.map(({ name, devices }, place): TestbedHost => {
    const own = devices.map(
      (device, index): TestbedDevice => ({
        name: device.name ?? `rnic${index}`,
        context: device.context,
        bounds: device.bounds ?? null,
        parts: device.parts ?? null,
        probe: { ...NO_PROBE, ...device.probe },
      }),
    );
    return { name: name ?? hostName(place), devices: own, context: own[0].context };
  });
  const closeAll = async () => {
    await Promise.all(hosts.flatMap(({ devices }) => devices.map(({ context }) => context.close())));
  };
  return {
    provider: parts.provider,
    profile: parts.profile ?? null,
    hosts,
    notes: parts.notes ?? [],
    contextFor: (device) => device.context,
    events: () => parts.events?.() ?? null,
    links: () => parts.links?.() ?? [],
    queues: () => parts.queues?.() ?? [],
    close: parts.close ?? closeAll,
  };
}
