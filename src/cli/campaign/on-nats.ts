import { KelpieError } from '../../error.js';
import {
  allNeeds,
  type CampaignEntry,
  type CampaignProgress,
  isAble,
  type Needs,
  type WorkerPresence,
} from '../../jobs/campaign/index.js';
import {
  CampaignRegister,
  makeQueue,
  type Nats,
  NatsCarrier,
  type NatsPlace,
  openNats,
  Presences,
} from '../../node/nats/index.js';
import type { ExitCode } from '../exit-code.js';
import { openCampaigns } from './archive-file.js';
import { control, controlOptions, printReport } from './control.js';
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
import { formatWorkers } from './report.js';
import { printTask } from './task-report.js';

/** How often workers are looked for. */
const LOOK_MS = 5000;

/** Campaigns of a server, on the machines that work for it. */
export async function onNats(
  place: NatsPlace,
  action: CampaignAction,
  argument: string | undefined,
  invocation: CampaignInvocation,
): Promise<ExitCode> {
  const order = action === 'run' ? orderOf(argument, invocation) : null;
  const onStatus = (text: string) => invocation.terminal.err(`kelpie: NATS: ${text}\n`);
  const nats = await openNats(place, { name: 'kelpie campaign', onStatus });
  try {
    await makeQueue(nats);
    const register = await CampaignRegister.open(nats);
    if (order !== null) {
      const entry = await register.create(order, Date.now(), await lastIn(invocation.options.folder));
      return await work(nats, register, entry, false, invocation);
    }
    return await look(nats, register, action as Exclude<CampaignAction, 'run'>, argument, invocation);
  } finally {
    await nats.connection.close();
  }
}

async function look(
  nats: Nats,
  register: CampaignRegister,
  action: Exclude<CampaignAction, 'run'>,
  argument: string | undefined,
  invocation: CampaignInvocation,
): Promise<ExitCode> {
  const progress = async (entry: CampaignEntry) =>
    progressOf(entry, await register.progress(entry.id), await register.state(entry.id));
  if (action === 'status' && argument === undefined) return list(nats, register, progress, invocation);
  const entry = await register.find(idOf(argument));
  const { id } = entry;
  switch (action) {
    case 'resume':
      requireVersion(entry);
      await register.setState(id, 'running');
      // What waits would come twice.
      await NatsCarrier.purge(nats, id);
      return work(nats, register, entry, true, invocation);
    case 'report': {
      const archive = await openCampaigns(invocation.options.folder);
      try {
        const kept = (await archive.list()).find((each) => each.id === id);
        if (kept === undefined)
          throw new KelpieError('NO_CAMPAIGNS', 'the results of this campaign are not in this folder', {
            ...{ field: '--folder', given: invocation.options.folder },
            allowed: `kelpie campaign resume ${id}, which fetches them and runs what is left, or another folder`,
          });
        return invocation.options.task === undefined
          ? await printReport(kept, controlOptions(archive, invocation))
          : await printTask(kept, archive, invocation);
      } finally {
        await archive.close();
      }
    }
    case 'cancel':
      return cancel(
        entry,
        await register.state(id),
        async () => {
          await register.setState(id, 'cancelled');
          await NatsCarrier.purge(nats, id);
        },
        invocation,
      );
    case 'status':
      return printProgress(await progress(entry), invocation);
    case 'watch': {
      const presences = await Presences.open(nats);
      return watch(
        () => progress(entry),
        invocation,
        () => presences.list(),
      );
    }
  }
}

/** All campaigns, and the workers that there are. */
async function list(
  nats: Nats,
  register: CampaignRegister,
  progress: (entry: CampaignEntry) => Promise<CampaignProgress>,
  invocation: CampaignInvocation,
): Promise<ExitCode> {
  const last = await register.last();
  const ids = Array.from({ length: Math.min(last, MOST_LISTED) }, (_, index) => last - index).reverse();
  const entries = await Promise.all(ids.map((id) => register.get(id)));
  const all = await Promise.all(entries.flatMap((entry) => (entry === null ? [] : [progress(entry)])));
  const code = printList(all, invocation);
  const present = await (await Presences.open(nats)).list();
  if (invocation.options.json !== true) invocation.terminal.out(`\n${formatWorkers(present)}`);
  return code;
}

/** Campaigns that a list has: the last ones. */
const MOST_LISTED = 100;

