import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KelpieError } from '../../error.js';
import { HuntArchive } from '../../jobs/hunt/index.js';
import { LmdbStore } from '../../node/index.js';

/** The first had no checksums. */
const FORMAT = 'kelpie-hunts/2';
const FILE = 'hunts.mdb';

/** Opens the hunts of a folder and makes both where there are none. A damaged file is refused and left as it is. */
export async function openArchive(folder: string): Promise<HuntArchive> {
  const store = await LmdbStore.open({
    ...{ path: join(folder, FILE), format: FORMAT, field: '--folder', noun: 'hunts' },
    // Experiments and answers have the number of their hunt.
    goOn: ([, id]) => (id === undefined ? null : `continue with kelpie hunt --resume ${id}`),
  });
  return new HuntArchive(store);
}

/** Opens the hunts of a folder that must have some. */
export async function openExistingArchive(folder: string): Promise<HuntArchive> {
  if (existsSync(join(folder, FILE))) return openArchive(folder);
  throw new KelpieError('NO_HUNTS', 'there are no hunts in this folder', {
    field: '--folder',
    given: folder,
    allowed: 'a folder that kelpie hunt wrote',
  });
}
