import { crewWorker, type Hire } from '../index.js';

/** Workers in this thread, for tests: everything crosses as a copy, as it does between threads. */
export class WorkersHere {
  /** How many were begun. */
  begun = 0;
  private readonly ends = new Set<() => void>();

  readonly hire: Hire = (onMessage, onEnd) => {
    this.begun++;
    let isOpen = true;
    const heard = crewWorker({
      post: (message) => isOpen && queueMicrotask(() => isOpen && onMessage(structuredClone(message))),
      wallClock: () => 0,
    });
    this.ends.add(() => {
      isOpen = false;
      onEnd(new Error('the worker died'));
    });
    return {
      post: (message) => void heard(structuredClone(message)),
      end: () => {
        isOpen = false;
      },
    };
  };

  /** As if every worker had died. */
  die(): void {
    for (const end of this.ends) end();
  }
}
