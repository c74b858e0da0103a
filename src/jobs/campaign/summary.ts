import type { CampaignArchive, CampaignEntry, TaskRecord } from './archive.js';
import { type CampaignAssertion, parseCampaignAssertion } from './assertion.js';
import { type CampaignPoint, showPoint } from './axis.js';
import { type WorseWhen, worseWhen } from './direction.js';
import { taskCount } from './order.js';
import { Rack, type RackSummary } from './rack.js';
import type { TaskOutcome } from './task.js';
import { hasWays } from './way.js';

/** An assertion with the runs for which it does not hold. */
export interface AssertionSummary {
  readonly text: string;
  readonly checked: number;
  readonly broken: number;
  /** Runs that had nothing to be held against, or have no such metric. */
  readonly without: number;
  /** The first of the broken ones. */
  readonly examples: readonly {
    readonly point: CampaignPoint;
    readonly value: number | null;
    readonly last?: number | null;
  }[];
}

/** How a metric moved since the last campaign. */
export interface MetricChange {
  readonly metric: string;
  /** Runs that both campaigns have. */
  readonly runs: number;
  readonly rose: number;
  readonly fell: number;
  /** Which way it gets worse; null where it only moves. */
  readonly worse: WorseWhen | null;
  /** The runs that moved most, as a share of what it was; those that got worse come first. */
  readonly most: readonly { readonly point: CampaignPoint; readonly from: number; readonly to: number }[];
}

/** What came of a campaign. */
export interface CampaignSummary {
  readonly format: 'kelpie-campaign-summary/1';
  readonly id: number;
  readonly name: string;
  readonly job: string;
  readonly version: string;
  readonly tasks: number;
  /** Tasks by what came of them; those without a result are left. */
  readonly measured: number;
  readonly refused: number;
  readonly failed: number;
  readonly left: number;
  /** Runs with findings. */
  readonly found: number;
  readonly failures: readonly {
    readonly point: CampaignPoint;
    readonly reason: string;
    readonly tries: number;
  }[];
  readonly assertions: readonly AssertionSummary[];
  /** The campaign that it is compared with; null where there is none. */
  readonly last: number | null;
  /** The last one ran something else: another workload, fabric or profile under the same name. */
  readonly lastIsOther: boolean;
  readonly changes: readonly MetricChange[];
  /** How hosts reach each other, where ways between them were probed. */
  readonly rack?: RackSummary;
}

const MOST_EXAMPLES = 20;

/** A task and its outcome, without who did it and how long that took: the same on one machine and on many. */
export function mergedLine({ index, point, outcome }: TaskRecord): string {
  return `${JSON.stringify({ index, point, ...outcome })}\n`;
}

/** Goes through the results of a campaign, and those of the one before it. */
export async function summariseCampaign(
  entry: CampaignEntry,
  archive: CampaignArchive,
): Promise<CampaignSummary> {
  const { id, order } = entry;
  const before = await archive.before(entry);
  const counting = new Counting(order.assertions.map(parseCampaignAssertion), before !== undefined);
  const [rack, lastRack] = [
    await rackOf(entry, archive),
    before === undefined ? null : await rackOf(before, archive),
  ];
  const earlier = before === undefined ? null : new Earlier(archive.records(before.id));
  let records = 0;
  for await (const record of archive.records(id)) {
    records++;
    const last = (await earlier?.find(record.point)) ?? null;
    counting.add(rack?.judged(record) ?? record, last === null ? null : (lastRack?.judged(last) ?? last));
  }
  return {
    ...{ format: 'kelpie-campaign-summary/1', id, name: order.name, job: order.job, version: order.version },
    ...{ tasks: taskCount(order), left: taskCount(order) - records, last: before?.id ?? null },
    lastIsOther: before !== undefined && JSON.stringify(before.order.base) !== JSON.stringify(order.base),
    ...counting.summary(),
    ...(rack === null ? {} : { rack: rack.summary() }),
  };
}

/** The ways of a campaign side by side; null where it has none. */
async function rackOf({ id, order }: CampaignEntry, archive: CampaignArchive): Promise<Rack | null> {
  if (!hasWays(order.axes)) return null;
  const rack = new Rack();
  for await (const record of archive.records(id)) rack.add(record);
  return rack;
}

/**
 * Looks up the runs of an earlier campaign by their points. Both come in the order of their tasks, which are mostly the
 * same: what was passed over is remembered, so that memory holds no more than the difference.
 */
