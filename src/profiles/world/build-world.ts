import { nearest } from '../../schema/index.js';
import type { Report } from '../consistency.js';
import { checkSettings } from '../consistency.js';
import { nearestNode } from '../host-graph.js';
import type { ProfileLookup } from '../load.js';
import type { ProfileKind, ProfileOf, WorldProfile } from '../profile.js';
import { type Host, resolveDevice, resolveFabric, resolveHost, type Subsystem } from '../resolve.js';
import type { SettingName, Settings } from '../settings.js';
import type { WorldDeviceDescription, WorldHostDescription, WorldLinkDescription } from './description.js';
import type { SwitchNode, WorldDevice, WorldGraph, WorldHost, WorldLink } from './graph.js';
import { resolveFault } from './places.js';
import { MAX_HOSTS } from './world-schema.js';

const DEFAULT_FABRIC = 'lossless-switch';
/** Settings that a device has for itself; the others belong to ports, memories or the fabric. */
const deviceSettings: readonly SettingName[] = ['ordering', 'ats', 'pfc', 'receiverEcn', 'congestionControl'];

/**
 * The graph of a world profile. Everything that is wrong with it is reported; what can be made without it is made all
 * the same, so that one call finds every fault.
 */
export function buildWorld(profile: WorldProfile, lookup: ProfileLookup, report: Report): WorldGraph {
  return new Builder(profile, lookup, report).build();
}

/** A host before it has its name. */
interface ResolvedHost {
  readonly host: Host;
  readonly devices: readonly Omit<WorldDevice, 'name'>[];
}

class Builder {
  private readonly profile: WorldProfile;
  private readonly lookup: ProfileLookup;
  private readonly report: Report;
  /** Faults reported so far. */
  private faults = 0;
  private readonly hosts: WorldHost[] = [];
  private readonly switches: SwitchNode[] = [];
  /** How many hosts were asked for so far. */
  private position = 0;
  /** Names of hosts and switches. */
  private readonly names = new Set<string>();
  /** Hosts without fault by their description but for the name: those alike are one object. */
  private readonly alike = new Map<string, ResolvedHost>();
  /** Full names by what an end of a cable can be called: `switch0`, `h0`, `h0/rnic1`. */
  private readonly ends = new Map<string, string>();

  constructor(profile: WorldProfile, lookup: ProfileLookup, report: Report) {
    this.profile = profile;
    this.lookup = lookup;
    this.report = (code, field, detail) => {
      this.faults++;
      report(code, field, detail);
    };
  }

  build(): WorldGraph {
    const { profile, hosts, switches } = this;
    const fabric = this.fabric(profile.fabric ?? this.usualFabric(), 'fabric');
    profile.hosts.forEach((host, index) => {
      this.addHosts(host, `hosts[${index}]`, fabric);
    });
    if (hosts.length === 0 && profile.hosts.length === 0)
      this.report('PROFILE_MISSING_FIELD', 'hosts', {
        problem: 'a world without hosts',
        allowed: 'at least one',
      });
    this.addSwitches(fabric);
    this.nameEnds();
    const links = this.links(fabric);
    const routes = this.routes(links);
    const places = { hosts, links };
    const faults = (profile.faults ?? []).flatMap(
      (fault, index) => resolveFault(places, fault, `faults[${index}]`, this.report) ?? [],
    );
    return { name: profile.name, title: profile.title, hosts, switches, links, routes, faults };
  }

  /** The fabric of the first host that comes from a subsystem. */
  private usualFabric(): string {
    const [first] = this.profile.hosts.flatMap(({ subsystem }) => subsystem ?? []);
    const found = first === undefined ? undefined : this.lookup.lookUp('subsystem', first, new Set());
    return found?.profile === 'subsystem' ? found.fabric : DEFAULT_FABRIC;
  }

