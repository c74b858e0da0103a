import { type JsonSchema, publishedSchema, readSound, SourceDocument } from '../../schema/index.js';
import { VERSION } from '../../version.js';
import type { KnownSet } from '../hunt/index.js';
import { parseCampaignAssertion } from './assertion.js';
import { type Axis, pointAt, sizeOf } from './axis.js';
import { CAMPAIGN, type CampaignDescription, campaignSchema, type JobName } from './description.js';
import { deviceLabel } from './host.js';
import { kindOf } from './kinds/index.js';
import { type Needs, needsToken } from './needs.js';
import { CampaignReader, type TextReader } from './reader.js';
import type { CampaignTask } from './task.js';

/** A campaign that is ready to run: plain data that decides every one of its results. */
export interface CampaignOrder {
  readonly format: 'kelpie-campaign/1';
  readonly version: string;
  readonly name: string;
  readonly job: JobName;
  /** The seed is the last one. */
  readonly axes: readonly Axis[];
  /** What all tasks have in common. */
  readonly base: unknown;
  readonly metrics: readonly string[];
  readonly keepsAll: boolean;
  readonly assertions: readonly string[];
  readonly tries: number;
  readonly timeoutS: number;
  readonly needs: Needs;
  /** Seeds per round: hunts of a round know what those of earlier rounds have found. Null: nobody waits for anybody. */
  readonly round: number | null;
  /** Whether runs pass in real time: then two of them are two results. */
  readonly realTime: boolean;
  /** Tasks about a machine are given up when no worker of it has been heard of for this long. */
  readonly waitS: number;
}

/** Tasks in all: more are a typing error. */
const MOST_TASKS = 1_000_000;
const TRIES = 3;
const TIMEOUT_S = 3600;
/** Long enough to start workers by hand. */
const WAIT_S = 600;
/** Enough for a machine's processors, few enough that seeds learn from each other. */
const ROUND = 4;
/** Fields without which others cannot be judged: where it runs, on what, and whose profiles those are. */
const GROUNDS = ['on', 'profile', 'hosts', 'provider'];
/** Fields of every campaign. */
const COMMON: readonly (keyof CampaignDescription)[] = [
  ...(['name', 'job', 'seeds', 'metrics', 'keep', 'assert'] as const),
  ...(['tries', 'timeoutS', 'needs'] as const),
];

/**
 * Reads a campaign, YAML or JSON. Files that it names are asked for by `readText`. Whatever is wrong, in it or in them, is
 * said at once with file, line, field and what is allowed. `asserted` must hold beside what the file asserts.
 *
 * @example
 * const text = 'name: quick\njob: reproduce\nrows: [H9, P6]\nseeds: 1..3';
 * const order = parseCampaign(text, 'quick.yaml', () => '');
 * console.log(taskCount(order)); // 6
 */
