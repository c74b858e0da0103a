import { readFileSync } from 'node:fs';
import { KelpieError } from '../error.js';
import { capture as captureLink, type Link, type PacketRecorder, withMiddlewares } from '../link/index.js';
import { ProfileLibrary } from '../profiles/index.js';
import { IdealProvider } from '../providers/ideal/index.js';
import { loopbackAddress, SoftwareProvider } from '../providers/software/index.js';
import { openSimulatedTestbed, subsystemWith } from '../testbeds/simulated-testbed.js';
import type { SettingOverrides, Testbed } from '../workload/index.js';
import type { OptionSpec } from './command.js';

/** What is simulated unless told. */
const DEFAULT_SUBSYSTEM = 'collie-f';

/** What a command asks of a provider. */
export interface TestbedOptions {
  /** How many hosts, named a, b, ... */
  hosts: number;
  /** A shipped subsystem, by its name. */
  subsystem?: string;
  /** A file with a subsystem of the user's own. */
  profile?: string;
  seed: number;
  settings: SettingOverrides;
  /** Records every packet, on providers that have packets. */
  capture?: PacketRecorder;
}

/** A provider that commands can open by name. */
export interface ProviderEntry {
  name: string;
  /** Whether `--subsystem` and `--profile` mean anything to it. */
  takesProfiles: boolean;
  open(options: TestbedOptions): Promise<Testbed>;
}

const ideal: ProviderEntry = {
  name: 'ideal',
  takesProfiles: false,
  async open({ hosts, seed, settings }) {
    const provider = new IdealProvider({ devices: hosts, latencyNs: 1000, seed });
    const devices = await provider.listDevices();
    const opened = await Promise.all(
      devices.map(async ({ name }, index) => ({
        name: String.fromCharCode(97 + index),
        context: await provider.open(name),
      })),
    );
    const notes = ['ideal devices take 1 us for anything: rates and latencies say nothing about hardware'];
    if (Object.keys(settings).length > 0)
      notes.push('ideal hosts have no settings: those of the workload change nothing');
    const close = async () => void (await Promise.all(opened.map(({ context }) => context.close())));
    const receiveWaitNs = (host: string) =>
      provider.receiveWaitNs(opened.find(({ name }) => name === host)!.context.deviceName);
    return { provider: 'ideal', profile: null, hosts: opened, bounds: null, notes, receiveWaitNs, close };
  },
};

const shippedLibrary = new ProfileLibrary();

const simulated: ProviderEntry = {
  name: 'simulated',
  takesProfiles: true,
  async open({ hosts, seed, settings, subsystem, profile, capture }) {
    // Hunts open thousands of testbeds: the shipped profiles are read once.
    const library = profile === undefined ? shippedLibrary : new ProfileLibrary();
    const name = profile === undefined ? (subsystem ?? DEFAULT_SUBSYSTEM) : addProfile(library, profile);
    return openSimulatedTestbed({ subsystem: subsystemWith(name, settings, library), hosts, seed, capture });
  },
};

const software: ProviderEntry = {
  name: 'software',
  takesProfiles: false,
  async open({ hosts, settings, capture }) {
    const provider = new SoftwareProvider(capture === undefined ? {} : { wrapLink: recordSent(capture) });
    const opened = await Promise.all(
      Array.from({ length: hosts }, async (_, index) => ({
        name: String.fromCharCode(97 + index),
        context: await provider.open(loopbackAddress(index)),
      })),
    );
    const [{ context }] = opened;
    const notes = [
      'software devices in one process on one thread: both ends of every transfer share its time',
      ...context.software.link.abilities.limits,
    ];
    if (Object.keys(settings).length > 0)
      notes.push('a software device has no settings of a host: those of the workload change nothing');
    const close = async () => void (await Promise.all(opened.map((each) => each.context.close())));
    return { provider: 'software', profile: null, hosts: opened, bounds: null, notes, close };
  },
};

/** Every device records what it sends; recording arrivals too would show each packet twice. */
function recordSent(recorder: PacketRecorder): (link: Link) => Link {
  const nowNs = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;
  return (link) => withMiddlewares(link, [captureLink({ recorder, nowNs, only: 'sent' })]);
}

/** Reads a user's file of profiles and returns the name of the subsystem in it. */
export function addProfile(library: ProfileLibrary, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new KelpieError('PROFILE_UNREADABLE', 'the profile cannot be read', {
      field: '--profile',
      given: file,
      allowed: 'a readable file',
      cause,
    });
  }
  const profile = library.add(text, file);
  if (profile.kind !== 'subsystem') {
    const allowed = 'a subsystem profile, which may name devices, hosts and fabrics of its own';
    throw new KelpieError('PROFILE_WRONG_KIND', 'this is not a profile of a whole subsystem', {
      field: '--profile',
      given: file,
      allowed,
    });
  }
  return profile.name;
}

/** Every provider that commands can open; the first is the default. */
export const providers: readonly ProviderEntry[] = [simulated, ideal, software];

/** The flags that choose a provider, for every command that runs something. */
export const providerFlags: readonly OptionSpec[] = [
  {
    flags: '--provider <name>',
    description: 'where to run',
    default: providers[0].name,
    choices: providers.map(({ name }) => name),
  },
  { flags: '--subsystem <name>', description: 'a shipped subsystem profile' },
  { flags: '--profile <file>', description: 'a subsystem profile of your own' },
  { flags: '--seed <number>', description: 'seed of everything random', default: '1' },
];

/** The provider that the flags name, with those of its options that are the flags'. */
export function chooseProvider(
  options: Readonly<Record<string, unknown>>,
  seed: number,
): { entry: ProviderEntry; given: Pick<TestbedOptions, 'subsystem' | 'profile' | 'seed'> } {
  const entry = providers.find(({ name }) => name === options['provider']) ?? providers[0];
  const subsystem = options['subsystem'] as string | undefined;
  const profile = options['profile'] as string | undefined;
  if (subsystem !== undefined && profile !== undefined)
    throw new KelpieError('BAD_FLAG', 'one of the two', {
      field: '--profile',
      given: profile,
      allowed: '--subsystem or --profile',
    });
  if (!entry.takesProfiles && (subsystem ?? profile) !== undefined) {
    const field = subsystem === undefined ? '--profile' : '--subsystem';
    throw new KelpieError('BAD_FLAG', `the ${entry.name} provider has no profiles`, {
      field,
      given: subsystem ?? profile,
      allowed: 'leave it out',
    });
  }
  return { entry, given: { subsystem, profile, seed } };
}
