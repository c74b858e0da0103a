import { KelpieError } from '../error.js';
import { nearest } from '../schema/index.js';
import type { TestbedRequest } from './description.js';
import { idealProvider } from './ideal-testbed.js';
import { simulatedProvider } from './simulated-testbed.js';
import type { IsolatedTestbed } from './tenant-contexts.js';

/** A provider on which testbeds can be opened by name. */
export interface ProviderEntry {
  readonly name: string;
  /** Whether the provider uses `subsystem` and `profiles`. */
  readonly takesProfiles: boolean;
  /** Whether it has packets to capture. */
  readonly hasPackets: boolean;
  /** Set if its devices run in real time, alongside the machine's other work. */
  readonly realTime?: boolean;
  /** The congestion controls its devices support; default: none. */
  readonly controls?: readonly string[];
  /** The loss recoveries its devices accept by name, where no profile specifies one. */
  readonly recoveries?: readonly string[];
  open(request: TestbedRequest): Promise<IsolatedTestbed>;
}

/** Providers that run anywhere; the first is the default. */
const entries: ProviderEntry[] = [simulatedProvider, idealProvider];

/** Existing providers that need something of their platform, and where to get their entries. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  software: 'on Node, after registerProvider(softwareProvider) of kelpie/node',
};

/**
 * Adds a provider on which testbeds can be opened; replaces one of the same name.
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

/** Every provider on which testbeds can be opened; the first is the default. */
export function listProviders(): readonly ProviderEntry[] {
  return entries;
}

/** Finds a provider by name. */
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