async function work(
  nats: Nats,
  register: CampaignRegister,
  entry: CampaignEntry,
  again: boolean,
  invocation: CampaignInvocation,
): Promise<ExitCode> {
  const { terminal, options } = invocation;
  const archive = await openCampaigns(options.folder);
  const presences = await Presences.open(nats);
  let present: WorkerPresence[] = [];
  const needs = allNeeds(entry.order);
  const missing = new Once((text) => terminal.err(`kelpie: ${text}\n`));
  const labels = new Set(needs.flatMap((each) => each.labels));
  const absences = new Absences(labels, entry.order.waitS, Date.now());
  const see = async () => {
    present = await presences.list();
    absences.see(present, Date.now());
    const nobody = needs.filter((each) => !present.some((worker) => isAble(worker, each)));
    if (present.length > 0 && nobody.length > 0) missing.say(withoutWorker(nobody));
  };
  const say = new Once((text) => terminal.err(`kelpie: ${text}; retrying\n`));
  const timer = setInterval(() => void see().catch(() => {}), LOOK_MS);
  try {
    await see();
    await keepHere(archive, entry);
    if (options.givenUp === true) await archive.forgive(entry.id);
    if (present.length === 0)
      terminal.err('kelpie: no worker has reported yet; start some with kelpie worker --nats\n');
    return await control(entry, controlOptions(archive, invocation), async (signal, use) => {
      const carrier = await NatsCarrier.open(nats, entry, {
        ...{ signal, again, forgives: options.givenUp === true, onTrouble: (text: string) => say.say(text) },
        absence: (machines) => absences.of(machines, Date.now()),
      });
      try {
        return await use({
          carrier,
          tell: (now) => tell(register, now),
          isCancelled: async () => (await register.state(entry.id)) === 'cancelled',
          workers: () => present,
        });
      } finally {
        await carrier.close();
      }
    });
  } finally {
    clearInterval(timer);
    await archive.close();
  }
}

/** Tasks that nobody can take would wait in silence. */
function withoutWorker(needs: readonly Needs[]): string {
  const shown = needs
    .slice(0, MOST_SHOWN)
    .map(({ provider, cores, memoryGb, labels }) =>
      [provider, cores === 1 ? 'one core' : `${cores} cores`, `${memoryGb} GB`, ...labels].join(' '),
    );
  const more = needs.length > MOST_SHOWN ? ` and ${needs.length - MOST_SHOWN} more` : '';
  return `no known worker can take tasks that need ${shown.join('; ')}${more}`;
}

const MOST_SHOWN = 4;

/** The number of the last campaign in a folder: campaigns run on threads or on another server have numbers there too. */
async function lastIn(folder: string): Promise<number> {
  const archive = await openCampaigns(folder);
  try {
    return (await archive.list()).at(-1)?.id ?? 0;
  } finally {
    await archive.close();
  }
}

/** The state is told by itself: one that somebody else has set since stays. */
async function tell(register: CampaignRegister, now: CampaignProgress): Promise<void> {
  await register.setProgress(now);
  if (now.state !== 'running') await register.setState(now.id, now.state);
}

/** Keeps the campaign in the folder of this machine too, so that it can be reported without the server. */
async function keepHere(
  archive: Awaited<ReturnType<typeof openCampaigns>>,
  entry: CampaignEntry,
): Promise<void> {
  const known = (await archive.list()).find(({ id }) => id === entry.id);
  if (known === undefined) {
    await archive.create(entry.order, entry.beganMs, entry.id);
    return;
  }
  if (JSON.stringify(known.order) === JSON.stringify(entry.order) && known.beganMs === entry.beganMs) {
    await archive.setState(entry.id, 'running');
    return;
  }
  throw new KelpieError('FOLDER_TAKEN', 'this folder has another campaign of this number', {
    ...{
      field: '--folder',
      given: entry.id,
      allowed: 'a folder of its own for the campaigns of each server',
    },
  });
}

/** Which machines have had no worker for too long. */
class Absences {
  private readonly waitMs: number;
  private readonly heardMs: Map<string, number>;
  /** A controller that hears of nobody, as one that is cut off, says nothing about anybody. */
  private sawMs: number;

  constructor(labels: Iterable<string>, waitS: number, nowMs: number) {
    this.waitMs = waitS * 1000;
    this.heardMs = new Map([...labels].map((label) => [label, nowMs]));
    this.sawMs = nowMs;
  }

  see(present: readonly WorkerPresence[], nowMs: number): void {
    this.sawMs = nowMs;
    for (const { labels } of present)
      for (const label of labels) if (this.heardMs.has(label)) this.heardMs.set(label, nowMs);
  }

  /** Why nobody waits for these machines any more; null where one still does. */
  of(machines: readonly string[], nowMs: number): string | null {
    if (nowMs - this.sawMs > 2 * LOOK_MS) return null;
    for (const machine of machines) {
      const silentMs = this.sawMs - (this.heardMs.get(machine) ?? this.sawMs);
      if (silentMs > this.waitMs)
        return `no worker of ${machine} has been heard of for ${Math.round(silentMs / 1000)} s`;
    }
    return null;
  }
}

/** Says something once until it changes. */
class Once {
  private readonly tell: (text: string) => void;
  private said = '';

  constructor(tell: (text: string) => void) {
    this.tell = tell;
  }

  say(text: string): void {
    if (text !== this.said) this.tell(text);
    this.said = text;
  }
}