export function parseCampaign(
  text: string,
  file: string,
  readText: TextReader,
  asserted: readonly string[] = [],
): CampaignOrder {
  const document = SourceDocument.ofText(text, file, CAMPAIGN);
  const sound = readSound(document, campaignSchema);
  const reader = new CampaignReader(document, readText);
  const { job } = sound;
  if (job === undefined) {
    // Then nothing is known of the other fields.
    reader.end();
    throw new Error('unreachable: a campaign without a job has a fault');
  }
  const description: CampaignDescription = { ...sound, name: sound.name ?? '', job };
  const given = Object.keys(document.value as object);
  const isFaulty = (field: string) => given.includes(field) && !Object.hasOwn(sound, field);
  const kind = kindOf(job);
  const known = [...COMMON, ...kind.required, ...kind.optional];
  const { codes } = CAMPAIGN;
  for (const field of kind.required)
    if (!given.includes(field))
      document.report(codes.missingField, [field], { problem: `the field is missing: ${job} needs it` });
  for (const field of Object.keys(description))
    if (!known.includes(field as keyof CampaignDescription)) {
      const allowed = known.join(', ');
      document.report(codes.unknownField, [field], { problem: `${job} has no such field`, allowed }, true);
    }
  // What is missing or faulty was said. The job reads the rest, unless that would look wrong without it.
  const complete =
    kind.required.every((field) => description[field] !== undefined) && !GROUNDS.some(isFaulty);
  const planned = complete ? kind.plan(description, reader) : null;
  const seeds = reader.seeds(description.seeds);
  const axes = [...(planned?.axes ?? []), seeds];
  const { metrics = [], keep, needs } = description;
  const assert = [...(description.assert ?? []), ...asserted];
  const held = assert.flatMap((each, index) => {
    const parsed = reader.attempt(['assert', index], () => parseCampaignAssertion(each));
    return parsed === null ? [] : [{ metric: parsed.metric, path: ['assert', index] }];
  });
  const named = [...metrics.map((metric, index) => ({ metric, path: ['metrics', index] })), ...held];
  for (const { metric, path } of planned === null ? [] : named)
    if (!kind.metrics.includes(metric) && kind.hasMetric?.(planned!.base, metric) !== true)
      reader.refuse(path, 'there is no such metric', metric, kind.metrics.join(', '));
  if (planned !== null && sizeOf(axes) > MOST_TASKS)
    reader.refuse([], 'there are too many tasks', sizeOf(axes), `at most ${MOST_TASKS}`);
  reader.end();
  const real = description.hosts !== undefined;
  const { provider = real ? 'software' : 'simulated', tries = TRIES, timeoutS = TIMEOUT_S } = description;
  return {
    ...{ format: 'kelpie-campaign/1', version: VERSION, name: description.name, job },
    ...{ axes, base: planned!.base, tries, timeoutS, assertions: assert },
    metrics: [...new Set(named.map(({ metric }) => metric))].filter((name) => !kind.metrics.includes(name)),
    keepsAll: keep === undefined ? kind.keepsAll : keep === 'all',
    needs: {
      ...{ provider, cores: needs?.cores ?? 1, memoryGb: needs?.memoryGb ?? 1 },
      labels: [...new Set([...(needs?.devices ?? []).map(deviceLabel), ...(needs?.labels ?? [])])].sort(),
    },
    round: job !== 'hunt' || description.independent === true ? null : (description.round ?? ROUND),
    realTime: provider === 'software',
    waitS: description.waitS ?? WAIT_S,
  };
}

/** The published schema of a campaign. */
export function campaignJsonSchema(): JsonSchema {
  return publishedSchema('campaign', 'Kelpie campaign', campaignSchema);
}

/** How many tasks a campaign has. */
export function taskCount({ axes }: Pick<CampaignOrder, 'axes'>): number {
  return sizeOf(axes);
}

/** The task of a number, with what earlier hunts have found. */
export function taskAt(order: CampaignOrder, index: number, known: readonly KnownSet[] = []): CampaignTask {
  const { job: kind, base, axes, metrics, keepsAll } = order;
  return {
    ...{ job: 'campaign', kind, base, point: pointAt(axes, index), metrics, keepsAll },
    ...(known.length === 0 ? {} : { known }),
  };
}

/** What the worker of a task must have. */
export function needsAt({ job, axes, needs }: CampaignOrder, index: number): Needs {
  const more = kindOf(job).labelsOf?.(pointAt(axes, index)) ?? [];
  return more.length === 0 ? needs : { ...needs, labels: [...new Set([...needs.labels, ...more])].sort() };
}

/** Labels of the machines that a task is about, which must all have a worker; none where any worker will do. */
export function machinesAt(
  { job, axes }: Pick<CampaignOrder, 'job' | 'axes'>,
  index: number,
): readonly string[] {
  return kindOf(job).machinesOf?.(pointAt(axes, index)) ?? [];
}

/** What the workers of a campaign must have, each once. */
export function allNeeds(order: CampaignOrder): readonly Needs[] {
  if (kindOf(order.job).labelsOf === undefined) return [order.needs];
  const all = Array.from({ length: taskCount(order) }, (_, index) => needsAt(order, index));
  return [...new Map(all.map((needs) => [needsToken(needs), needs])).values()];
}

/** The rounds of a campaign: tasks of one wait for all of the one before. */
export function roundCount({ axes, round }: Pick<CampaignOrder, 'axes' | 'round'>): number {
  return round === null ? 1 : Math.ceil(sizeOf(axes.slice(-1)) / round);
}

/** The round of a task. */
export function roundOf({ axes, round }: Pick<CampaignOrder, 'axes' | 'round'>, index: number): number {
  return round === null ? 0 : Math.floor((index % sizeOf(axes.slice(-1))) / round);
}

/** The tasks whose finds a task knows, in order: those on the same subsystem in earlier rounds. */
export function knownTo(order: Pick<CampaignOrder, 'axes' | 'round'>, index: number): number[] {
  const seeds = sizeOf(order.axes.slice(-1));
  const first = index - (index % seeds);
  const earlier = order.round === null ? 0 : roundOf(order, index) * order.round;
  return Array.from({ length: earlier }, (_, seed) => first + seed);
}
