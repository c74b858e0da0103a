import { KelpieError } from '../../error.js';
import { VERSION } from '../../version.js';
import type { KnownSet } from '../hunt/index.js';
import { eventTurn } from '../pool/index.js';
import type { CampaignPoint } from './axis.js';
import type { JobName } from './description.js';
import type { Measured, TaskRun } from './kind.js';
import { kindOf } from './kinds/index.js';

/** One task of a campaign, as plain data that can go to another thread or machine. */
export interface CampaignTask {
  readonly job: 'campaign';
  readonly kind: JobName;
  readonly base: unknown;
  readonly point: CampaignPoint;
  readonly metrics: readonly string[];
  readonly keepsAll: boolean;
  readonly known?: readonly KnownSet[];
}

/** What came of a task: what was measured, why it cannot be, or why it was given up. */
export type TaskOutcome =
  | ({ readonly kind: 'measured' } & Measured)
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Codes of errors that another try or another machine may not have. */
const MAY_PASS = ['CANNOT_RUN', 'NOT_ENOUGH_MEMORY', 'LINK_OPEN_FAILED', 'TASK_TIMEOUT'];

/** Runs a task. What a device refuses is an answer; whatever else goes wrong is thrown, and may be tried again. */
export async function runCampaignTask(
  { kind, base, point, metrics, keepsAll, known = [] }: CampaignTask,
  run: TaskRun = {},
): Promise<TaskOutcome> {
  // On the thread of a controller, too, somebody may want to end it, or to see how far it is.
  await eventTurn();
  try {
    const measured = await kindOf(kind).run(base, point, { metrics, keepsAll, known, run });
    return { kind: 'measured', ...measured };
  } catch (error) {
    if (!(error instanceof KelpieError) || MAY_PASS.includes(error.code)) throw error;
    return { kind: 'refused', reason: `${error.message} [${error.code}]` };
  }
}

/**
 * What makes a task the one that it is, as text: its hash is the key of its result. Of tasks in real time each is another
 * one: `once` says which.
 */
export function taskIdentity(task: CampaignTask, once: string | null): string {
  return JSON.stringify([VERSION, once, sorted(task)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
