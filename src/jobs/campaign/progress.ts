import type { CampaignEntry, CampaignState, TaskRecord } from './archive.js';
import type { CampaignPoint } from './axis.js';
import { taskCount } from './order.js';
import type { WorkerPresence } from './presence.js';

/** How far a campaign is, as plain data: what is shown live, kept beside it and sent to others. */
export interface CampaignProgress {
  readonly id: number;
  readonly name: string;
  readonly job: string;
  readonly version: string;
  readonly state: CampaignState;
  readonly tasks: number;
  readonly measured: number;
  readonly refused: number;
  readonly failed: number;
  /** Runs with findings. */
  readonly found: number;
  /** Tasks that were retried. */
  readonly repeated: number;
  readonly beganMs: number;
  readonly updatedMs: number;
  /** Results per second of the last while; null before there is one. */
  readonly perSecond: number | null;
  /** Seconds that it will go on for at this rate. */
  readonly leftS: number | null;
  /** The last tasks that were given up. */
  readonly failures: readonly {
    readonly point: CampaignPoint;
    readonly reason: string;
    readonly tries: number;
  }[];
  /** Who has done how many. */
  readonly workers: readonly { readonly name: string; readonly done: number; readonly busyS: number }[];
}

/** What a page shows of a campaign: how far it is, and the workers that were heard of. */
export interface CampaignSight extends CampaignProgress {
  readonly present?: readonly WorkerPresence[];
}

const MOST_FAILURES = 20;
const MOST_WORKERS = 256;
/** The rate is that of the last while. */
const RATE_MS = 30_000;

/**
 * Counts results as they come.
 *
 * @example
 * const meter = new ProgressMeter(entry, Date.now());
 * await runCampaign(entry, { archive, carrier, onRecord: (record) => meter.add(record) });
 * console.log(meter.progress('done', Date.now()).measured);
 */
export class ProgressMeter {
  private readonly entry: CampaignEntry;
  private readonly tasks: number;
  private readonly counts = { measured: 0, refused: 0, failed: 0 };
  private readonly failures: CampaignProgress['failures'][number][] = [];
  private readonly workers = new Map<string, { done: number; busyMs: number }>();
  private found = 0;
  private repeated = 0;
  /** Results and when they were counted, oldest first. */
  private readonly marks: { readonly ms: number; readonly done: number }[];

  /** `done`: results of an earlier run that will be added; they say nothing about the rate. */
  constructor(entry: CampaignEntry, nowMs: number, done = 0) {
    this.entry = entry;
    this.tasks = taskCount(entry.order);
    this.marks = [{ ms: nowMs, done }];
  }

  get done(): number {
    const { measured, refused, failed } = this.counts;
    return measured + refused + failed;
  }

  add({ point, outcome, worker, wallMs, tries }: TaskRecord): void {
    this.counts[outcome.kind]++;
    if (tries > 1) this.repeated++;
    if (outcome.kind === 'measured' && outcome.found) this.found++;
    if (outcome.kind === 'failed') {
      this.failures.push({ point, reason: outcome.reason, tries });
      if (this.failures.length > MOST_FAILURES) this.failures.shift();
    }
    const known = this.workers.get(worker) ?? { done: 0, busyMs: 0 };
    known.done++;
    known.busyMs += wallMs;
    if (this.workers.has(worker) || this.workers.size < MOST_WORKERS) this.workers.set(worker, known);
  }

  /** How far it is now. Call it about once a second: the rate is computed from call to call. */
  progress(state: CampaignState, nowMs: number): CampaignProgress {
    const { entry, tasks, done, marks, counts, found, repeated } = this;
    while (marks.length > 1 && marks[1].ms < nowMs - RATE_MS) marks.shift();
    const [first] = marks;
    const perSecond =
      nowMs > first.ms && done > first.done ? ((done - first.done) / (nowMs - first.ms)) * 1000 : null;
    if (nowMs > marks[marks.length - 1].ms) marks.push({ ms: nowMs, done });
    const { id, order, beganMs } = entry;
    return {
      ...{ id, name: order.name, job: order.job, version: order.version, state, tasks, ...counts },
      ...{ found, repeated, beganMs, updatedMs: nowMs, perSecond },
      leftS: perSecond === null ? null : (tasks - done) / perSecond,
      failures: [...this.failures],
      workers: [...this.workers].map(([name, each]) => ({
        name,
        done: each.done,
        busyS: each.busyMs / 1000,
      })),
    };
  }
}
