import type { CompletionQueue } from './completion-queue.js';
import { VerbsError } from './error.js';
import type { WorkCompletion } from './work-completion.js';

/** How long to look for completions. */
export interface WaitOptions {
  /** How many to collect; 1 where left out. */
  count?: number;
  /** On the provider's clock; 10 s where left out. */
  timeoutNs?: number;
}

/**
 * Polls until `count` completions are there, letting the provider's time pass between polls.
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
  // The step grows, so that a wait of seconds costs few polls and a wait of a microsecond ends soon.
  let stepNs = 1000;
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
    await clock.sleep(stepNs);
    if (stepNs < 1e6) stepNs *= 2;
    found.push(...cq.poll(count - found.length));
  }
  return found;
}
