import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KelpieError } from '../../error.js';
import { CampaignArchive } from '../../jobs/campaign/index.js';
import { LmdbStore } from '../../node/index.js';

/** Where campaigns are kept unless set. */
export const CAMPAIGNS_FOLDER = 'kelpie-campaigns';
const FORMAT = 'kelpie-campaigns/1';
const FILE = 'campaigns.mdb';

/** Opens the campaigns of a folder and makes both where there are none. A damaged file is refused and left as it is. */
export async function openCampaigns(folder: string): Promise<CampaignArchive> {
  const store = await LmdbStore.open({
    ...{ path: join(folder, FILE), format: FORMAT, field: '--folder', noun: 'campaigns' },
    goOn: ([, id]) => (id === undefined ? null : `continue with kelpie campaign resume ${id}`),
  });
  return new CampaignArchive(store);
}

/** Whether a folder has campaigns. */
export function hasCampaigns(folder: string): boolean {
  return existsSync(join(folder, FILE));
}

/** Opens the campaigns of a folder that must have some. */
export async function openExistingCampaigns(folder: string): Promise<CampaignArchive> {
  if (hasCampaigns(folder)) return openCampaigns(folder);
  throw new KelpieError('NO_CAMPAIGNS', 'there are no campaigns in this folder', {
    field: '--folder',
    given: folder,
    allowed: 'a folder that kelpie campaign run wrote, or --nats',
  });
}
