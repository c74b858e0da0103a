import { runJobTask } from '../../jobs/index.js';
import { failureOf } from '../../jobs/pool/index.js';
import type { RunOptions } from '../../workload/index.js';
import type { FromWorker, ToWorker } from './crew.js';
import { runWhole } from './whole-jobs.js';

/** What a worker has beside its messages. */
export interface WorkerPlace {
  readonly post: (message: FromWorker) => void;
  /** Seconds since some moment. */
  readonly wallClock: () => number;
  readonly memory?: RunOptions['memory'];
}

/**
 * What a worker of the crew does with each message that it gets.
 *
 * @example
 * const heard = crewWorker({ post: (message) => postMessage(message), wallClock: () => performance.now() / 1000 });
 * onmessage = ({ data }) => heard(data);
 */
export function crewWorker({ post, wallClock, memory }: WorkerPlace): (message: ToWorker) => Promise<void> {
  let stopping = new AbortController();
  const limits = memory === undefined ? {} : { memory };
  return async (message) => {
    if (message.kind === 'stop') {
      stopping.abort();
      return;
    }
    stopping = new AbortController();
    const { signal } = stopping;
    try {
      const answer =
        message.kind === 'part'
          ? await runJobTask(message.task, limits)
          : await runWhole(message.request, {
              ...{ signal, wallClock, ...limits, profiles: message.profiles },
              onEvent: (event) => post({ kind: 'event', event }),
            });
      post({ kind: 'answer', answer });
    } catch (error) {
      post({ kind: 'failure', failure: failureOf(error) });
    }
  };
}
