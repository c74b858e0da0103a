import type { AgentClock } from '../jobs/ping/index.js';

/** The clock of this machine. */
export class SystemClock implements AgentClock {
  get nowMs(): number {
    return Date.now();
  }

  waitUntil(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, ms - Date.now()));
      signal?.addEventListener('abort', done, { once: true });
      if (signal?.aborted) done();
    });
  }
}
