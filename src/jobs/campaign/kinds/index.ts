import type { JobName } from '../description.js';
import type { CampaignKind } from '../kind.js';
import { fabric } from './fabrics.js';
import { hunt } from './hunts.js';
import { isolate } from './matrices.js';
import { rehearsal } from './rehearsal.js';
import { reproduce } from './rows.js';
import { ping } from './servers.js';
import { run, sweep } from './workloads.js';

/** Every job by its name; each reads the base that it made itself. */
const kinds = { run, sweep, hunt, isolate, reproduce, fabric, ping, rehearsal };

/** The job of a name. */
export function kindOf(job: JobName): CampaignKind<unknown> {
  return kinds[job] as CampaignKind<unknown>;
}
