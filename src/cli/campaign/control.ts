import {
  type CampaignArchive,
  type CampaignEntry,
  type CampaignProgress,
  ProgressMeter,
  runCampaign,
  summariseCampaign,
  type TaskCarrier,
  type WorkerPresence,
} from '../../jobs/campaign/index.js';
import { ExitCode } from '../exit-code.js';
import { WebServer } from '../ping/web/web-server.js';
import { ProgressLine } from '../progress.js';
import type { Terminal } from '../terminal.js';
import type { CampaignInvocation } from './flags.js';
import { liveTable } from './live-table.js';
import { formatSummary, progressLine } from './report.js';
import { writeReport } from './report-files.js';
import { campaignRoutes } from './web.js';

/** Where the tasks of a campaign go. */
export interface Fleet {
  readonly carrier: TaskCarrier;
  /** Tells others how far it is. */
  tell?(progress: CampaignProgress): Promise<void>;
  /** Whether somebody has cancelled it. */
  isCancelled(): Promise<boolean>;
  /** Workers that have been heard of. */
  workers?(): readonly WorkerPresence[];
}

/** What a controller is given beside the campaign. */
export interface ControlOptions {
  readonly archive: CampaignArchive;
  readonly folder: string;
  readonly terminal: Terminal;
  /** Raised by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Where a page is served. */
  readonly serve?: string;
  readonly json: boolean;
}

/** How often progress is drawn, kept and reported. */
const TICK_MS = 1000;

/** Runs a campaign to its end, or until it is interrupted or cancelled, and reports. */
export async function control(
  entry: CampaignEntry,
  options: ControlOptions,
  withFleet: <Result>(signal: AbortSignal, use: (fleet: Fleet) => Promise<Result>) => Promise<Result>,
): Promise<ExitCode> {
  const { archive, terminal, signal } = options;
  const { id } = entry;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) stop.abort();
  let cancelled = false;
  try {
    const whole = await withFleet(stop.signal, async (fleet) => {
      const watch = await Watch.open(entry, fleet, options);
      const tick = async () => {
        await watch.tick('running');
        if (!cancelled && (await fleet.isCancelled())) {
          cancelled = true;
          stop.abort();
        }
      };
      const timer = setInterval(() => void tick().catch((error) => watch.complain(error)), TICK_MS);
      try {
        const onRecord = (record: Parameters<ProgressMeter['add']>[0]) => watch.meter.add(record);
        const ended = await runCampaign(entry, {
          archive,
          carrier: fleet.carrier,
          onRecord,
          signal: stop.signal,
        });
        return ended;
      } finally {
        clearInterval(timer);
        if (cancelled) await archive.setState(id, 'cancelled');
        await watch.close(await archive.state(id));
      }
    });
    return await report(entry, options, whole, cancelled);
  } finally {
    signal.removeEventListener('abort', interrupt);
    terminal.draw('');
  }
}

async function report(
  entry: CampaignEntry,
  { archive, folder, terminal, json }: ControlOptions,
  whole: boolean,
  cancelled: boolean,
): Promise<ExitCode> {
  const code = await printReport(entry, { archive, folder, terminal, json });
  if (whole) return code;
  if (cancelled) terminal.err(`kelpie: campaign ${entry.id} was cancelled; its results so far are kept\n`);
  else terminal.err(`kelpie: interrupted; continue with kelpie campaign resume ${entry.id}\n`);
  return cancelled ? ExitCode.FOUND : ExitCode.INTERRUPTED;
}

/** Writes the report of a campaign and prints it; exit 1 where an assertion is broken or a task was given up. */
export async function printReport(
  entry: CampaignEntry,
  { archive, folder, terminal, json }: Pick<ControlOptions, 'archive' | 'folder' | 'terminal' | 'json'>,
): Promise<ExitCode> {
  const summary = await summariseCampaign(entry, archive);
  const written = await writeReport(folder, entry, summary, archive);
  if (json) terminal.out(`${JSON.stringify({ ...summary, ...written })}\n`);
  else terminal.out(`${formatSummary(summary, written.digest)}report: ${written.page}\n`);
  const broken = summary.assertions.some((each) => each.broken > 0);
  return broken || summary.failed > 0 ? ExitCode.FOUND : ExitCode.GOOD;
}

/** What is shown, kept and told while a campaign runs. */
class Watch {
  readonly meter: ProgressMeter;
  private readonly fleet: Fleet;
  private readonly options: ControlOptions;
  private server: WebServer | null = null;
  private now: CampaignProgress;
  private readonly line: ProgressLine;
  private complained = '';

  private constructor(entry: CampaignEntry, done: number, fleet: Fleet, options: ControlOptions) {
    this.meter = new ProgressMeter(entry, Date.now(), done);
    this.fleet = fleet;
    this.options = options;
    this.now = this.meter.progress('running', Date.now());
    this.line = new ProgressLine(options.terminal, Date.now());
  }

  static async open(entry: CampaignEntry, fleet: Fleet, options: ControlOptions): Promise<Watch> {
    const { archive, serve, terminal } = options;
    let done = 0;
    for await (const _ of archive.records(entry.id)) done++;
    const watch = new Watch(entry, done, fleet, options);
    if (serve !== undefined) {
      const workers = () => fleet.workers?.() ?? [];
      const routes = campaignRoutes(() => watch.now, workers);
      watch.server = await WebServer.open('--serve', serve, routes);
      terminal.err(`campaign ${entry.id}: ${watch.server.url} shows it, /metrics is for Prometheus\n`);
    }
    return watch;
  }

  async tick(state: CampaignProgress['state']): Promise<void> {
    const { archive, terminal } = this.options;
    this.now = this.meter.progress(state, Date.now());
    this.line.show(Date.now(), () =>
      terminal.interactive
        ? liveTable(this.now, this.fleet.workers?.() ?? [], Date.now())
        : progressLine(this.now),
    );
    this.server?.changed();
    await archive.setProgress(this.now);
    await this.fleet.tell?.(this.now);
  }

  /** What cannot be told now is told with the next; a campaign does not end for it. */
  complain(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== this.complained) this.options.terminal.err(`kelpie: ${text}\n`);
    this.complained = text;
  }

  async close(state: CampaignProgress['state']): Promise<void> {
    await this.tick(state).catch((error) => this.complain(error));
    await this.server?.close();
  }
}

/** What a controller needs of an invocation. */
export function controlOptions(
  archive: CampaignArchive,
  { options, terminal, signal }: CampaignInvocation,
): ControlOptions {
  const { folder, serve, json } = options;
  return {
    archive,
    folder,
    terminal,
    signal,
    json: json === true,
    ...(serve === undefined ? {} : { serve }),
  };
}
