import { isLast, type JobEvent } from './backend.js';

/** Events that are kept of a job; of more, the oldest but the very first are forgotten. */
const MOST_EVENTS = 10_000;

/** What happened to a job: whoever comes late is told everything that is kept. */
export class JobLog {
  private readonly events: JobEvent[] = [];
  private readonly listeners = new Set<(event: JobEvent) => void>();

  /** Whether its last event is there. */
  get ended(): boolean {
    const last = this.events[this.events.length - 1];
    return last !== undefined && isLast(last);
  }

  /** Adds an event and tells it; nothing comes after a last one. */
  add(event: JobEvent): void {
    if (this.ended) return;
    this.events.push(event);
    if (this.events.length > MOST_EVENTS) this.events.splice(1, MOST_EVENTS / 10);
    for (const listener of [...this.listeners]) listener(event);
    if (this.ended) this.listeners.clear();
  }

  /** Tells what is kept, then what comes; the function that is returned ends it. */
  watch(listener: (event: JobEvent) => void): () => void {
    for (const event of [...this.events]) listener(event);
    if (!this.ended) this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
