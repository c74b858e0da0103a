import { setTimeout as sleep } from 'node:timers/promises';
import { KelpieError } from '../../error.js';
import {
  type CampaignEntry,
  type CampaignProgress,
  type CampaignState,
  taskCount,
  type WorkerPresence,
} from '../../jobs/campaign/index.js';
import { VERSION } from '../../version.js';
import { ExitCode } from '../exit-code.js';
import { WebServer } from '../ping/web/web-server.js';
import { hasCampaigns, openExistingCampaigns } from './archive-file.js';
import { readCampaign } from './campaign-file.js';
import type { CampaignInvocation } from './flags.js';
import { liveTable } from './live-table.js';
import { formatList, formatProgress, progressLine } from './report.js';
import { campaignRoutes } from './web.js';

/** How often a watcher looks. */
const WATCH_MS = 1000;

/** The campaign of a file. */
export function orderOf(file: string | undefined, { options }: CampaignInvocation): CampaignEntry['order'] {
  if (file === undefined)
    throw new KelpieError('BAD_ARGUMENT', 'there is nothing to run', {
      ...{ field: 'file', allowed: 'a campaign file; kelpie init campaign writes one' },
    });
  const order = readCampaign(file, options.assert);
  return options.independent === true ? { ...order, round: null } : order;
}

/** Shows how far a campaign is, on a page too where one is wanted, until it is over or nobody watches any more. */
export async function watch(
  read: () => Promise<CampaignProgress>,
  invocation: CampaignInvocation,
  workers: () => Promise<readonly WorkerPresence[]> = async () => [],
): Promise<ExitCode> {
  const { options, terminal, signal } = invocation;
  let now = await read();
  let present = await workers();
  let server: WebServer | null = null;
  try {
    if (options.serve !== undefined) {
      const routes = campaignRoutes(
        () => now,
        () => present,
      );
      server = await WebServer.open('--serve', options.serve, routes);
      terminal.err(`campaign ${now.id}: ${server.url} shows it, /metrics is for Prometheus\n`);
    }
    let said = '';
    while (now.state === 'running' && !signal.aborted) {
      const line = progressLine(now);
      if (terminal.interactive) terminal.draw(liveTable(now, present, Date.now()));
      else if (line !== said) terminal.err(`${line}\n`);
      said = line;
      await sleep(WATCH_MS, undefined, { signal }).catch(() => {});
      now = await read();
      present = await workers();
    }
    terminal.draw('');
    return printProgress(now, invocation);
  } finally {
    await server?.close();
  }
}

/** Says that a campaign is cancelled, or, where it has ended, that it is not. */
export async function cancel(
  { id }: CampaignEntry,
  state: CampaignState,
  end: () => Promise<void>,
  { terminal }: CampaignInvocation,
): Promise<ExitCode> {
  if (state === 'done') {
    terminal.out(`campaign ${id} has ended before, with all its results\n`);
    return ExitCode.GOOD;
  }
  await end();
  terminal.out(`campaign ${id} is cancelled; its results so far are kept\n`);
  return ExitCode.GOOD;
}

/** Prints how far a campaign is. */
export function printProgress(now: CampaignProgress, { options, terminal }: CampaignInvocation): ExitCode {
  if (options.json === true) terminal.out(`${JSON.stringify(now)}\n`);
  else terminal.out(formatProgress(now, Date.now()));
  return now.failed > 0 ? ExitCode.FOUND : ExitCode.GOOD;
}

/** Prints how far all campaigns are. */
export function printList(
  all: readonly CampaignProgress[],
  { options, terminal }: CampaignInvocation,
): ExitCode {
  if (options.json === true) terminal.out(`${JSON.stringify(all)}\n`);
  else terminal.out(formatList(all));
  return ExitCode.GOOD;
}

/** What is known of a campaign; one that has told nothing has just begun. */
export function progressOf(
  { id, order, beganMs }: CampaignEntry,
  told: CampaignProgress | null | undefined,
  state: CampaignState,
): CampaignProgress {
  const { name, job, version } = order;
  const begun = {
    ...{ id, name, job, version, tasks: taskCount(order), measured: 0, refused: 0, failed: 0, found: 0 },
    ...{ repeated: 0, beganMs, updatedMs: beganMs, perSecond: null, leftS: null, failures: [], workers: [] },
  };
  return { ...(told ?? begun), state };
}

/** Results of two versions may differ: one campaign has those of one. */
export function requireVersion({ order: { version } }: CampaignEntry): void {
  if (version === VERSION) return;
  throw new KelpieError('CAMPAIGN_VERSION', 'this campaign was started by another version of Kelpie', {
    ...{ field: 'version', given: version, allowed: VERSION },
  });
}

/** The number of a campaign; undefined for the last one. */
export function idOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = Number(text);
  if (Number.isSafeInteger(id) && id >= 1) return id;
  throw new KelpieError('BAD_ARGUMENT', 'not a campaign number', {
    ...{ field: 'id', given: text, allowed: 'a number that kelpie campaign status shows' },
  });
}

/** How far all campaigns of a folder are, the newest first; none where there are none. */
export async function campaignsOf(folder: string): Promise<CampaignProgress[]> {
  if (!hasCampaigns(folder)) return [];
  const archive = await openExistingCampaigns(folder);
  try {
    const all = await archive.list();
    const now = all.map(async (entry) =>
      progressOf(entry, await archive.progress(entry.id), await archive.state(entry.id)),
    );
    return (await Promise.all(now)).reverse();
  } finally {
    await archive.close();
  }
}
