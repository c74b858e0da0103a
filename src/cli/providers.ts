import { readFileSync } from 'node:fs';
import { KelpieError } from '../error.js';
import { softwareProvider } from '../node/index.js';
import {
  libraryOf,
  listProviders,
  type ProfileSource,
  type ProviderEntry,
  registerProvider,
  type TestbedDescription,
} from '../testbeds/index.js';
import type { OptionSpec } from './command.js';

registerAll();

/** Registers the providers that need Node. */
export function registerAll(): void {
  registerProvider(softwareProvider);
}

/** Every provider that commands can open; the first is the default. */
export const providers: readonly ProviderEntry[] = listProviders();

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

/** What the flags say of a testbed. */
export type ChosenTestbed = Pick<TestbedDescription, 'provider' | 'subsystem' | 'profiles'>;

/** The provider that the flags name, and what they say of a testbed on it. */
export function chooseProvider(options: Readonly<Record<string, unknown>>): {
  entry: ProviderEntry;
  chosen: ChosenTestbed;
} {
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
  return {
    entry,
    chosen: {
      provider: entry.name,
      ...(subsystem === undefined ? {} : { subsystem }),
      ...(profile === undefined ? {} : { profiles: [readProfile(profile)] }),
    },
  };
}

/** Reads a user's file with the profile of a subsystem. */
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
  if (libraryOf({ profiles: [source] }).added('subsystem').length === 0)
    throw new KelpieError('PROFILE_WRONG_KIND', 'this is not a profile of a whole subsystem', {
      field: '--profile',
      given: file,
      allowed: 'a subsystem profile, which may name devices, hosts and fabrics of its own',
    });
  return source;
}
