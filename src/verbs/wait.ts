import type { CompletionQueue } from './completion-queue.js';
import { VerbsError } from './error.js';
import type { WorkCompletion } from './work-completion.js';

const FIRST_STEP_NS = 1000;
const LONGEST_STEP_NS = 1e6;
/** Turns of the program's own loop after each event: what awaits a completion is a few promises deep. */
const TURNS = 8;

/** How long to look for completions. */
export interface WaitOptions {
  /** How many to collect; default: 1. */
  count?: number;
  /** On the provider's clock; default: 10 s. */
  timeoutNs?: number;
}

/**
 * Polls until `count` completions are there, letting the provider's time pass between polls. Where time is virtual it
 * passes event by event, so that it is the time of the last completion when this returns.
 *
 * @example
 * const [completion] = await waitForCompletions(cq);
 */
export async function waitForCompletions(
  cq: CompletionQueue,
  options: WaitOptions = {},
): Promise<WorkCompletion[]> {
  const count = options.count ?? 1;
  const clock = cq.context.clock;
  const deadlineNs = clock.nowNs + (options.timeoutNs ?? 10e9);
  const found = cq.poll(count);
  // While nothing happens the step grows, so that a wait of seconds costs few polls and a short one ends soon.
  let stepNs = FIRST_STEP_NS;
  while (found.length < count) {
    if (clock.nowNs >= deadlineNs) {
      throw new VerbsError(
        'TIMED_OUT',
        `${found.length} of ${count} completions arrived before the deadline`,
        {
          field: 'timeoutNs',
          given: options.timeoutNs ?? 10e9,
        },
      );
    }
    const untilNs = Math.min(clock.nowNs + stepNs, deadlineNs);
    if (clock.step?.(untilNs) === true) stepNs = FIRST_STEP_NS;
    else {
      await clock.sleep(untilNs - clock.nowNs);
      if (stepNs < LONGEST_STEP_NS) stepNs *= 2;
    }
    // Another program of a virtual clock may have waited for what has just happened, and acts before time goes on.
    const turns = clock.step === undefined ? 0 : TURNS;
    found.push(...cq.poll(count - found.length));
    for (let turn = 0; turn < turns && found.length < count; turn++) {
      await null;
      found.push(...cq.poll(count - found.length));
    }
  }
  return found;
}

/**
 * The next completion of a queue, letting the provider's time pass until there is one.
 *
 * @example
 * const { status } = await waitForCompletion(cq);
 */
export async function waitForCompletion(
  cq: CompletionQueue,
  options: Pick<WaitOptions, 'timeoutNs'> = {},
): Promise<WorkCompletion> {
  const [completion] = await waitForCompletions(cq, { ...options, count: 1 });
  return completion;
}

/** Which completions to go through. */
export interface CompletionsOptions {
  /** How many; without end unless set. */
  count?: number;
  /** The longest wait for the next one, on the provider's clock; default 10 s. */
  timeoutNs?: number;
}

/**
 * Completions one by one, as they come. A wait that takes too long ends the loop with TIMED_OUT.
 *
 * @example
 * for await (const { wrId, status } of completionsOf(cq, { count: 100 })) console.log(wrId, status);
 */
export async function* completionsOf(
  cq: CompletionQueue,
  options: CompletionsOptions = {},
): AsyncGenerator<WorkCompletion, void, undefined> {
  const { count = Number.POSITIVE_INFINITY, timeoutNs } = options;
  for (let seen = 0; seen < count; seen++) {
    const [completion] = await waitForCompletions(cq, timeoutNs === undefined ? {} : { timeoutNs });
    yield completion as WorkCompletion;
  }
}
