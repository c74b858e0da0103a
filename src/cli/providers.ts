import { readFileSync } from 'node:fs';
import { KelpieError } from '../error.js';
import { softwareProvider } from '../node/index.js';
import {
  libraryOf,
  listProviders,
  opensWorld,
  type ProfileSource,
  type ProviderEntry,
  registerProvider,
  type TestbedDescription,
} from '../testbeds/index.js';
import type { OptionSpec, OptionsOf } from './option.js';

registerAll();

/** Registers the providers that need Node. */
export function registerAll(): void {
  registerProvider(softwareProvider);
}

/** Every provider that commands can open; the first is the default. */
export const providers: readonly ProviderEntry[] = listProviders();

/** The flags that choose a provider, for every command that runs something. */
export const providerFlags = [
  {
    flags: '--provider <name>',
    description: 'where to run',
    default: providers[0].name,
    choices: providers.map(({ name }) => name),
  },
  { flags: '--subsystem <name>', description: 'a shipped subsystem profile' },
  { flags: '--world <name>', description: 'a shipped world: hosts with several devices, switches, faults' },
  { flags: '--profile <file>', description: 'a profile of your own, of a subsystem or a world' },
  { flags: '--seed <number>', description: 'random seed', default: '1' },
] as const satisfies readonly OptionSpec[];

/** What the flags that choose a provider were given. */
export type ProviderOptions = Partial<OptionsOf<typeof providerFlags>>;

/** The same flags for a command with a subsystem of its own by default. */
export function providerFlagsOn(subsystem: string): typeof providerFlags {
  const [provider, chosen, ...others] = providerFlags;
  const description = `a shipped subsystem profile; default: ${subsystem}`;
  return [provider, { ...chosen, description } as typeof chosen, ...others];
}

/** What the flags say of a testbed. */
export type ChosenTestbed = Pick<TestbedDescription, 'provider' | 'subsystem' | 'world' | 'profiles'>;

/** The provider that the flags name, and what they say of a testbed on it. */
export function chooseProvider(options: ProviderOptions): {
  entry: ProviderEntry;
  chosen: ChosenTestbed;
} {
  const entry = providers.find(({ name }) => name === options.provider) ?? providers[0];
  const given = (['subsystem', 'world', 'profile'] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [{ name, flag: `--${name}`, value }];
  });
  if (given.length > 1)
    throw new KelpieError('BAD_FLAG', `${given.map(({ flag }) => flag).join(' and ')} exclude each other`, {
      field: given[1].flag,
      given: given[1].value,
      allowed: 'one of --subsystem, --world and --profile',
    });
  const [one] = given;
  if (one === undefined) return { entry, chosen: { provider: entry.name } };
  if (!entry.takesProfiles)
    throw new KelpieError('BAD_FLAG', `the ${entry.name} provider has no profiles`, {
      field: one.flag,
      given: one.value,
      allowed: 'leave it out',
    });
  const chosen = one.name === 'profile' ? { profiles: [readProfile(one.value)] } : { [one.name]: one.value };
  return { entry, chosen: { provider: entry.name, ...chosen } };
}

/** Refuses a provider in real time to a command that compares measurements with bounds or with each other. */
export function requireVirtualTime(entry: ProviderEntry, command: string): void {
  if (entry.realTime !== true) return;
  throw new KelpieError(
    'BAD_FLAG',
    `${command} needs devices with known bounds: what is slow on this provider is the machine that it shares`,
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
  throw new KelpieError('BAD_FLAG', `${command} runs on a subsystem: hosts alike, with one device each`, {
    field: chosen.world === undefined ? '--profile' : '--world',
    given: chosen.world ?? chosen.profiles?.[0].file,
    allowed: '--subsystem, or --profile with a subsystem',
  });
}

/** Reads a user's file with the profile of a subsystem or a world. */
function readProfile(file: string): ProfileSource {
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
  const source = { text, file };
  const [{ kind }] = libraryOf({ profiles: [source] }).added();
  if (kind !== 'subsystem' && kind !== 'world')
    throw new KelpieError('PROFILE_WRONG_KIND', 'this is not a profile of a whole subsystem', {
      field: '--profile',
      given: file,
      allowed: 'a subsystem profile or a world, which may name devices, hosts and fabrics of its own',
    });
  return source;
}
