import { dirname, resolve } from 'node:path';
import { type CampaignOrder, parseCampaign } from '../../jobs/campaign/index.js';
import { readTextFile } from '../../node/index.js';

/** Reads and checks a campaign with the files that it names. */
export function readCampaign(file: string): CampaignOrder {
  const read = (path: string, field: string) =>
    readTextFile(path, { field, code: 'CAMPAIGN_UNREADABLE', allowed: 'a readable file' });
  return parseCampaign(read(file, 'campaign'), file, (name, field) =>
    read(resolve(dirname(file), name), field),
  );
}
