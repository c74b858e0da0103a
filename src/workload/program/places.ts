import { KelpieError } from '../../error.js';
import type { Context } from '../../verbs/index.js';
import { deviceNamesOf, type Workload } from '../description/description.js';
import { hostNameLike, parseDeviceName, placeOf } from '../description/device-name.js';
import type { Testbed, TestbedDevice, TestbedHost } from '../testbed.js';

/** A device of a testbed as a Measurement speaks of it. */
export interface Place {
  /** Its name: that of its host, with the device's where the host has several. */
  readonly name: string;
  /** The host's name. */
  readonly host: string;
  readonly device: TestbedDevice;
}

/**
 * The devices of a testbed by the names that a workload uses. A host without a name of its own appears as the workload
 * spells it, `a` or `h0`; one that the workload does not mention appears in the same style.
 */
export class Places {
  /** Every device, host by host. */
  readonly all: readonly Place[];
  /** The names of the hosts, by place. */
  readonly hostNames: readonly string[];
  private readonly testbed: Testbed;
  private readonly byHost: readonly (readonly Place[])[];
  private readonly byName: ReadonlyMap<string, number>;

  constructor(testbed: Testbed, workload: Pick<Workload, 'tenants'>) {
    this.testbed = testbed;
    this.byName = new Map(testbed.hosts.map(({ name }, place) => [name, place]));
    const spelled = new Map<number, string>();
    for (const tenant of workload.tenants) {
      for (const endpoint of deviceNamesOf(tenant)) {
        const { host } = parseDeviceName(endpoint);
        const place = this.placeOfHost(host);
        if (!spelled.has(place)) spelled.set(place, host);
      }
    }
    const [sample = 'a'] = spelled.values();
    this.hostNames = testbed.hosts.map(({ name }, place) =>
      placeOf(name) === place ? (spelled.get(place) ?? hostNameLike(sample, place)) : name,
    );
    this.byHost = testbed.hosts.map(({ devices }, place) => {
      const host = this.hostNames[place];
      return devices.map((device) => ({
        name: devices.length === 1 ? host : `${host}/${device.name}`,
        host,
        device,
      }));
    });
    this.all = this.byHost.flat();
  }

  /** The device that an endpoint names. */
  find(endpoint: string): Place {
    const { host, device } = parseDeviceName(endpoint);
    const found = this.placeOfHost(host);
    if (found < 0)
      throw new KelpieError('CANNOT_RUN', `the ${this.testbed.provider} testbed has no host with this name`, {
        field: 'host',
        given: host,
        allowed: namesOf(this.testbed.hosts),
      });
    const places = this.byHost[found];
    const place = device === null ? places[0] : places.find((each) => each.device.name === device);
    if (place === undefined)
      throw new KelpieError('CANNOT_RUN', `host ${host} has no device with this name`, {
        field: 'device',
        given: endpoint,
        allowed: places.map((each) => `${host}/${each.device.name}`).join(', '),
      });
    return place;
  }

  /** The context that a tenant has there. */
  contextFor({ device }: Place, tenant: string): Context {
    return this.testbed.contextFor(device, tenant);
  }

  private placeOfHost(name: string): number {
    const place = this.byName.get(name) ?? placeOf(name) ?? -1;
    return place < this.testbed.hosts.length ? place : -1;
  }
}

/** Host names in a message: all of a few, the ends of many. */
function namesOf(hosts: readonly TestbedHost[]): string {
  const names = hosts.map(({ name }) => name);
  return names.length > 16 ? `${names[0]} to ${names[names.length - 1]}` : names.join(', ');
}