class Earlier {
  private readonly records: AsyncIterator<TaskRecord>;
  private readonly passed = new Map<string, TaskRecord>();
  private ended = false;

  constructor(records: AsyncIterable<TaskRecord>) {
    this.records = records[Symbol.asyncIterator]();
  }

  async find(point: CampaignPoint): Promise<TaskRecord | undefined> {
    const key = showPoint(point);
    while (!this.ended && !this.passed.has(key)) {
      const { done, value } = await this.records.next();
      if (done === true) this.ended = true;
      else this.passed.set(showPoint(value.point), value);
    }
    const found = this.passed.get(key);
    this.passed.delete(key);
    return found;
  }
}

/** What is counted of results as they pass. */
class Counting {
  private readonly assertions: {
    parsed: CampaignAssertion;
    checked: number;
    broken: number;
    without: number;
    examples: AssertionSummary['examples'][number][];
  }[];
  private readonly changes = new Map<
    string,
    {
      runs: number;
      rose: number;
      fell: number;
      worse: WorseWhen | null;
      most: MetricChange['most'][number][];
    }
  >();
  private readonly compares: boolean;
  private readonly counts = { measured: 0, refused: 0, failed: 0 };
  private readonly failures: CampaignSummary['failures'][number][] = [];
  private found = 0;

  constructor(assertions: readonly CampaignAssertion[], compares: boolean) {
    this.assertions = assertions.map((parsed) => ({
      parsed,
      checked: 0,
      broken: 0,
      without: 0,
      examples: [],
    }));
    this.compares = compares;
  }

  add({ point, outcome, tries }: TaskRecord, last: TaskRecord | null): void {
    this.counts[outcome.kind]++;
    if (outcome.kind === 'failed' && this.failures.length < MOST_EXAMPLES)
      this.failures.push({ point, reason: outcome.reason, tries });
    if (outcome.kind !== 'measured') return;
    if (outcome.found) this.found++;
    const before = last === null ? {} : metricsOf(last.outcome);
    for (const each of this.assertions) {
      const { metric, relative } = each.parsed;
      const value = outcome.metrics[metric] ?? null;
      // Some runs have no such metric, as a host has none of a way; one that has it without a value is another matter.
      const holds = metric in outcome.metrics ? each.parsed.holds(value, before[metric]) : null;
      each.checked++;
      if (holds === null) each.without++;
      if (holds !== false) continue;
      each.broken++;
      if (each.examples.length < MOST_EXAMPLES)
        each.examples.push({ point, value, ...(relative ? { last: before[metric] ?? null } : {}) });
    }
    if (this.compares)
      for (const [metric, to] of Object.entries(outcome.metrics))
        this.compare(metric, point, before[metric], to);
  }

  private compare(
    metric: string,
    point: CampaignPoint,
    from: number | null | undefined,
    to: number | null,
  ): void {
    if (from === undefined || from === null || to === null) return;
    const change = this.changes.get(metric) ?? {
      ...{ runs: 0, rose: 0, fell: 0, worse: worseWhen(metric) },
      most: [],
    };
    this.changes.set(metric, change);
    change.runs++;
    if (to === from) return;
    if (to > from) change.rose++;
    else change.fell++;
    change.most.push({ point, from, to });
    const isWorse = (moved: { from: number; to: number }) =>
      Number(change.worse !== null && change.worse === (moved.to > moved.from ? 'more' : 'less'));
    change.most.sort((one, other) => isWorse(other) - isWorse(one) || shareOf(other) - shareOf(one));
    if (change.most.length > MOST_EXAMPLES) change.most.pop();
  }

  summary(): Pick<
    CampaignSummary,
    'measured' | 'refused' | 'failed' | 'found' | 'failures' | 'assertions' | 'changes'
  > {
    const { counts, found, failures } = this;
    return {
      ...{ ...counts, found, failures },
      assertions: this.assertions.map(({ parsed: { text }, ...rest }) => ({ text, ...rest })),
      changes: [...this.changes].map(([metric, change]) => ({ metric, ...change })),
    };
  }
}

function metricsOf(outcome: TaskOutcome): Readonly<Record<string, number | null>> {
  return outcome.kind === 'measured' ? outcome.metrics : {};
}

/** How many runs of a metric got worse; null where neither way is. */
export function worsened({ worse, rose, fell }: MetricChange): number | null {
  return worse === null ? null : worse === 'more' ? rose : fell;
}

/** How much a metric moved, as a share of the larger of the two. */
function shareOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return Math.abs(to - from) / Math.max(Math.abs(from), Math.abs(to));
}
