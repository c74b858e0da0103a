import { isLast, type JobEvent } from './backend.js';

/** Events that are kept of a job; of more, the oldest but the very first are forgotten. */
const MOST_EVENTS = 10_000;

/** Hears an event and its number in the job, from 0. */
type Listener = (event: JobEvent, number: number) => void;

/** What happened to a job: whoever comes late is told everything that is kept. */
export class JobLog {
  private readonly events: { readonly event: JobEvent; readonly number: number }[] = [];
  private readonly listeners = new Set<Listener>();
  private count = 0;

  /** Whether its last event is there. */
  get ended(): boolean {
    const last = this.events[this.events.length - 1];
    return last !== undefined && isLast(last.event);
  }

  /** Adds an event and tells it; nothing comes after a last one. */
  add(event: JobEvent): void {
    if (this.ended) return;
    const number = this.count++;
    this.events.push({ event, number });
    if (this.events.length > MOST_EVENTS) this.events.splice(1, MOST_EVENTS / 10);
    for (const listener of [...this.listeners]) listener(event, number);
    if (this.ended) this.listeners.clear();
  }

  /** Tells what is kept from a number on, then what comes; the function that is returned ends it. */
  watch(listener: Listener, from = 0): () => void {
    for (const { event, number } of [...this.events]) if (number >= from) listener(event, number);
    if (!this.ended) this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
