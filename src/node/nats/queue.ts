import type { ConsumerInfo } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { KelpieError } from '../../error.js';
import { type Needs, needsOf, needsToken, type TaskReply } from '../../jobs/campaign/index.js';
import type { Nats } from './client.js';

/** A task as it waits in the queue. */
export interface QueuedTask {
  readonly campaign: number;
  readonly index: number;
  /** The key of its result. */
  readonly hash: string;
  /** What earlier hunts have found, or where that is kept. */
  readonly known: unknown;
  /** It may have been done before: whoever takes it looks first. */
  readonly again: boolean;
}

/** Limits of what a server keeps for us, unless somebody has made the streams with others. */
export const QUEUE_LIMITS = {
  /** Tasks that wait; then controllers wait. */
  tasks: 20_000,
  /** Bytes of tasks, of results, of large results. */
  taskBytes: 64 * 2 ** 20,
  resultBytes: 2 ** 30,
  objectBytes: 2 * 2 ** 30,
  campaignBytes: 64 * 2 ** 20,
  workerBytes: 4 * 2 ** 20,
  deadLetters: 10_000,
  /** How long results and dead letters are kept. */
  keptMs: 30 * 86_400_000,
  /** A worker that was silent for this long is gone. */
  silentMs: 30_000,
} as const;

/** After this long without a mark of progress a task is given to another worker. */
const ACK_WAIT_MS = 30_000;
const MOST_UNACKNOWLEDGED = 10_000;
const NS_PER_MS = 1e6;
/** JetStream's code for a stream, or a consumer, that is there already with other settings. */
const ALREADY_THERE = [10_058, 10_065, 10_148];

/** The names of what belongs to one prefix. */
export class QueueNames {
  readonly tasks: string;
  readonly dead: string;
  readonly results: string;
  readonly objects: string;
  readonly campaigns: string;
  readonly workers: string;
  private readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
    const loud = prefix.toUpperCase();
    this.tasks = `${loud}_TASKS`;
    this.dead = `${loud}_DEAD`;
    this.results = `${prefix}-results`;
    this.objects = `${prefix}-objects`;
    this.campaigns = `${prefix}-campaigns`;
    this.workers = `${prefix}-workers`;
  }

  /** The subject of a task: by version, by what it needs, by campaign; `*` for any. */
  taskSubject(version: string, needs: string, campaign: number | '*'): string {
    return `${this.prefix}.task.${version}.${needs}.${campaign}`;
  }

  get allTasks(): string {
    return `${this.prefix}.task.>`;
  }

  deadSubject(campaign: number): string {
    return `${this.prefix}.dead.${campaign}`;
  }

  get allDead(): string {
    return `${this.prefix}.dead.>`;
  }
}

/** A version as a token of a subject, which dots would part. */
export function versionToken(version: string): string {
  return version.replaceAll(/[^A-Za-z0-9-]/g, '-');
}

/** Makes the streams that are not there. Those that are keep the limits that somebody gave them. */
export async function makeQueue({ manager, prefix }: Nats): Promise<QueueNames> {
  const names = new QueueNames(prefix);
  const { tasks, taskBytes, deadLetters, keptMs } = QUEUE_LIMITS;
  await ensure(() =>
    manager.streams.add({
      ...{ name: names.tasks, subjects: [names.allTasks], retention: 'workqueue', storage: 'file' },
      ...{ max_msgs: tasks, max_bytes: taskBytes, discard: 'new' },
    }),
  );
  await ensure(() =>
    manager.streams.add({
      ...{ name: names.dead, subjects: [names.allDead], retention: 'limits', storage: 'file' },
      ...{ max_msgs: deadLetters, max_age: keptMs * NS_PER_MS, discard: 'old' },
    }),
  );
  return names;
}

/** Opens a bucket, with these limits where there is none. */
export async function openBucket(
  { values }: Nats,
  name: string,
  limits: { readonly max_bytes: number; readonly ttl?: number },
): Promise<KV> {
  await ensure(() => values.create(name, { history: 1, storage: 'file', ...limits }));
  return values.open(name);
}

/** Makes something unless it is there, with whatever limits somebody gave it. */
export async function ensure(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    const { code } = error as { code?: number };
    if (code !== undefined && ALREADY_THERE.includes(code)) return;
    throw new KelpieError('CANNOT_RUN', `the server refuses a stream: ${(error as Error).message}`, {
      ...{
        field: '--nats',
        allowed: 'a user who may create streams, or existing streams',
        cause: error,
      },
    });
  }
}

/** Makes the queue of tasks with these needs, so that workers see that there is one. */
export async function makeClass(
  { manager, prefix }: Nats,
  version: string,
  needs: Needs,
  ackWaitMs: number = ACK_WAIT_MS,
): Promise<void> {
  const names = new QueueNames(prefix);
  const [one, other] = [versionToken(version), needsToken(needs)];
  const name = `${one}~${other}`;
  // To add one that is there would change it.
  for await (const info of manager.consumers.list(names.tasks)) if (info.name === name) return;
  await ensure(() =>
    manager.consumers.add(names.tasks, {
      ...{ durable_name: name, filter_subject: names.taskSubject(one, other, '*') },
      ...{ ack_policy: 'explicit', ack_wait: ackWaitMs * NS_PER_MS, max_deliver: -1 },
      ...{ max_ack_pending: MOST_UNACKNOWLEDGED, max_waiting: 4096 },
    }),
  );
}

/** Leaves a dead letter with the reason why a task was given up, for people to look at. */
export async function bury(
  { client, prefix }: Nats,
  campaign: number,
  index: number,
  reply: TaskReply,
): Promise<void> {
  const letter = JSON.stringify({ campaign, index, ...reply });
  await client.publish(new QueueNames(prefix).deadSubject(campaign), letter, {
    msgID: `${campaign}/${index}`,
  });
}

/** A queue of tasks with the same needs. */
export interface TaskClass {
  readonly name: string;
  readonly version: string;
  readonly needs: Needs;
  readonly ackWaitMs: number;
  /** Tasks that wait, and those that somebody has taken. */
  readonly waiting: number;
  readonly taken: number;
}

/** The queues that there are. */
export async function listClasses({ manager, prefix }: Nats): Promise<TaskClass[]> {
  const classes: TaskClass[] = [];
  for await (const info of manager.consumers.list(new QueueNames(prefix).tasks))
    classes.push(...classOf(info));
  return classes;
}

function classOf({ name, config, num_pending, num_ack_pending }: ConsumerInfo): TaskClass[] {
  const [version = '', token = ''] = name.split('~');
  const needs = needsOf(token);
  if (needs === null) return [];
  const ackWaitMs = (config.ack_wait ?? ACK_WAIT_MS * NS_PER_MS) / NS_PER_MS;
  return [{ name, version, needs, ackWaitMs, waiting: num_pending, taken: num_ack_pending }];
}
