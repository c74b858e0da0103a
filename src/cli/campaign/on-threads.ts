import { hostname } from 'node:os';
import { KelpieError } from '../../error.js';
import {
  allNeeds,
  type CampaignArchive,
  type CampaignEntry,
  type CampaignOrder,
  HOST_LABEL,
  hasWays,
  hostLabel,
  PoolCarrier,
} from '../../jobs/campaign/index.js';
import type { ExitCode } from '../exit-code.js';
import { withPool } from '../job-pool.js';
import { workersFlag } from '../workers-flag.js';
import { openCampaigns, openExistingCampaigns } from './archive-file.js';
import { control, controlOptions, type Fleet, printReport } from './control.js';
import type { CampaignAction, CampaignInvocation } from './flags.js';
import {
  cancel,
  idOf,
  orderOf,
  printList,
  printProgress,
  progressOf,
  requireVersion,
  watch,
} from './look.js';
import { printTask } from './task-report.js';

/** Campaigns of a folder, on the threads of this machine. */
export async function onThreads(
  action: CampaignAction,
  argument: string | undefined,
  invocation: CampaignInvocation,
): Promise<ExitCode> {
  const { folder } = invocation.options;
  // What is asked for is read before anything is written.
  const order = action === 'run' ? orderOf(argument, invocation) : null;
  if (order !== null) requireHere(order);
  const archive = await (order === null ? openExistingCampaigns(folder) : openCampaigns(folder));
  try {
    if (order !== null) return await work(await archive.create(order, Date.now()), archive, invocation);
    return await look(action as Exclude<CampaignAction, 'run'>, argument, archive, invocation);
  } finally {
    await archive.close();
  }
}

async function look(
  action: Exclude<CampaignAction, 'run'>,
  argument: string | undefined,
  archive: CampaignArchive,
  invocation: CampaignInvocation,
): Promise<ExitCode> {
  const progress = async (entry: CampaignEntry) =>
    progressOf(entry, await archive.progress(entry.id), await archive.state(entry.id));
  if (action === 'status' && argument === undefined)
    return printList(await Promise.all((await archive.list()).map(progress)), invocation);
  const entry = await archive.find(idOf(argument));
  switch (action) {
    case 'resume':
      requireVersion(entry);
      requireHere(entry.order);
      if (invocation.options.givenUp === true) await archive.forgive(entry.id);
      await archive.setState(entry.id, 'running');
      return work(entry, archive, invocation);
    case 'report':
      return invocation.options.task === undefined
        ? printReport(entry, controlOptions(archive, invocation))
        : printTask(entry, archive, invocation);
    case 'cancel':
      return cancel(
        entry,
        await archive.state(entry.id),
        () => archive.setState(entry.id, 'cancelled'),
        invocation,
      );
    case 'status':
      return printProgress(await progress(entry), invocation);
    case 'watch':
      return watch(() => progress(entry), invocation);
  }
}

/** Threads of this machine can examine this machine alone. */
function requireHere(order: CampaignOrder): void {
  const here = hostLabel(hostname());
  if (hasWays(order.axes))
    throw new KelpieError('CANNOT_RUN', 'tests between hosts need a worker on each of them', {
      ...{ field: 'between', allowed: '--nats, and kelpie worker --nats on every host' },
    });
  const others = allNeeds(order).flatMap(({ labels }) =>
    labels.filter((label) => label.startsWith(HOST_LABEL) && label !== here),
  );
  if (order.job !== 'ping' || others.length === 0) return;
  throw new KelpieError('CANNOT_RUN', 'these hosts are not this machine', {
    ...{ field: 'hosts', given: others.slice(0, 8).join(', ') },
    allowed: `${here}, or --nats with a worker on each`,
  });
}

function work(
  entry: CampaignEntry,
  archive: CampaignArchive,
  invocation: CampaignInvocation,
): Promise<ExitCode> {
  const threads = workersFlag(invocation.options, '--workers');
  return control(entry, controlOptions(archive, invocation), (signal, use) =>
    withPool(threads, signal, (pool) => {
      const fleet: Fleet = {
        carrier: new PoolCarrier(pool, { nowMs: () => performance.now(), signal }),
        isCancelled: async () => (await archive.state(entry.id)) === 'cancelled',
      };
      return use(fleet);
    }),
  );
}
