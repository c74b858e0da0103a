import type { BaseContext } from '../../../verbs/base/index.js';
import type { DeviceCounters } from './counters.js';

/** Events that may wait for the program when a fault of connection management is added to them. */
const MOST_WAITING = 1024;

/**
 * Tells the program that code of its own threw while a stranger's message was served: as an event, and on standard error
 * the first time, since a program that reads no events would never know.
 */
export function reportFault(
  context: BaseContext,
  counters: DeviceCounters,
  error: unknown,
  port: number | null,
): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  if (counters.cm_faults++ === 0)
    process.emitWarning(`a handler of connection management threw: ${cause.message}`, {
      code: 'KELPIE_CM_FAULT',
    });
  // Nobody reads them: what a stranger can cause must not pile up.
  if (context.asyncEvents.size < MOST_WAITING) context.raise({ type: 'CM_FAULT', port, error: cause });
}
