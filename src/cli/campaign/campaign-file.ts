import { dirname, resolve } from 'node:path';
import { type CampaignOrder, parseCampaign } from '../../jobs/campaign/index.js';
import { readTextFile } from '../../node/index.js';

/** Reads and checks a campaign with the files that it names; `asserted` must hold beside what it asserts. */
export function readCampaign(file: string, asserted: readonly string[] = []): CampaignOrder {
  const read = (path: string, field: string) =>
    readTextFile(path, { field, code: 'CAMPAIGN_UNREADABLE', allowed: 'a readable file' });
  const readText = (name: string, field: string) => read(resolve(dirname(file), name), field);
  return parseCampaign(read(file, 'campaign'), file, readText, asserted);
}
