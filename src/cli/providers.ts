import { KelpieError } from '../error.js';
import { type ProfileFiles, readProfileFiles, softwareProvider } from '../node/index.js';
import {
  DEFAULT_SUBSYSTEM,
  listProviders,
  opensWorld,
  type ProviderEntry,
  registerProvider,
  type TestbedDescription,
} from '../testbeds/index.js';
import { asFlags } from './flag-value.js';
import type { OptionSpec, OptionsOf } from './option.js';
import { type NetworkOptions, withNetwork } from './run/network-flags.js';

registerAll();

/** Registers the providers that need Node. */
export function registerAll(): void {
  registerProvider(softwareProvider);
}

/** Every provider that commands can open; the first is the default. */
export const providers: readonly ProviderEntry[] = listProviders();

/** The flag that adds a user's own profiles. */
export const profileFlag = {
  flags: '--profile <path>',
  description: 'your own profiles, a file or a folder; may be repeated',
  repeats: true,
} as const satisfies OptionSpec;

/** The flags that choose a provider, for every command that runs something. */
export const providerFlags = [
  {
    flags: '--provider <name>',
    description: 'where to run',
    default: providers[0].name,
    choices: providers.map(({ name }) => name),
  },
  {
    flags: '--subsystem <name>',
    description: `a name that kelpie subsystems lists, or one from --profile; default: ${DEFAULT_SUBSYSTEM}`,
  },
  {
    flags: '--world <name>',
    description: 'a world instead: hosts with several devices, switches, faults',
  },
  profileFlag,
  { flags: '--seed <number>', description: 'random seed', default: '1' },
] as const satisfies readonly OptionSpec[];

/** What the flags that choose a provider were given. */
export type ProviderOptions = Partial<OptionsOf<typeof providerFlags>> & NetworkOptions;

/** The same flags for a command with a subsystem of its own by default. */
export function providerFlagsOn(subsystem: string): typeof providerFlags {
  const [provider, chosen, ...others] = providerFlags;
  const description = `a name that kelpie subsystems lists, or one from --profile; default: ${subsystem}`;
  return [provider, { ...chosen, description } as typeof chosen, ...others];
}

/** What the flags say of a testbed. */
export type ChosenTestbed = Pick<
  TestbedDescription,
  'provider' | 'subsystem' | 'world' | 'profiles' | 'impairments' | 'recovery'
>;

/** The provider that the flags name, and what they say of a testbed on it. */
export function chooseProvider(options: ProviderOptions): {
  entry: ProviderEntry;
  chosen: ChosenTestbed;
} {
  const { entry, chosen } = namedTestbed(options);
  return { entry, chosen: withNetwork(chosen, options, entry) };
}

/** What the flags name, before they change it. */
function namedTestbed(options: ProviderOptions): { entry: ProviderEntry; chosen: ChosenTestbed } {
  const entry = providers.find(({ name }) => name === options.provider) ?? providers[0];
  const { subsystem, world, profile: paths = [] } = options;
  if (subsystem !== undefined && world !== undefined)
    throw new KelpieError('BAD_FLAG', '--subsystem and --world exclude each other', {
      field: '--world',
      given: world,
      allowed: 'one of --subsystem and --world',
    });
  const [flag, value] =
    Object.entries({ '--subsystem': subsystem, '--world': world, '--profile': paths[0] }).find(
      ([, each]) => each !== undefined,
    ) ?? [];
  if (flag === undefined) return { entry, chosen: { provider: entry.name } };
  if (!entry.takesProfiles)
    throw new KelpieError('BAD_FLAG', `the ${entry.name} provider has no profiles`, {
      field: flag,
      given: value,
      allowed: 'leave it out',
    });
  const own = paths.length === 0 ? {} : readOwn(options, paths);
  const named = {
    ...(subsystem === undefined ? {} : { subsystem }),
    ...(world === undefined ? {} : { world }),
  };
  return { entry, chosen: { provider: entry.name, ...own, ...named } };
}

/** A command asks for its testbed more than once: the files are read the first time. */
const readBefore = new WeakMap<object, Omit<ChosenTestbed, 'provider'>>();

/** The user's own profiles, and which of them is opened where no flag says so. */
function readOwn(options: ProviderOptions, paths: readonly string[]): Omit<ChosenTestbed, 'provider'> {
  const before = readBefore.get(options);
  if (before !== undefined) return before;
  const files = readOwnProfiles(paths);
  const chosen =
    options.subsystem !== undefined || options.world !== undefined ? {} : theOnlyOne(files, paths);
  const own = { profiles: files.profiles, ...chosen };
  readBefore.set(options, own);
  return own;
}

/** The profiles that `--profile` names. */
export function readOwnProfiles(paths: readonly string[]): ProfileFiles {
  return asFlags({ path: '--profile' }, null, () => readProfileFiles(paths));
}

/** The subsystem or world in a user's files. */
function theOnlyOne({ given }: ProfileFiles, paths: readonly string[]): Omit<ChosenTestbed, 'provider'> {
  const whole = given.filter(({ kind }) => kind === 'subsystem' || kind === 'world');
  const [only] = whole;
  if (whole.length === 1) return { [only.kind]: only.name };
  const names = whole.map(({ kind, name }) => `--${kind} ${name}`);
  throw new KelpieError(
    'PROFILE_WRONG_KIND',
    only === undefined ? 'there is no subsystem or world in it' : 'there are several of them in it',
    {
      field: '--profile',
      given: paths.join(', '),
      allowed:
        only === undefined
          ? 'a file or folder with a subsystem or a world, or --subsystem NAME beside it'
          : `${names.join(' or ')} beside it`,
    },
  );
}

/** Refuses a provider in real time to a command that compares measurements with bounds or with each other. */
export function requireVirtualTime(entry: ProviderEntry, command: string): void {
  if (entry.realTime !== true) return;
  throw new KelpieError(
    'BAD_FLAG',
    `${command} needs devices with known bounds; software devices are as fast as the machine that they share`,
    {
      field: '--provider',
      given: entry.name,
      allowed: providers.flatMap(({ name, realTime }) => (realTime === true ? [] : [name])).join(', '),
    },
  );
}

/** Refuses a world to a command that searches or compares subsystems. */
export function requireSubsystem(chosen: ChosenTestbed, command: string): void {
  if (!opensWorld(chosen)) return;
  throw new KelpieError('BAD_FLAG', `${command} runs on a subsystem: identical hosts with one device each`, {
    field: chosen.profiles === undefined ? '--world' : '--profile',
    given: chosen.world,
    allowed: '--subsystem, or --profile with a subsystem',
  });
}