  private addHosts(
    given: WorldHostDescription,
    field: string,
    fabric: Subsystem['fabric'] | undefined,
  ): void {
    const { count = 1, name } = given;
    if (name !== undefined && count > 1)
      this.report('PROFILE_INCONSISTENT', `${field}.count`, {
        problem: 'several hosts of one name',
        given: count,
        allowed: '1, or no name',
      });
    const made = this.hostLike(given, field, fabric);
    const copies = name === undefined ? count : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (this.position === MAX_HOSTS) {
        this.report('PROFILE_OUT_OF_RANGE', `${field}.count`, {
          problem: 'too many hosts',
          given: this.position - copy + count,
          allowed: `at most ${MAX_HOSTS} in all`,
        });
        return;
      }
      const called = name ?? `h${this.position}`;
      this.position++;
      if (this.names.has(called)) {
        this.report('PROFILE_INCONSISTENT', `${field}.name`, {
          problem: 'two hosts of one name',
          given: called,
          allowed: 'a name of its own; default: h and its position',
        });
        continue;
      }
      this.names.add(called);
      if (made === undefined) continue;
      const devices = made.devices.map(({ rnic, subsystem }) => ({
        name: `${called}/${rnic}`,
        rnic,
        subsystem,
      }));
      this.hosts.push({ name: called, host: made.host, devices });
    }
  }

  private hostLike(
    given: WorldHostDescription,
    field: string,
    fabric: Subsystem['fabric'] | undefined,
  ): ResolvedHost | undefined {
    const { name: _, count, ...rest } = given;
    const key = JSON.stringify(rest);
    const { faults } = this;
    const made = this.alike.get(key) ?? this.resolveHost(given, field, fabric);
    if (made !== undefined && this.faults === faults) this.alike.set(key, made);
    return made;
  }

  private resolveHost(
    given: WorldHostDescription,
    field: string,
    fabric: Subsystem['fabric'] | undefined,
  ): ResolvedHost | undefined {
    const { report } = this;
    const base =
      given.subsystem === undefined
        ? undefined
        : this.find('subsystem', given.subsystem, `${field}.subsystem`);
    const hostName = given.host ?? base?.host;
    if (hostName === undefined) {
      if (given.subsystem === undefined)
        report('PROFILE_MISSING_FIELD', `${field}.host`, {
          problem: 'a host needs a profile',
          allowed: 'host, or subsystem',
        });
      return undefined;
    }
    const profile = this.find('host', hostName, `${field}.host`);
    if (profile === undefined || fabric === undefined) return undefined;
    const overrides = { ...this.profile.settings, ...base?.settings, ...given.settings };
    let sound = true;
    checkSettings(profile, overrides, (code, setting, detail) => {
      sound = false;
      report(code, `${field}.${setting}`, detail);
    });
    if (!sound) return undefined;
    const host = resolveHost(profile, overrides);
    const rnics = host.nodes.filter(({ kind }) => kind === 'rnic').map((node) => node.name);
    const usesBase = given.host === undefined ? base : undefined;
    const listed: readonly WorldDeviceDescription[] =
      given.devices ??
      (usesBase === undefined
        ? rnics.map((rnic) => ({ rnic }))
        : [{ rnic: usesBase.placement.rnic, memory: usesBase.placement.memory }]);
    const taken = new Set<string>();
    const devices = listed.flatMap((device, index) => {
      const at = given.devices === undefined ? field : `${field}.devices[${index}]`;
      if (!rnics.includes(device.rnic) || taken.has(device.rnic)) {
        const problem = taken.has(device.rnic)
          ? 'the RNIC is listed twice'
          : `no such RNIC in host ${profile.name}`;
        report('PROFILE_UNKNOWN_REFERENCE', `${at}.rnic`, {
          problem,
          given: device.rnic,
          allowed: rnics.join(', '),
        });
        return [];
      }
      taken.add(device.rnic);
      const named = device.device ?? given.device ?? base?.device;
      const subsystem = this.subsystem(device, named, at, host, fabric);
      return subsystem === undefined ? [] : [{ rnic: device.rnic, subsystem }];
    });
    if (devices.length === 0 && listed.length === 0)
      report('PROFILE_MISSING_FIELD', `${field}.devices`, {
        problem: 'a host without RNICs',
        allowed: 'at least one',
      });
    return { host, devices };
  }

  /** A device of a host as a subsystem: what it is, where it is and how it is set up. */
  private subsystem(
    given: WorldDeviceDescription,
    named: string | undefined,
    field: string,
    host: Host,
    fabric: Subsystem['fabric'],
  ): Subsystem | undefined {
    if (named === undefined) {
      this.report('PROFILE_MISSING_FIELD', `${field}.device`, {
        problem: `${given.rnic} needs a device profile`,
        allowed: this.lookup.list('device').join(', '),
      });
      return undefined;
    }
    const device = this.find('device', named, `${field}.device`);
    const rnic = host.nodes.findIndex(({ name }) => name === given.rnic);
    const memory = given.memory ?? host.nodes[nearestNode(host, rnic, 'memory')].name;
    const places = host.nodes
      .filter(({ kind }) => kind === 'memory' || kind === 'gpu')
      .map(({ name }) => name);
    if (!places.includes(memory)) {
      this.report('PROFILE_UNKNOWN_REFERENCE', `${field}.memory`, {
        problem: `no such memory in host ${host.name}`,
        given: memory,
        allowed: places.join(', '),
      });
      return undefined;
    }
    for (const setting of Object.keys(given.settings ?? {}) as SettingName[]) {
      if (deviceSettings.includes(setting)) continue;
      this.report('PROFILE_INCONSISTENT', `${field}.settings.${setting}`, {
        problem: 'not a setting of a device',
        given: given.settings?.[setting],
        allowed: deviceSettings.join(', '),
      });
    }
    if (device === undefined) return undefined;
    const settings: Settings = { ...host.settings, ...given.settings };
    const constants = resolveDevice(device);
    return {
      name: `${device.name} in ${host.name}`,
      title: `${device.title} in ${host.name}`,
      device: {
        name: device.name,
        protocol: device.protocol,
        architecture: device.architecture,
        constants: {
          ...constants,
          pcieMaxPayloadBytes: given.maxPayloadBytes ?? constants.pcieMaxPayloadBytes,
          pcieMaxReadRequestBytes: given.maxReadRequestBytes ?? constants.pcieMaxReadRequestBytes,
        },
      },
      host,
      fabric,
      settings,
      placement: { rnic: given.rnic, memory },
    };
  }

  private addSwitches(fabric: Subsystem['fabric'] | undefined): void {
    const { profile, switches } = this;
    const isImplied =
      profile.switches === undefined && profile.links === undefined && fabric?.constants.switched === 1;
    const given = profile.switches ?? (isImplied ? [{ name: 'switch0' }] : []);
    const { pfc = 'enabled', ecn = 'disabled' } = { ...this.fabricSettings };
    given.forEach((each, index) => {
      const own = each.fabric === undefined ? fabric : this.fabric(each.fabric, `switches[${index}].fabric`);
      if (this.names.has(each.name))
        this.report('PROFILE_INCONSISTENT', `switches[${index}].name`, {
          problem: 'the name is taken',
          given: each.name,
        });
      this.names.add(each.name);
      if (own === undefined) return;
      if (own.constants.switched === 0)
        this.report('PROFILE_INCONSISTENT', `switches[${index}]`, {
          problem: `fabric ${own.name} has no switch`,
          given: own.name,
          allowed: 'a fabric profile with `switched` 1',
        });
      switches.push({
        name: each.name,
        constants: own.constants,
        lossless: pfc === 'enabled',
        marking: ecn === 'enabled',
      });
    });
  }

  /** Settings of the switches: those of the world, or what all its hosts agree on. */
  private get fabricSettings(): Partial<Settings> {
    const { pfc, ecn } = this.hosts[0]?.host.settings ?? {};
    return {
      ...(pfc === undefined ? {} : { pfc }),
      ...(ecn === undefined ? {} : { ecn }),
      ...this.profile.settings,
    };
  }

  private links(fabric: Subsystem['fabric'] | undefined): WorldLink[] {
    if (fabric === undefined) return [];
    const { linkGbps, propagationNs } = fabric.constants;
    const given = this.profile.links ?? this.impliedLinks(fabric);
    const attached = new Set<string>();
    const names = new Set<string>();
    return given.flatMap((link, index) => {
      const field = `links[${index}]`;
      const ends = link.between.map((end, place) => this.endOf(end, `${field}.between[${place}]`));
      if (link.between.length !== 2 || ends[0] === ends[1]) {
        this.report('PROFILE_INCONSISTENT', `${field}.between`, {
          problem: 'a cable has two ends',
          given: link.between.join(', '),
          allowed: 'two different devices or switches',
        });
        return [];
      }
      const [left, right] = ends;
      if (left === undefined || right === undefined) return [];
      for (const end of [left, right]) {
        if (!end.includes('/')) continue;
        if (attached.has(end))
          this.report('PROFILE_INCONSISTENT', `${field}.between`, {
            problem: 'the device has a cable already',
            given: end,
            allowed: 'one cable per device',
          });
        attached.add(end);
      }
      if (!left.includes('/') && !right.includes('/') && (link.gbps ?? linkGbps) === 0)
        this.report('PROFILE_MISSING_FIELD', `${field}.gbps`, {
          problem: 'a cable between two switches has no port to take its rate from',
          allowed: 'a rate in Gb/s',
        });
      const name = link.name ?? `${left}-${right}`;
      if (names.has(name))
        this.report('PROFILE_INCONSISTENT', `${field}.name`, {
          problem: 'two cables of one name',
          given: name,
          allowed: 'a name for each of several cables between the same ends',
        });
      names.add(name);
      return [
        {
          name,
          ends: [left, right],
          gbps: link.gbps ?? linkGbps,
          propagationNs: link.propagationNs ?? propagationNs,
        },
      ];
    });
  }

  /** Each device on the only switch, or two back to back. */
  private impliedLinks(fabric: Subsystem['fabric']): readonly WorldLinkDescription[] {
    const devices = this.hosts.flatMap((host) => host.devices.map(({ name }) => name));
    if (this.switches.length === 1)
      return devices.map((device) => ({ between: [device, this.switches[0].name] }));
    if (this.switches.length === 0 && devices.length === 2) return [{ between: [devices[0], devices[1]] }];
    this.report('PROFILE_MISSING_FIELD', 'links', {
      problem:
        this.switches.length === 0
          ? `fabric ${fabric.name} joins two ports back to back, and there are ${devices.length}`
          : 'with several switches the cables must be given',
      allowed: 'a list of cables',
    });
    return [];
  }

  private nameEnds(): void {
    for (const { name, devices } of this.hosts) {
      if (devices.length > 0) this.ends.set(name, devices[0].name);
      for (const device of devices) this.ends.set(device.name, device.name);
    }
    for (const { name } of this.switches) this.ends.set(name, name);
  }

  /** The full name of an end of a cable; undefined and reported if there is no such device or switch. */
  private endOf(given: string, field: string): string | undefined {
    const found = this.ends.get(given);
    if (found !== undefined) return found;
    const known = [
      ...this.switches.map(({ name }) => name),
      ...this.hosts.flatMap((host) => host.devices.map(({ name }) => name)),
    ];
    this.report('PROFILE_UNKNOWN_REFERENCE', field, {
      problem: 'no such device or switch',
      given,
      meant: nearest(given, known),
      allowed: known.length > 60 ? `${known.slice(0, 60).join(', ')}, ...` : known.join(', '),
    });
    return undefined;
  }

  private routes(links: readonly WorldLink[]): WorldGraph['routes'] {
    return (this.profile.routes ?? []).flatMap(({ at, to, via }, index) => {
      const field = `routes[${index}]`;
      const device = this.endOf(to, `${field}.to`);
      const fabricSwitch = this.endOf(at, `${field}.at`);
      const hops = via.flatMap((end, place) => this.endOf(end, `${field}.via[${place}]`) ?? []);
      for (const [place, hop] of hops.entries()) {
        const isNeighbour = links.some(({ ends }) => ends.includes(at) && ends.includes(hop) && hop !== at);
        if (!isNeighbour)
          this.report('PROFILE_INCONSISTENT', `${field}.via[${place}]`, {
            problem: `no cable from ${at} leads there`,
            given: hop,
          });
      }
      if (via.length === 0)
        this.report('PROFILE_MISSING_FIELD', `${field}.via`, {
          problem: 'no next hop',
          allowed: 'at least one',
        });
      return device === undefined || fabricSwitch === undefined
        ? []
        : [{ at: fabricSwitch, to: device, via: hops }];
    });
  }

  private fabric(name: string, field: string): Subsystem['fabric'] | undefined {
    const profile = this.find('fabric', name, field);
    return profile === undefined ? undefined : { name: profile.name, constants: resolveFabric(profile) };
  }

  private find<Kind extends ProfileKind>(
    kind: Kind,
    name: string,
    field: string,
  ): ProfileOf[Kind] | undefined {
    const found = this.lookup.lookUp(kind, name, new Set());
    if (found !== undefined) return found as ProfileOf[Kind];
    const names = this.lookup.list(kind);
    this.report('PROFILE_UNKNOWN_REFERENCE', field, {
      problem: `no such ${kind} profile`,
      given: name,
      meant: nearest(name, names),
      allowed: names.join(', '),
    });
    return undefined;
  }
}
