import { KelpieError } from '../error.js';
import type { PacketRecorder } from '../link/index.js';
import type { Mechanism } from '../models/index.js';
import {
  type Subsystem,
  settings as settingTable,
  type WorldDescription,
  type WorldGraph,
} from '../profiles/index.js';
import type { BufferPolicyMaker, Impairment, WorldFabricMaker } from '../providers/simulated/index.js';
import { nearest } from '../schema/index.js';
import type { Isolation } from '../schemes/index.js';
import { hostName, MAX_HOSTS, placeOf, type SettingOverrides } from '../workload/index.js';

/** A file of user profiles: its text, and the name used for it in messages. */
export interface ProfileSource {
  readonly text: string;
  readonly file: string;
}

/** One host of a testbed. */
export interface HostDescription {
  /** Default: `h0`, `h1`, … by place. */
  readonly name?: string | null;
  /** Number of devices, on providers that allow any number; default: 1. */
  readonly devices?: number;
}

/** Description of a testbed to open: plain data, so that it can be sent to another thread. */
export interface TestbedDescription {
  /** The provider's name; default: `simulated`. */
  readonly provider?: string;
  /** A subsystem by name, for providers that support them: identical hosts with one device each. */
  readonly subsystem?: string;
  /** Instead of `subsystem` and `hosts`: a world, by name or described. */
  readonly world?: string | WorldDescription;
  /** Profiles in addition to the shipped ones. Without `subsystem` and `world`, the last of either here is opened. */
  readonly profiles?: readonly ProfileSource[];
  /** The number of hosts, or a list with each host's name (null for none) or description; default: 2. */
  readonly hosts?: number | readonly (string | null | HostDescription)[];
  /** Seed of all random draws; default: 1. */
  readonly seed?: number;
  /** Settings that override those of the subsystem. */
  readonly settings?: SettingOverrides;
  /**
   * Impairments of packets that arrive at a device or over a cable, by its name; the hosts of a subsystem are `h0`,
   * `h1`, …
   */
  readonly impairments?: Readonly<Record<string, Impairment>>;
  /** How devices of the software provider recover lost packets; default: go-back-N. */
  readonly recovery?: string;
  /** Mechanisms of the simulation to switch off, to see what each one causes. */
  readonly ablate?: readonly Mechanism[];
}

/** A description, plus what is not plain data. */
export interface TestbedRequest extends Omit<TestbedDescription, 'subsystem' | 'world'> {
  /** A subsystem, by name or resolved. */
  readonly subsystem?: string | Subsystem;
  /** A world, by name, described, or resolved. */
  readonly world?: string | WorldDescription | WorldGraph;
  /** How tenants are isolated; each then has its own contexts. */
  readonly isolation?: Isolation;
  /** Records every packet, on providers that model packets. */
  readonly capture?: PacketRecorder;
  /** Where to record on the simulated provider: devices and cables by name; default: every device. */
  readonly captureAt?: readonly string[];
  /** Sharing of a simulated switch's buffer memory; default: the thresholds of its profile. */
  readonly bufferPolicy?: BufferPolicyMaker;
  /** Connects simulated devices in place of the profile's own cables and switches: see `openMixedTestbed`. */
  readonly fabric?: WorldFabricMaker;
}

/** A host to be opened, fully specified. */
export interface HostPlan {
  readonly name: string;
  readonly devices: number;
}

const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MAX_DEVICES = 64;

/** The hosts of a description, checked; at least two. */
export function hostsOf({ hosts = 2 }: Pick<TestbedDescription, 'hosts'>): HostPlan[] {
  const count = typeof hosts === 'number' ? hosts : hosts.length;
  if (!Number.isInteger(count) || count < 1 || count > MAX_HOSTS)
    throw refusal('hosts', count, `an integer from 1 to ${MAX_HOSTS}, or a list of that many`);
  const given = typeof hosts === 'number' ? Array.from({ length: hosts }, () => null) : hosts;
  const plans = Array.from({ length: Math.max(2, count) }, (_, place) => planOf(given[place] ?? null, place));
  const seen = new Set<string>();
  for (const [place, { name }] of plans.entries()) {
    if (seen.has(name)) throw refusal(`hosts[${place}].name`, name, 'a name that no other host has');
    seen.add(name);
  }
  return plans;
}

function planOf(given: string | null | HostDescription, place: number): HostPlan {
  const { name = null, devices = 1 } = typeof given === 'object' && given !== null ? given : { name: given };
  const field = `hosts[${place}]`;
  if (name !== null) {
    const meant = placeOf(name);
    if (!HOST_NAME.test(name))
      throw refusal(`${field}.name`, name, 'letters, digits, dots, dashes, up to 100');
    if (meant !== null && meant !== place)
      throw refusal(
        `${field}.name`,
        name,
        `a name that does not stand for another place; this is ${hostName(place)}`,
      );
  }
  if (!Number.isInteger(devices) || devices < 1 || devices > MAX_DEVICES)
    throw refusal(`${field}.devices`, devices, `an integer from 1 to ${MAX_DEVICES}`);
  // A host named after its place has no name of its own.
  return { name: name === null || placeOf(name) !== null ? hostName(place) : name, devices };
}

/** Checks settings given by a program. */
export function checkSettings(given: SettingOverrides): SettingOverrides {
  const known: Readonly<Record<string, readonly string[]>> = {
    ...Object.fromEntries(Object.entries(settingTable).map(([name, { values }]) => [name, values])),
    registers: ['shipped', 'fixed'],
  };
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) {
      const meant = nearest(name, Object.keys(known));
      throw refusal(
        `settings.${name}`,
        value,
        meant === undefined ? Object.keys(known).join(', ') : `${meant}, perhaps`,
      );
    }
    if (!known[name].includes(value)) throw refusal(`settings.${name}`, value, known[name].join(', '));
  }
  return given;
}

/** An error about a field of a description. */
export function refusal(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('TESTBED_INVALID', 'a testbed cannot be opened from this', {
    field,
    given,
    allowed,
  });
}
