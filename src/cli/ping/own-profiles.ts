import { readFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';
import { libraryOf, type ProfileSource } from '../../testbeds/index.js';

/** The profiles of a user, and the last host among them; undefined where there is none. */
export function ownProfiles(files: readonly string[]): {
  profiles: readonly ProfileSource[];
  host: string | undefined;
} {
  const profiles = files.map((file) => ({ text: read(file), file }));
  if (profiles.length === 0) return { profiles, host: undefined };
  const hosts = libraryOf({ profiles })
    .added()
    .filter(({ kind }) => kind === 'host');
  return { profiles, host: hosts[hosts.length - 1]?.name };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new KelpieError('PROFILE_UNREADABLE', 'the profile cannot be read', {
      ...{ field: '--profile', given: file, allowed: 'a readable file', cause },
    });
  }
}
