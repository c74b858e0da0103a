/** What is called when an event fires, with the event's arguments. */
export type Handler = (a: number, b: number, c: number) => void;

/** Names one pending event: it encodes the slot and the generation, so that an id outlives its event harmlessly. */
export type EventId = number;

/**
 * A priority queue of events by integer time, first in first out among equal times.
 *
 * An event is a handler number and three arguments. `pop` hands it over in the queue's own fields, so that no object
 * is made for it; read them before the next call.
 */
export interface Queue {
  /** Time of the event popped last; before the first pop, the earliest time that is accepted (0). */
  readonly time: number;
  /** Handler number of the event popped last. */
  readonly handler: number;
  /** First argument of the event popped last, a 32-bit integer. */
  readonly a: number;
  /** Second argument of the event popped last, a 32-bit integer. */
  readonly b: number;
  /** Third argument of the event popped last, a 32-bit integer. */
  readonly c: number;
  /** How many events are pending; cancelled ones do not count. */
  readonly size: number;
  /** Names the event pushed last. */
  readonly pushed: EventId;
  /**
   * Adds an event. The time is a safe integer and not before the event popped last, the handler not negative, and all
   * but the time are 32-bit integers: the caller has seen to it, as `Simulation.at` does. It returns no id, which would
   * be a number too large not to be allocated, and few events are ever cancelled: ask `pushed` for it.
   */
  push(time: number, handler: number, a: number, b: number, c: number): void;
  /**
   * Events that are pushed count as pushed at a later time among those of their instant, until the next pop or
   * `standNow`.
   */
  standAsOf(time: number): void;
  /** Events count as pushed when they are. */
  standNow(): void;
  /** Takes an event back; false if it has already fired or been cancelled. */
  cancel(id: EventId): boolean;
  /** Moves the earliest event into the fields; false, and the fields stay, if there is none. */
  pop(): boolean;
  /** As `pop`, but leaves events later than `limit` alone. */
  popUntil(limit: number): boolean;
  /** Calls the handler of the event popped last, out of a list by number, with the event's arguments. */
  call(handlers: readonly Handler[]): void;
  /** Time of the earliest event, Infinity if there is none. */
  peekTime(): number;
}
