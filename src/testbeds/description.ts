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

/** A file of a user's own profiles: its text, and the name that messages call it by. */
export interface ProfileSource {
  readonly text: string;
  readonly file: string;
}

/** One host of a testbed. */
export interface HostDescription {
  /** `h0`, `h1`, … by its place unless set. */
  readonly name?: string | null;
  /** Devices of a host whose provider can have any number; 1 unless set. */
  readonly devices?: number;
}

/** What a testbed is opened from: plain data, so that it can go to another thread. */
export interface TestbedDescription {
  /** The provider's name; `simulated` unless set. */
  readonly provider?: string;
  /** A subsystem by its name, for providers that have such: hosts alike, with one device each. */
  readonly subsystem?: string;
  /** In place of `subsystem` and `hosts`: a world by its name, or described. */
  readonly world?: string | WorldDescription;
  /** Profiles beside the shipped ones. Without `subsystem` and `world` the last of either among them is opened. */
  readonly profiles?: readonly ProfileSource[];
  /** How many hosts, or each by itself: its name (null for none) or more. 2 unless set. */
  readonly hosts?: number | readonly (string | null | HostDescription)[];
  /** Seeds everything that is drawn; 1 unless set. */
  readonly seed?: number;
  /** Settings over those of the subsystem. */
  readonly settings?: SettingOverrides;
  /**
   * What happens to packets that arrive at a device or over a cable, by its name; the hosts of a subsystem are `h0`, `h1`,
   * …
   */
  readonly impairments?: Readonly<Record<string, Impairment>>;
  /** How devices of the software provider send lost packets again; go-back-N unless set. */
  readonly recovery?: string;
  /** Mechanisms of the simulation to switch off, to see what they cause. */
  readonly ablate?: readonly Mechanism[];
}

/** A description, with what is no plain data. */
export interface TestbedRequest extends Omit<TestbedDescription, 'subsystem' | 'world'> {
  /** A subsystem by its name, or a resolved one. */
  readonly subsystem?: string | Subsystem;
  /** A world by its name, described, or resolved. */
  readonly world?: string | WorldDescription | WorldGraph;
  /** How tenants are kept apart; each then has contexts of its own. */
  readonly isolation?: Isolation;
  /** Records every packet, on providers that have packets. */
  readonly capture?: PacketRecorder;
  /** What is recorded on the simulated provider: devices and cables by name; default: every device. */
  readonly captureAt?: readonly string[];
  /** Who may use the memory of a simulated switch; default: the thresholds of its profile. */
  readonly bufferPolicy?: BufferPolicyMaker;
  /** Joins simulated devices in place of the profile's own cables and switches: see `openMixedTestbed`. */
  readonly fabric?: WorldFabricMaker;
}

/** A host that is to be opened: nothing is left out. */
export interface HostPlan {
  readonly name: string;
  readonly devices: number;
}

const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MAX_DEVICES = 64;

/** The hosts of a description, checked; no fewer than two. */
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
  // A host that is called by its place has no name of its own.
  return { name: name === null || placeOf(name) !== null ? hostName(place) : name, devices };
}

/** Settings that a program gave, checked. */
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
