import type { ProfileSource } from '../../testbeds/index.js';
import { readOwnProfiles } from '../providers.js';

/** The profiles of a user, and the last host among them; undefined where there is none. */
export function ownProfiles(paths: readonly string[]): {
  profiles: readonly ProfileSource[];
  host: string | undefined;
} {
  if (paths.length === 0) return { profiles: [], host: undefined };
  const { profiles, given } = readOwnProfiles(paths);
  const hosts = given.filter(({ kind }) => kind === 'host');
  return { profiles, host: hosts[hosts.length - 1]?.name };
}
