import { KelpieError } from '../error.js';
import { nearest } from '../schema/index.js';
import type { TestbedRequest } from './description.js';
import { idealProvider } from './ideal-testbed.js';
import { simulatedProvider } from './simulated-testbed.js';
import type { IsolatedTestbed } from './tenant-contexts.js';

/** A provider that testbeds can be opened on by name. */
export interface ProviderEntry {
  readonly name: string;
  /** Whether `subsystem` and `profiles` mean anything to it. */
  readonly takesProfiles: boolean;
  /** Whether there are packets that could be captured. */
  readonly hasPackets: boolean;
  /** Set where its devices run in real time, beside whatever else the machine does. */
  readonly realTime?: boolean;
  /** The congestion controls that its devices have; none unless set. */
  readonly controls?: readonly string[];
  /** The loss recoveries that its devices take by name, where no profile says it. */
  readonly recoveries?: readonly string[];
  open(request: TestbedRequest): Promise<IsolatedTestbed>;
}

/** Those that run anywhere; the first is the default. */
const entries: ProviderEntry[] = [simulatedProvider, idealProvider];

/** Providers that exist and need something of their platform, and where their entry is to be had. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  software: 'on Node, after registerProvider(softwareProvider) of kelpie/node',
};

/**
 * Adds a provider that testbeds can be opened on; one of the same name is replaced.
 *
 * @example
 * import { softwareProvider } from 'kelpie/node';
 * registerProvider(softwareProvider);
 * const testbed = await openTestbed({ provider: 'software' });
 */
export function registerProvider(entry: ProviderEntry): void {
  const found = entries.findIndex(({ name }) => name === entry.name);
  if (found < 0) entries.push(entry);
  else entries[found] = entry;
}

/** Every provider that testbeds can be opened on; the first is the default. */
export function listProviders(): readonly ProviderEntry[] {
  return entries;
}

/** The provider of this name. */
export function findProvider(name: string): ProviderEntry {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const known = entries.map((entry) => entry.name);
  const meant = nearest(name, known);
  const hint = Object.hasOwn(ELSEWHERE, name) ? `; ${name} ${ELSEWHERE[name]}` : '';
  throw new KelpieError(
    'PROVIDER_UNKNOWN',
    `there is no such provider here${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    { field: 'provider', given: name, allowed: `${known.join(', ')}${hint}` },
  );
}
